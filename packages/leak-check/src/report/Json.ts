import type { Leak, Report, Subject } from "../Report.ts"
import { withinSize } from "./SizeLimit.ts"

/**
 * The content of `report.json` (see `schemas/report.schema.json`), at most 10 MB. Longer lists are cut, and `omitted`
 * counts what was cut.
 */
export const json = (report: Report): string =>
  withinSize(measures, maxBytes, (measure) => `${JSON.stringify(cut(report, measure), null, 2)}\n`)

const maxBytes = 10_000_000

interface Measure {
  /** Maximum entries per list. */
  readonly rows: number
  /** Maximum pieces of evidence of each kind per leak. */
  readonly evidence: number
  /** Maximum locations per value. */
  readonly places: number
}

const measures: ReadonlyArray<Measure> = [
  { rows: 100_000, evidence: 1000, places: 10_000 },
  { rows: 50_000, evidence: 100, places: 1000 },
  { rows: 20_000, evidence: 20, places: 100 },
  { rows: 5000, evidence: 10, places: 20 },
  { rows: 2000, evidence: 5, places: 10 },
  { rows: 500, evidence: 3, places: 5 },
  { rows: 100, evidence: 1, places: 1 }
]

const cut = (report: Report, { evidence, places, rows }: Measure): Report => {
  const omitted = { entries: 0, evidence: 0, places: 0 }
  const first = <A>(list: ReadonlyArray<A>, most: number, count: keyof typeof omitted) => {
    omitted[count] += Math.max(0, list.length - most)
    return list.length > most ? list.slice(0, most) : list
  }
  const subjectOf = (subject: Subject): Subject =>
    subject.type === "domain" || subject.locations.length <= places
      ? subject
      : Object.assign({}, subject, { locations: first(subject.locations, places, "places") })
  const withSubject = <A extends { readonly subject: Subject }>(entry: A): A =>
    Object.assign({}, entry, { subject: subjectOf(entry.subject) })
  const leakOf = (leak: Leak): Leak =>
    Object.assign(withSubject(leak), {
      credentials: first(leak.credentials, evidence, "evidence"),
      moreCredentials: leak.moreCredentials || leak.credentials.length > evidence,
      events: first(leak.events, evidence, "evidence"),
      moreEvents: leak.moreEvents || leak.events.length > evidence
    })
  const shorter = {
    leaks: first(report.leaks, rows, "entries").map(leakOf),
    unsearched: first(report.unsearched, rows, "entries").map(withSubject),
    ineligible: first(report.ineligible, rows, "entries").map(withSubject),
    gaps: first(report.gaps, rows, "entries"),
    notices: first(report.notices, rows, "entries"),
    ignore: first(report.ignore, rows, "entries")
  }
  const isWhole = omitted.entries + omitted.evidence + omitted.places === 0
  return isWhole ? report : { ...report, ...shorter, omitted }
}
