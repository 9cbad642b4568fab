/** Formats the report for a terminal or a log: a summary table, then the evidence for each leak. */
import { counted } from "../Counted.ts"
import { counting, type Leak, type Location, type Report, type Subject } from "../Report.ts"
import { stepsFor } from "./Advice.ts"
import { visible } from "./Escape.ts"
import {
  headline,
  ignoreState,
  namedIneligible,
  period,
  placeOf,
  sightings,
  titleOf,
  typeOf,
  verdictLine
} from "./ReportText.ts"

export interface ConsoleOptions {
  /** Whether to use colours; only for a terminal that supports them. */
  readonly colors: boolean
  /** Columns of the terminal. Without it, prose wraps at 100 columns, and tables are as wide as their content. */
  readonly width?: number | undefined
}

/** Ends with `verdictLine` on its own line. */
export const text = (report: Report, options: ConsoleOptions): string => {
  const page = pageOf(options)
  const { bullets, paint, section } = page
  return [
    paint(report.verdict === "leaked" ? "critical" : report.verdict === "clean" ? "good" : "medium", headline(report)),
    ...(report.skipped === null ? [] : [visible(report.skipped)]),
    ...countingLeaks(counting(report), page),
    ...section("Reported, but not counted", otherLeaks(report, page)),
    ...section(`Not searched: ${counted(report.unsearched.length, "target")}`, unsearched(report, page)),
    ...section(`Could not be read: ${report.gaps.length}`, bullets(report.gaps)),
    ...section(
      "Named secrets that were not sent",
      bullets(namedIneligible(report).map(({ name, reason }) => `${name}: ${reason}`))
    ),
    ...section(
      "Ignore file",
      bullets(
        report.ignore.map(
          ({ expires, fingerprint, isAdded, reason, state }) =>
            `${fingerprint} ${ignoreState({ expires, state })}: ${reason}${isAdded ? " [added by this change]" : ""}`
        )
      )
    ),
    ...section(`Notes: ${report.notices.length}`, bullets(report.notices)),
    "",
    verdictLine(report)
  ].join("\n")
}

type Lines = ReadonlyArray<string>

interface Page {
  readonly width: number
  readonly tableWidth: number
  readonly paint: (style: keyof typeof styles, words: string) => string
  readonly bullets: (sentences: Lines, most?: number) => Lines
  /** Empty if there are no lines. */
  readonly section: (title: string, lines: Lines) => Lines
}

const pageOf = ({ colors, width: given }: ConsoleOptions): Page => {
  const width = given ?? 100
  const paint: Page["paint"] = (style, words) => (colors ? `\u001b[${styles[style]}m${words}\u001b[0m` : words)
  return {
    width,
    tableWidth: given ?? Number.POSITIVE_INFINITY,
    paint,
    bullets: (sentences, most = maxRows) => [
      ...sentences
        .slice(0, most)
        .flatMap((sentence) =>
          wrapText(visible(sentence), width - 4).map((line, i) => `${i === 0 ? "  - " : "    "}${line}`)
        ),
      ...more(sentences.length - most)
    ],
    section: (title, lines) => (lines.length === 0 ? [] : ["", paint("bold", title), ...lines])
  }
}

const countingLeaks = (leaks: ReadonlyArray<Leak>, page: Page): Lines =>
  leaks.length === 0
    ? []
    : [
        "",
        ...table(leaks, page),
        ...leaks.slice(0, maxDetails).flatMap((leak) => [""].concat(details(leak, page))),
        "",
        ...wrapText(
          "When a leak is resolved, add its fingerprint (16 hexadecimal digits) to the ignore file, with a reason and an expiry date:",
          page.width
        ),
        ...leaks.slice(0, maxDetails).map(({ fingerprint }) => `  threat-exposure ignore add ${fingerprint} --reason …`)
      ]

const otherLeaks = (report: Report, page: Page): Lines => {
  const leaks = report.leaks.filter(({ counts }) => !counts)
  return leaks.length === 0
    ? []
    : [
        ...table(leaks, page),
        ...page.bullets(
          leaks.map(
            ({ fingerprint, subject, notCountedReason }) =>
              `${titleOf(subject)} ${fingerprint}: ${notCountedReason ?? ""}`
          )
        )
      ]
}

/** Leaves out the reason of a skipped check, which is already shown above. */
const unsearched = (report: Report, { bullets }: Page): Lines => [
  ...bullets(
    Array.from(
      Map.groupBy(
        report.unsearched.filter(({ detail }) => detail !== report.skipped),
        ({ detail }) => detail
      ),
      ([detail, all]) => `${counted(all.length, "target")}: ${detail}`
    )
  ),
  ...bullets(
    report.unsearched.map(({ missing, subject }) => `${whatAndWhere(subject)} (${missing.join(", ")})`),
    maxUnsearched
  )
]

const styles = {
  bold: "1",
  dim: "2",
  critical: "1;31",
  high: "31",
  medium: "33",
  low: "36",
  info: "37",
  good: "32"
} as const

const maxRows = 200

const maxDetails = 50

const maxUnsearched = 20

const maxEvidence = 5

const more = (n: number) => (n > 0 ? [`  … and ${n} more, in the JSON report`] : [])

interface Column {
  readonly title: string
  readonly cellOf: (leak: Leak) => string
  /** Whether cells may be truncated. */
  readonly isFlexible?: boolean
}

/** Columns in order of importance. */
const tableColumns: ReadonlyArray<Column> = [
  { title: "severity", cellOf: ({ severity }) => severity },
  { title: "where in the code", cellOf: ({ subject }) => where(subject) },
  { title: "what leaked", cellOf: ({ subject }) => titleOf(subject), isFlexible: true },
  { title: "last seen", cellOf: ({ lastSeen }) => lastSeen?.slice(0, 10) ?? "" },
  { title: "seen", cellOf: (leak) => sightings(leak) }
]

/** Minimum width of a flexible column; less important columns are dropped first. */
const minFlexible = 16

const table = (leaks: ReadonlyArray<Leak>, { paint, tableWidth }: Page): Lines => {
  const shown = leaks.slice(0, maxRows)
  let fields = tableColumns.map(({ cellOf, isFlexible = false, title }) => {
    const cells = shown.map((leak) => visible(cellOf(leak)))
    return { title, cells, isFlexible, width: Math.max(title.length, ...cells.map(columns)) }
  })
  const total = () => fields.reduce((sum, { width }) => sum + width, 2 * (fields.length - 1))
  const least = () =>
    total() -
    fields.reduce((sum, { isFlexible, width }) => sum + (isFlexible ? width - Math.min(width, minFlexible) : 0), 0)
  while (fields.length > 2 && least() > tableWidth) fields = fields.slice(0, -1)
  const over = Math.max(0, total() - tableWidth)
  fields = fields.map((field) => (field.isFlexible ? { ...field, width: field.width - over } : field))
  const lineOf = (cellOf: (field: (typeof fields)[number]) => string) =>
    fields.map((field) => pad(cellOf(field), field.width)).join("  ")
  const first = fields[0]?.width ?? 0
  return [
    paint("dim", lineOf(({ title }) => title).trimEnd()),
    ...shown.map(({ severity }, row) => {
      const text = lineOf(({ cells }) => cells[row] ?? "")
      return `${paint(severity, text.slice(0, first))}${text.slice(first)}`.trimEnd()
    }),
    ...more(leaks.length - maxRows)
  ]
}

/** If the line is too long, the fingerprint goes on its own line, so that it can be copied. */
const headOf = ({ fingerprint, severity, subject }: Leak, { paint, tableWidth }: Page): Lines => {
  const what = visible(whatAndWhere(subject))
  const head = `${paint(severity, severity)} ${paint("bold", what)}`
  const mark = paint("dim", fingerprint)
  return columns(`${severity} ${what} ${fingerprint}`) > tableWidth ? [head, `  ${mark}`] : [`${head} ${mark}`]
}

const details = (leak: Leak, page: Page): Lines => {
  const { width } = page
  const { subject } = leak
  const line = (words: string) =>
    wrapText(visible(words), width - 4).map((part, i) => `${i === 0 ? "  " : "    "}${part}`)
  const places = subject.type === "value" ? subject.locations : []
  return [
    ...headOf(leak, page),
    ...(leak.common === null ? [] : line(leak.common)),
    ...(period(leak) === "" ? [] : line(`seen ${period(leak)}`)),
    ...places.slice(1, maxEvidence).flatMap((place) => line(`also at ${formatLocation(place)}`)),
    ...(places.length > maxEvidence ? line(`also at ${counted(places.length - maxEvidence, "more place")}`) : []),
    ...leak.credentials
      .slice(0, maxEvidence)
      .flatMap(({ account, importedAt, source }) =>
        line(
          [
            `account ${account}`,
            ...(source?.name == null ? [] : [source.name]),
            ...(source?.leakedAt == null ? [] : [`leaked ${source.leakedAt.slice(0, 10)}`]),
            ...(importedAt === null ? [] : [`imported ${importedAt.slice(0, 10)}`])
          ].join(", ")
        )
      ),
    ...further(leak.credentials.length, leak.moreCredentials, "credential").flatMap(line),
    ...leak.events
      .slice(0, maxEvidence)
      .flatMap((event) =>
        line(
          [
            `${event.severity} ${typeOf(event)}`,
            ...(event.title === null ? [] : [event.title]),
            ...(event.estimatedCreatedAt === null ? [] : [event.estimatedCreatedAt.slice(0, 10)]),
            event.link ?? event.uid
          ].join(", ")
        )
      ),
    ...further(leak.events.length, leak.moreEvents, "event").flatMap(line),
    ...stepsFor(leak)
      .slice(0, 1)
      .flatMap((step) => line(`→ ${step}`))
  ]
}

const further = (n: number, more: boolean, noun: string) =>
  n > maxEvidence
    ? [`… and ${counted(n - maxEvidence, `more ${noun}`)}${more ? " fetched, and more" : ""}`]
    : more
      ? [`… and more ${noun}s`]
      : []

const where = (subject: Subject) => {
  if (subject.type === "domain") return "–"
  const [first, ...more] = subject.locations
  if (first === undefined) return "(named secret)"
  return `${formatLocation(first)}${more.length === 0 ? "" : ` +${more.length}`}`
}

const formatLocation = (place: Location) => `${placeOf(place)}${place.removed ? " (removed since)" : ""}`

const whatAndWhere = (subject: Subject) =>
  subject.type === "domain" ? titleOf(subject) : `${titleOf(subject)} ${where(subject)}`

/** Terminal columns of a character: two for East Asian scripts and emoji, zero for combining marks. */
const columnsOf = (character: string) => (onAnother.test(character) ? 0 : wide.test(character) ? 2 : 1)

const wide =
  /[\p{Emoji_Presentation}\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]/u
const onAnother = /[\p{Mn}\p{Me}]/u

const columns = (text: string) => Array.from(visible(text)).reduce((sum, character) => sum + columnsOf(character), 0)

const pad = (text: string, width: number) => {
  let shown = visible(text)
  if (columns(shown) > width) {
    let left = width - 1
    const fitting = Array.from(shown).filter((character) => (left -= columnsOf(character)) >= 0)
    shown = `${fitting.join("")}…`
  }
  return shown + " ".repeat(Math.max(0, width - columns(shown)))
}

const wrapText = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    if (line !== "" && columns(line) + 1 + columns(word) > width) {
      lines.push(line)
      line = word
    } else {
      line = line === "" ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}
