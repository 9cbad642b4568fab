/** Annotations on lines of a pull request. GitHub shows at most ten errors and ten warnings per step. */
import { counted } from "../Counted.ts"
import { isElsewhere } from "@threat-exposure/detect/git/BesideFiles"
import { isComplete, type Leak, type Location, type Report } from "../Report.ts"
import { stepsFor } from "./Advice.ts"
import { headline, nameOf, placeOf, whatOf, whereSeen } from "./ReportText.ts"

export interface Annotation {
  readonly level: "error" | "warning" | "notice"
  readonly title: string
  readonly message: string
  /** Undefined if the annotation belongs to no line of the code. */
  readonly location: (Pick<Location, "path" | "line"> & Partial<Location>) | undefined
}

/**
 * Most severe first. If there are more than GitHub shows, the last annotation of a level gives the number of the
 * others.
 */
export const annotations = (report: Report): ReadonlyArray<Annotation> => {
  const errors = report.leaks.filter(({ counts }) => counts).map((leak) => annotationOf(leak, "error"))
  const warnings = report.leaks
    .filter(({ counts, ignored }) => !counts && ignored === null)
    .map((leak) => annotationOf(leak, "warning"))
  const unfinished = isComplete(report)
    ? []
    : [
        withoutLocation(
          report.verdict === "skipped" ? "notice" : "warning",
          report.verdict === "leaked" ? "Not everything was checked" : headline(report),
          [
            ...(report.unsearched.length === 0
              ? []
              : [`${counted(report.unsearched.length, "target")} not fully searched: ${reasonsOf(report)}`]),
            ...report.gaps.slice(0, 3)
          ].join("\n")
        )
      ]
  return [...takeFirst(errors, "error"), ...takeFirst([...unfinished, ...warnings], "warning")]
}

/** The annotation as a workflow command. */
export const command = (annotation: Annotation): string => {
  const { level, location, message, title } = annotation
  const { column, endColumn, endLine, line, path }: Partial<Location> = location ?? {}
  const properties = Object.entries({ file: path, line, endLine, col: column, endColumn, title })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
  return `::${level} ${properties.join(",")}::${escapeData(message)}`
}

const maxPerLevel = 10

const takeFirst = (all: ReadonlyArray<Annotation>, level: Annotation["level"]) => {
  if (all.length <= maxPerLevel) return all
  const rest = all.length - maxPerLevel + 1
  return [
    ...all.slice(0, maxPerLevel - 1),
    withoutLocation(level, `${rest} more`, `${rest} more are in the full report of this run`)
  ]
}

const annotationOf = (leak: Leak, level: Annotation["level"]): Annotation => {
  const { subject } = leak
  const places = subject.type === "value" ? subject.locations : []
  const location = places.find((place) => !isElsewhere(place))
  return {
    level,
    title: `${subject.type === "domain" ? "Leaks of" : "Leaked"} ${[whatOf(subject), nameOf(subject)].filter((part) => part !== undefined).join(" ")} (${leak.severity})`,
    message: [
      `Seen in leaked data: ${whereSeen(leak, 3)}.`,
      ...(leak.common === null ? [] : [`Common: ${leak.common}.`]),
      ...(leak.notCountedReason === null ? stepsFor(leak).slice(0, 1) : [`Does not count: ${leak.notCountedReason}.`]),
      ...(location === undefined && places[0] !== undefined ? [`Only in the history: ${placeOf(places[0])}.`] : []),
      `Fingerprint ${leak.fingerprint}.`
    ].join("\n"),
    location
  }
}

const withoutLocation = (level: Annotation["level"], title: string, message: string): Annotation => ({
  level,
  title,
  message,
  location: undefined
})

const reasonsOf = (report: Report) =>
  Array.from(new Set(report.unsearched.map(({ detail }) => detail)))
    .slice(0, 3)
    .join("; ")

const escapeData = (text: string) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")

const escapeProperty = (text: string) => escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C")
