/** Finds leaks whose value was removed from the code. */
import type { Report } from "@threat-exposure/leak-check/Report"
import { Redacted } from "effect"
import type { Checked, LeakFinding, ReplacedLeak } from "../LeakFinding.ts"
import type { LeakOccurrence } from "../LeakOccurrence.ts"

type Occurrences = ReadonlyMap<string, ReadonlyArray<LeakOccurrence>>

const occurrencesOf = ({ leak }: LeakFinding, occurrences: Occurrences) =>
  [...occurrences.values()].flat().filter(({ row }) => row.leak.fingerprint === leak.fingerprint)

const isOpen = ({ leak }: LeakFinding) => leak.counts && leak.subject.type === "value"

/** Leaks of a check whose value edits have removed from every place. */
export const absentIn = (last: Checked | undefined, occurrences: Occurrences): ReadonlyArray<ReplacedLeak> =>
  (last?.rows ?? []).filter(isOpen).flatMap((finding) => {
    const here = occurrencesOf(finding, occurrences)
    const places = finding.places.filter(({ isRemoved }) => isRemoved !== true).length
    const [first] = here
    return first === undefined || here.length < places || here.some(({ isPresent }) => isPresent)
      ? []
      : [{ finding, value: first.value }]
  })

/** Leaks of a check that the next check of the same files no longer found. */
export const goneSince = (
  before: { readonly last: Checked | undefined; readonly occurrences: Occurrences; readonly salt: string },
  next: { readonly report: Report; readonly title: string; readonly values: ReadonlySet<string> }
): ReadonlyArray<ReplacedLeak> => {
  const { last, occurrences, salt } = before
  if (last?.title !== next.title || salt !== next.report.repository) return []
  const found = new Set(next.report.leaks.map(({ fingerprint }) => fingerprint))
  return last.rows.filter(isOpen).flatMap((finding) => {
    if (found.has(finding.leak.fingerprint)) return []
    const value = occurrencesOf(finding, occurrences)[0]?.value
    // The value may exist without a search in this check, so the report alone does not prove its absence.
    const isThere = value === undefined ? next.report.unsearched.length > 0 : next.values.has(Redacted.value(value))
    return isThere ? [] : [{ finding, value }]
  })
}
