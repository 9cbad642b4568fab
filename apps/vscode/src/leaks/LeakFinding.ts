/** A finding as the view and the editor show it. */
import type { Leak, Report } from "@threat-exposure/leak-check/Report"
import type { Severity } from "@threat-exposure/core/domain/Severity"
import type { Redacted } from "effect"
import { sourceOfUid } from "../events/AnyEvent.ts"
import { severityIcon } from "../events/list/EventRow.ts"
import { count, t } from "../words/Localisation.ts"
import type { Icon } from "../editor/tree/Row.ts"
import { localTime } from "../words/Dates.ts"
import { nameOfType } from "../words/TypeNames.ts"

/** The location of a value, in an open folder. */
export interface LeakPlace {
  readonly uri: string
  readonly path: string
  /** From 1, as a report counts. */
  readonly line: number
  readonly column: number
  /** No file has the line as it is now: it is that of an earlier commit, or of a message. */
  readonly isRemoved?: boolean
  /** The commit that added the line, where one is known. */
  readonly commit?: string
}

/** The repository of a check, which determines its rules, its ignore file and the salt of its fingerprints. */
export interface CheckedRepository {
  /** The open folder, whose settings apply. */
  readonly folder: string
  /** The top folder of the repository; the open folder where that is in none. */
  readonly root: string
  /** As the remote `origin` names it, or else as its root is called. */
  readonly name: string
  /** Whether the remote names it: the name of a folder is not the same in every clone. */
  readonly hasRemote: boolean
}

export interface LeakFinding {
  readonly leak: Leak
  /** Whose it is and what, such as "AWS access key ID", if the rule that found it determines this. */
  readonly provider: string | undefined
  readonly places: ReadonlyArray<LeakPlace>
  /** The repository whose ignore file applies; none outside of the open folders. */
  readonly repository: CheckedRepository | undefined
}

/** A leak whose value is no longer in the code. */
export interface ReplacedLeak {
  readonly finding: LeakFinding
  /** Undefined if it is not known any more: nothing stores it. */
  readonly value: Redacted.Redacted | undefined
}

/** A leak check that was run. */
export interface Checked {
  readonly title: string
  readonly report: Report
  readonly rows: ReadonlyArray<LeakFinding>
  /** The gaps of the report, in the person's language. */
  readonly gaps: ReadonlyArray<string>
  readonly notices: ReadonlyArray<string>
}

interface LeakName {
  /** "DATABASE_PASSWORD", "AWS access key ID". In a file, the name that it has there. */
  readonly name: string
  /** "password", if the name does not say so. */
  readonly what: string | undefined
}

export const leakName = ({ leak: { subject }, provider }: LeakFinding, path?: string): LeakName => {
  if (subject.type === "domain") return { name: subject.domain, what: undefined }
  const [given] = subject.names
  if (given !== undefined) return { name: t(given), what: undefined }
  const what = provider ?? nameOfKind(subject.kind)
  const assigned = subject.locations.find((at) => at.name !== null && (path === undefined || at.path === path))?.name
  return assigned == null ? { name: what, what: undefined } : { name: assigned, what }
}

/** "DATABASE_PASSWORD (password)", "AWS access key ID". */
export const nameOfLeak = (finding: LeakFinding, path?: string): string => {
  const { name, what } = leakName(finding, path)
  return what === undefined ? name : `${name} (${what})`
}

export const nameOfKind = (kind: string): string => nameOfType(kind.replaceAll("-", "_"))

export const ignoredIcon: Icon = { id: "mute" }

export const leakIcon = (leak: Leak): Icon =>
  leak.ignored !== null ? ignoredIcon : leak.counts ? severityIcon(leak.severity) : { id: "info" }

export const outsideOfFolders = () => t("The file is not in an open folder: open its folder first.")

/** "3 credentials, 10+ events". */
export const evidenceText = ({ credentials, moreCredentials, events, moreEvents }: Leak): string =>
  [
    credentials.length === 0
      ? []
      : moreCredentials
        ? [t("{0}+ credentials", credentials.length)]
        : [count(credentials.length, "{0} credential", "{0} credentials")],
    events.length === 0
      ? []
      : moreEvents
        ? [t("{0}+ events", events.length)]
        : [count(events.length, "{0} event", "{0} events")]
  ]
    .flat()
    .join(", ")

/** The title, or else the type and the source. */
export const nameOfEvent = ({ title, type, uid }: Leak["events"][number]): string =>
  title ?? `${nameOfType(type)} · ${sourceOfUid(uid)}`

/** The evidence of the leak, line by line, as plain text. */
export const evidenceLines = (leak: Leak): ReadonlyArray<string> => evidence(leak).map(({ text }) => text)

/** The same; a line about an event has its uid. */
export const evidence = (leak: Leak): ReadonlyArray<{ readonly text: string; readonly event?: string }> => {
  const line = (text: string) => ({ text })
  const dates = [leak.firstSeen, leak.lastSeen].map((date) => (date === null ? undefined : localTime(date)))
  const sources = [...new Set(leak.credentials.flatMap(({ source }) => source?.name ?? []))]
  return [
    line(t("Found in leaked data: {0}.", evidenceText(leak))),
    ...(dates[0] === undefined ? [] : [line(t("First seen {0}, last {1}.", dates[0], dates[1] ?? dates[0]))]),
    ...(sources.length === 0 ? [] : [line(t("Sources: {0}.", firstOf(sources)))]),
    ...leak.events.slice(0, 3).map((event) => ({
      text: event.title === null ? nameOfEvent(event) : t("{0}: {1}", nameOfType(event.type), event.title),
      event: event.uid
    })),
    ...(leak.common === null ? [] : [line(t("Many people use this value, so the leak may not be yours."))]),
    ...(leak.ignored === null ? [] : [line(t("Ignored until {0}: {1}", leak.ignored.expires, leak.ignored.reason))])
  ]
}

/** A line has room for no more names. */
const maxNames = 5

const firstOf = (names: ReadonlyArray<string>) =>
  [...names.slice(0, maxNames), ...(names.length > maxNames ? ["…"] : [])].join(", ")

export const findingSeverity = (leak: Leak): "error" | "warning" | "information" =>
  leak.ignored !== null || !leak.counts ? "information" : severe.has(leak.severity) ? "error" : "warning"

const severe: ReadonlySet<Severity> = new Set<Severity>(["critical", "high"])
