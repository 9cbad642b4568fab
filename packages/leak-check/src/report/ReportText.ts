/** Sentences that all formats share. Text from outside is not escaped here: each format escapes for itself. */
import { counted } from "../Counted.ts"
import type { EventEvidence, Leak, Location, Report, Subject, ValueSubject } from "../Report.ts"
import { counting } from "../Report.ts"
import { providerOf } from "./Providers.ts"

/** The result in one sentence. */
export const headline = (report: Report): string => {
  switch (report.verdict) {
    case "leaked": {
      const leaks = counting(report)
      const domains = leaks.filter(({ subject }) => subject.type === "domain").length
      const parts = [
        ...(leaks.length > domains ? [counted(leaks.length - domains, "secret")] : []),
        ...(domains > 0 ? [counted(domains, "domain")] : [])
      ]
      return parts.length === 0
        ? "Something was found in leaked data: the notes say what"
        : `${parts.join(" and ")} found in leaked data`
    }
    case "incomplete":
      if (report.unsearched.length === 0) return "Not everything could be checked; no leak found so far"
      return report.searches === 0
        ? `Nothing was searched (${counted(report.unsearched.length, "target")} left)`
        : `Not everything was searched (${counted(report.unsearched.length, "target")} left); no leak found so far`
    case "skipped":
      return report.unsearched.length === 0
        ? "Nothing was searched"
        : `Nothing was searched; ${counted(report.unsearched.length, "target")} would have been`
    case "clean":
      if (report.leaks.length > 0) return "No leak found that counts"
      return report.searches === 0 ? "Nothing had to be searched" : "No leak found"
  }
}

/** `verdict: leaked (3 leaks, 86 searches)`. */
export const verdictLine = (report: Report): string =>
  `verdict: ${report.verdict} (${counted(counting(report).length, "leak")}, ${counted(report.searches, "search")})`

/** The subject's name: the domain, or the first given or assigned name, if any. */
export const nameOf = (subject: Subject): string | undefined =>
  subject.type === "domain" ? subject.domain : namesOf(subject)[0]

/** The given names, then the assigned names in the code, without duplicates. */
export const namesOf = ({ locations, names }: ValueSubject): ReadonlyArray<string> =>
  Array.from(new Set([...names, ...locations.flatMap(({ name }) => name ?? [])]))

/** The kind of the subject in words: "AWS access key ID", "password". */
export const whatOf = (subject: Subject): string =>
  subject.type === "domain" ? kindOf(subject) : (providerOf(subject)?.name ?? kindOf(subject))

/** "DATABASE_PASSWORD (password)", with the name formatted by `asName`; "password" if it has no name. */
export const titleOf = (subject: Subject, asName: (name: string) => string = (name) => name): string => {
  const name = nameOf(subject)
  const what = whatOf(subject)
  if (name === undefined) return what
  return what === anySecret ? asName(name) : `${asName(name)} (${what})`
}

/** The kind of the subject, without the provider. */
export const kindOf = (subject: Subject): string =>
  subject.type === "domain"
    ? subject.searchedBy === "login"
      ? "login domain"
      : "domain"
    : (kinds[subject.kind] ?? subject.kind.replaceAll("-", " "))

/** The kind of any other secret; a title leaves it out after a name. */
const anySecret = "secret"

const kinds: Partial<Record<string, string>> = {
  jwt: "JSON Web Token",
  "basic-auth": "password of a URL",
  "generic-secret": anySecret
}

/** Named secrets that are not searched, with the reason, because the caller asked for them. */
export const namedIneligible = ({ ineligible }: Report) =>
  ineligible.flatMap(({ reason, subject }) =>
    subject.type === "value" && subject.names.length > 0 ? [{ name: subject.names.join(", "), reason }] : []
  )

/** Whether an entry of the ignore file applied, and its last day. */
export const ignoreState = ({ expires, state }: Pick<Report["ignore"][number], "expires" | "state">): string =>
  state === "expired" ? `expired on ${expires}, counts again` : `${ignoreStates[state]}, until ${expires}`

const ignoreStates = { applied: "applied", unmatched: "matched nothing in this run" } as const

export const placeOf = ({ line, path }: Location): string => `${path}:${line}`

/** "3 credentials, 10+ events". */
export const sightings = (leak: Leak): string =>
  [
    ...(leak.credentials.length > 0 ? [atLeast(leak.credentials.length, "credential", leak.moreCredentials)] : []),
    ...(leak.events.length > 0 ? [atLeast(leak.events.length, "event", leak.moreEvents)] : [])
  ].join(", ")

/** "2025-03-01", or "2025-03-01 to 2026-10-02"; empty if no date is known. */
export const period = ({ firstSeen, lastSeen }: Leak): string => {
  const [first, last] = [firstSeen, lastSeen].map((date) => date?.slice(0, 10) ?? "")
  return first === last || last === "" ? (first ?? "") : `${first} to ${last}`
}

/** "3 credentials; Example breach, paste; 2025-03-01": at most `most` sources, each formatted by `asName`. */
export const whereSeen = (leak: Leak, most: number, asName: (name: string) => string = (name) => name): string =>
  [sightings(leak), sourcesOf(leak).slice(0, most).map(asName).join(", "), period(leak)]
    .filter((part) => part !== "")
    .join("; ")

/** Why the report is incomplete, one sentence each; empty if it is complete. */
export const shortfalls = ({ gaps, skipped, unsearched }: Report): ReadonlyArray<string> => [
  ...(skipped === null ? [] : [skipped]),
  ...(unsearched.length === 0 ? [] : [`${counted(unsearched.length, "target")} not fully searched`]),
  ...gaps
]

/** "stealer log". */
export const typeOf = ({ type }: EventEvidence): string => type.replaceAll("_", " ")

/** Names of sources and types of events, the most frequent first. */
export const sourcesOf = (leak: Leak): ReadonlyArray<string> => {
  const rows = new Map<string, number>()
  for (const { source } of leak.credentials) {
    if (source?.name != null) rows.set(source.name, (rows.get(source.name) ?? 0) + 1)
  }
  for (const event of leak.events) rows.set(typeOf(event), (rows.get(typeOf(event)) ?? 0) + 1)
  return Array.from(rows)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name]) => name)
}

const atLeast = (n: number, noun: string, more: boolean) => (more ? `${n}+ ${noun}s` : counted(n, noun))
