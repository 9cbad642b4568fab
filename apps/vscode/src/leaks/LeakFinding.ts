/** A finding of a check, in the form of the view and the editor. */
import type { Leak, Report } from "@threat-exposure/leak-check/Report"
import type { Severity } from "@threat-exposure/core/domain/Severity"
import type { Redacted } from "effect"
import { sourceOfUid } from "../events/AnyEvent.ts"
import { severityIcon } from "../events/list/EventRow.ts"
import { count, number, t } from "../words/Localisation.ts"
import type { Icon } from "../editor/tree/Row.ts"
import { localTime } from "../words/Dates.ts"
import { nameOfType } from "../words/TypeNames.ts"

/** Location of a value in an open folder. */
export interface LeakPlace {
  readonly uri: string
  readonly path: string
  /** Line and column are counted from 1, as in a report. */
  readonly line: number
  readonly column: number
  /** Whether the line exists only in an earlier commit or in a message, and not in a current file. */
  readonly isRemoved?: boolean
  /** The commit that added the line; undefined if unknown. */
  readonly commit?: string
}

/** Repository of a check: determines the rules, the ignore file, and the salt of fingerprints. */
export interface CheckedRepository {
  /** URI of the open folder, whose settings apply. */
  readonly folder: string
  /** URI of the repository's top folder; the open folder if it is in no repository. */
  readonly root: string
  /** Name from the remote `origin`, or else that of the top folder. */
  readonly name: string
  /** Whether the name comes from a remote: names of folders differ between clones. */
  readonly hasRemote: boolean
}

export interface LeakFinding {
  readonly leak: Leak
  /** The provider and kind of the secret, such as "AWS access key ID"; undefined if the rule does not determine it. */
  readonly provider: string | undefined
  readonly places: ReadonlyArray<LeakPlace>
  /** The repository with the ignore file; undefined outside the open folders. */
  readonly repository: CheckedRepository | undefined
  /** Name of the profile of the check, to whose tenant the events and credentials belong. */
  readonly profile: string | undefined
}

/** A leak whose value is no longer in the code. */
export interface ReplacedLeak {
  readonly finding: LeakFinding
  /** Undefined if the value is no longer known, because it is never stored. */
  readonly value: Redacted.Redacted | undefined
}

export interface Checked {
  readonly title: string
  readonly report: Report
  readonly rows: ReadonlyArray<LeakFinding>
  /** Gaps of the report in the person's language. */
  readonly gaps: ReadonlyArray<string>
  readonly notices: ReadonlyArray<string>
}

interface LeakName {
  /** Name such as "DATABASE_PASSWORD" or "AWS access key ID"; for a path, the name in this file. */
  readonly name: string
  /** The kind, such as "password"; undefined if the name includes it. */
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

/** The name with its kind, such as "DATABASE_PASSWORD (password)" or "AWS access key ID". */
export const nameOfLeak = (finding: LeakFinding, path?: string): string => {
  const { name, what } = leakName(finding, path)
  return what === undefined ? name : `${name} (${what})`
}

export const nameOfKind = (kind: string): string => nameOfType(kind.replaceAll("-", "_"))

export const ignoredIcon: Icon = { id: "mute" }

export const leakIcon = (leak: Leak): Icon =>
  leak.ignored !== null ? ignoredIcon : leak.counts ? severityIcon(leak.severity) : { id: "info" }

export const outsideOfFolders = () => t("The file is not in an open folder: open its folder first.")

/** The amount of evidence, such as "3 credentials, 10+ events". */
export const evidenceText = ({ credentials, moreCredentials, events, moreEvents }: Leak): string =>
  [
    credentials.length === 0
      ? []
      : moreCredentials
        ? [t("{0}+ credentials", number(credentials.length))]
        : [count(credentials.length, "{0} credential", "{0} credentials")],
    events.length === 0
      ? []
      : moreEvents
        ? [t("{0}+ events", number(events.length))]
        : [count(events.length, "{0} event", "{0} events")]
  ]
    .flat()
    .join(", ")

/** The title of an event, or else its type and source. */
export const nameOfEvent = ({ title, type, uid }: Leak["events"][number]): string =>
  title ?? `${nameOfType(type)} · ${sourceOfUid(uid)}`

/** The evidence of the leak as lines of plain text. */
export const evidenceLines = (leak: Leak): ReadonlyArray<string> => evidence(leak).map(({ text }) => text)

/** The evidence of the leak by line; `event` is the uid of the event in the line. */
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

/** Maximum number of names on a line. */
const maxNames = 5

const firstOf = (names: ReadonlyArray<string>) =>
  [...names.slice(0, maxNames), ...(names.length > maxNames ? ["…"] : [])].join(", ")

export const findingSeverity = (leak: Leak): "error" | "warning" | "information" =>
  leak.ignored !== null || !leak.counts ? "information" : severe.has(leak.severity) ? "error" : "warning"

const severe: ReadonlySet<Severity> = new Set<Severity>(["critical", "high"])
