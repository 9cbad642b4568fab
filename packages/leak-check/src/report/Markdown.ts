/**
 * The report in GitHub's Markdown: a job summary, or a comment on a pull request.
 *
 * Text from outside only occurs in code spans, where Markdown, HTML, links, mentions and references have no effect.
 */
import { isBesideFiles, isElsewhere } from "@threat-exposure/detect/git/BesideFiles"
import { counted } from "../Counted.ts"
import {
  counting,
  type CredentialEvidence,
  type EventEvidence,
  type Leak,
  type Location,
  type Report,
  type Subject
} from "../Report.ts"
import { adviceFor, ignoreEntry, stepsFor } from "./Advice.ts"
import { address, code, markup, uriOf } from "./Escape.ts"
import { withinSize } from "./SizeLimit.ts"
import {
  headline,
  ignoreState,
  namedIneligible,
  namesOf,
  period,
  placeOf,
  sightings,
  sourcesOf,
  titleOf,
  typeOf
} from "./ReportText.ts"

export interface MarkdownOptions {
  /** Base of links to locations in the code, such as `https://github.com/owner/name`. */
  readonly repositoryUrl?: string | undefined
  /** The commit that the locations refer to. */
  readonly commit?: string | undefined
  /** The checked part of the repository; undefined if all of it was checked. */
  readonly part?: string | undefined
  /** Path of the ignore file, to which the entry of a resolved leak is added. */
  readonly ignoreFile?: string | undefined
}

/** Stays below 1 MiB, GitHub's limit per step: drops details first, then table rows. */
export const summary = (report: Report, options: MarkdownOptions = {}): string =>
  withinSize(fullFirst, 1_000_000, (measure) => document(report, options, measure))

/** At most 65,536 characters, GitHub's limit. The invisible `marker` identifies the comment in later runs. */
export const comment = (report: Report, options: MarkdownOptions & { readonly marker: string }): string =>
  `${formatMarker(options.marker)}\n${withinSize(shortFirst, 65_000, (measure) => document(report, options, measure))}`

/** The text of a comment after all its leaks are resolved. */
export const resolved = (
  report: Report,
  options: Pick<MarkdownOptions, "part"> & { readonly marker: string }
): string =>
  [
    formatMarker(options.marker),
    "## ✅ Resolved: no leak is found any more",
    "",
    ...partLine(options),
    `The leaks that this comment reported were rotated, removed or ignored. ${searchedSentence(report)}`,
    ""
  ].join("\n")

interface Measure {
  /** Maximum rows per table. */
  readonly rows: number
  /** Number of leaks with details. */
  readonly details: number
  /** Maximum pieces of evidence, and locations, per leak with details. */
  readonly evidence: number
}

/** Pieces of evidence that are visible; the others are collapsed. */
const atAGlance = 10

const fullFirst: ReadonlyArray<Measure> = [
  { rows: 500, details: 500, evidence: 100 },
  { rows: 500, details: 200, evidence: 20 },
  { rows: 500, details: 100, evidence: 10 },
  { rows: 300, details: 50, evidence: 5 },
  { rows: 200, details: 20, evidence: 3 },
  { rows: 50, details: 5, evidence: 3 },
  { rows: 20, details: 0, evidence: 0 },
  { rows: 0, details: 0, evidence: 0 }
]

const shortFirst: ReadonlyArray<Measure> = [
  { rows: 50, details: 20, evidence: 5 },
  { rows: 50, details: 10, evidence: 3 },
  { rows: 30, details: 3, evidence: 3 },
  { rows: 15, details: 0, evidence: 0 },
  { rows: 5, details: 0, evidence: 0 },
  { rows: 0, details: 0, evidence: 0 }
]

const partLine = ({ part }: Pick<MarkdownOptions, "part">): ReadonlyArray<string> =>
  part === undefined ? [] : [`Checked: ${code(part)}`, ""]

const document = (report: Report, options: MarkdownOptions, measure: Measure): string => {
  const countingLeaks = counting(report)
  const rest = report.leaks.filter(({ counts }) => !counts)
  const ofLeaks = (leaks: ReadonlyArray<Leak>) =>
    leaks
      .slice(0, measure.details)
      // The details of a single leak are expanded.
      .map((leak) => details(leak, options, measure, countingLeaks.length === 1 && leak.counts))
  return [
    `## ${signs[report.verdict]} ${headline(report)}`,
    "",
    ...partLine(options),
    lead(report),
    "",
    ...(report.skipped === null ? [] : [code(report.skipped), ""]),
    ...(countingLeaks.length === 0 ? [] : [leakTable(countingLeaks, options, measure), "", ...whatToDo(report.leaks)]),
    ...(countingLeaks.length === 0 || measure.details === 0 ? [] : ["### What was seen", ""]),
    ...ofLeaks(countingLeaks),
    ...section(`Reported, but not counted (${rest.length})`, rest, [notCountedTable(rest, options, measure)]),
    ...(countingLeaks.length === 0 ? whatToDo(rest) : []),
    ...ofLeaks(rest),
    ...section(
      `Not searched (${report.unsearched.length})`,
      report.unsearched,
      unsearchedList(report, options, measure)
    ),
    ...section(`Could not be read (${report.gaps.length})`, report.gaps, list(report.gaps, measure)),
    ...section(
      "Named secrets that were not sent",
      namedIneligible(report),
      some(namedIneligible(report), measure.rows, ({ name, reason }) => `- ${code(name)}: ${reason}`)
    ),
    ...section("Ignore file", report.ignore, ignoreList(report, measure)),
    ...section(`Notes (${report.notices.length})`, report.notices, list(report.notices, measure)),
    ...aboutThisRun(report)
  ].join("\n")
}

const section = (title: string, of: ReadonlyArray<unknown>, lines: ReadonlyArray<string>) =>
  of.length === 0 ? [] : [`### ${title}`, "", ...lines, ""]

/**
 * The steps for all leaks, without duplicates. If replacements differ, the table of counting leaks has them instead.
 */
const whatToDo = (leaks: ReadonlyArray<Leak>) => {
  const toResolve = leaks.filter(({ ignored }) => ignored === null)
  const values = toResolve.filter(({ subject }) => subject.type === "value")
  const domains = toResolve.filter(({ subject }) => subject.type === "domain")
  const replacementsOf = (some: ReadonlyArray<Leak>) => new Set(some.flatMap((leak) => stepsFor(leak).slice(0, 1)))
  const inTable = replacementsOf(values.filter(({ counts }) => counts))
  const steps = new Set([
    ...(inTable.size > 1 ? [replaceEach] : inTable),
    ...replacementsOf(values.filter(({ counts }) => !counts)),
    ...values.flatMap((leak) => stepsFor(leak).slice(1)),
    ...domains.flatMap(stepsFor)
  ])
  return section(
    "What to do",
    toResolve,
    Array.from(steps, (step, index) => `${index + 1}. ${step}`)
  )
}

const replaceEach = "Treat each value as compromised, and replace it as the table says."

const lead = (report: Report) => {
  if (report.verdict === "clean" && report.searches === 0) return searchedSentence(report)
  if (report.verdict !== "leaked") return `${sentences[report.verdict]} ${searchedSentence(report)}`
  const left = report.unsearched.length
  return [
    sentences.leaked,
    ...(left === 0 ? [] : [`**${counted(left, "target")} ${left === 1 ? "was" : "were"} not fully searched.**`])
  ].join(" ")
}

const aboutThisRun = ({ ineligible, plan, planned, quotaRemaining, searches, settings }: Report) => [
  "<details><summary>About this run</summary>",
  "",
  `- Plan: ${code(plan)}`,
  `- Searches: ${searches}${quotaRemaining === null ? "" : `, ${quotaRemaining} of the quota remain`}`,
  ...(planned.knownClean === 0 ? [] : [`- Found clean in an earlier run, not searched again: ${planned.knownClean}`]),
  ...(ineligible.length === 0 ? [] : [`- Values that are not worth a search and were not sent: ${ineligible.length}`]),
  `- What counts: credentials, and events of severity ${settings.minSeverity} or higher. ${domainLeaks(settings)}`,
  "",
  "</details>",
  ""
]

const signs = { leaked: "🔴", incomplete: "🟠", clean: "🟢", skipped: "⚪" } as const

const sentences = {
  leaked:
    "**Assume that attackers have what is listed here.** Start with the most severe; steps and evidence follow the table.",
  incomplete: "**This is not a clean result:** what was not searched or not read may have leaked.",
  clean: "Nothing that counts was found in leaked data.",
  skipped: "**This is not a clean result:** nothing was searched."
} as const

const domainLeaks = ({ domainLeaks, since }: Report["settings"]) =>
  ({
    fail: `Leaks of domains count from ${since.slice(0, 10)} on`,
    warn: "Leaks of domains are reported and do not count",
    off: "Domains are not searched"
  })[domainLeaks]

const searchedSentence = ({ planned: { domains, knownClean, values }, searches }: Report) => {
  const targets = [
    ...(values > 0 ? [counted(values, "value")] : []),
    ...(domains > 0 ? [counted(domains, "domain")] : [])
  ]
  if (targets.length > 0) return `${targets.join(" and ")} to search, ${counted(searches, "search")} made.`
  return knownClean > 0
    ? `All ${counted(knownClean, "target")} were found clean in an earlier run.`
    : "What was checked contains nothing to search for."
}

const leakTable = (leaks: ReadonlyArray<Leak>, options: MarkdownOptions, { rows }: Measure) =>
  table(["Severity", "What leaked", "Where in the code", "Seen in", "What to do"], leaks, rows, (leak) => [
    severity(leak),
    title(leak.subject),
    where(leak.subject, options),
    formatSightings(leak),
    adviceFor(leak)[0]?.at(-1) ?? ""
  ])

const notCountedTable = (leaks: ReadonlyArray<Leak>, options: MarkdownOptions, { rows }: Measure) =>
  table(["Severity", "What leaked", "Where in the code", "Seen in", "Why it does not count"], leaks, rows, (leak) => [
    severity(leak),
    title(leak.subject),
    where(leak.subject, options),
    formatSightings(leak),
    leak.ignored === null
      ? (leak.notCountedReason ?? "")
      : `ignored until ${leak.ignored.expires}: ${code(leak.ignored.reason)}`
  ])

/** A reason that all entries share is only given once. */
const unsearchedList = ({ skipped, unsearched }: Report, options: MarkdownOptions, { rows }: Measure) => {
  const [reason, ...others] = new Set(unsearched.map(({ detail }) => detail))
  const common = others.length === 0 ? reason : undefined
  return [
    ...(common === undefined || common === skipped ? [] : [code(common), ""]),
    table(
      ["What", "Where in the code", "Missing", ...(common === undefined ? ["Why"] : [])],
      unsearched,
      rows,
      ({ detail, missing, subject }) => [
        title(subject),
        where(subject, options),
        missing.join(" and "),
        ...(common === undefined ? [code(detail)] : [])
      ]
    )
  ]
}

const table = <A>(
  head: ReadonlyArray<string>,
  items: ReadonlyArray<A>,
  limit: number,
  cells: (item: A) => ReadonlyArray<string>
) =>
  [
    `| ${head.join(" | ")} |`,
    `|${" --- |".repeat(head.length)}`,
    ...items.slice(0, limit).map((item) => `| ${cells(item).join(" | ")} |`),
    ...(items.length > limit ? ["", `… and ${items.length - limit} more, in the JSON report.`] : [])
  ].join("\n")

const details = (leak: Leak, options: MarkdownOptions, measure: Measure, isOpen: boolean) => {
  const { subject } = leak
  const places = subject.type === "value" ? subject.locations : []
  const names = subject.type === "value" ? namesOf(subject) : []
  return [
    `<details${isOpen ? " open" : ""}><summary>${severity(leak)}: ${heading(subject)}</summary>`,
    "",
    `Seen: ${[sightings(leak), period(leak)].filter((part) => part !== "").join(", ")}.`,
    "",
    ...(leak.common === null ? [] : [`A common value: ${leak.common}.`, ""]),
    ...(names.length > 1 ? [`Also named ${names.slice(1, 10).map(code).join(", ")}.`, ""] : []),
    ...(places.length > 1 ? listed("In the code", places, measure, (place) => link(place, options)) : []),
    ...listed("Credentials", leak.credentials, measure, credentialLine),
    ...listed("Events", leak.events, measure, eventLine),
    ...(leak.ignored === null
      ? [
          `Once the leak is resolved, add this entry to ${code(options.ignoreFile ?? ".threat-exposure-ignore.yml")}:`,
          "",
          "```yaml",
          ignoreEntry(leak.fingerprint),
          "```",
          ""
        ]
      : []),
    "</details>",
    ""
  ].join("\n")
}

const listed = <A>(title: string, all: ReadonlyArray<A>, { evidence }: Measure, line: (item: A) => string) => {
  const [shown, folded] = [all.slice(0, atAGlance), all.slice(atAGlance)]
  const lines = (items: ReadonlyArray<A>, limit: number) => some(items, limit, (item) => `- ${line(item)}`)
  if (all.length === 0) return []
  if (folded.length === 0 || evidence <= atAGlance) return [`${title}:`, "", ...lines(all, evidence), ""]
  return [
    `${title}:`,
    "",
    ...lines(shown, atAGlance),
    "",
    `<details><summary>${folded.length} more</summary>`,
    "",
    ...lines(folded, evidence - atAGlance),
    "",
    "</details>",
    ""
  ]
}

const credentialLine = ({ account, importedAt, source, usedAt }: CredentialEvidence) =>
  [
    code(account),
    ...(source?.name == null ? [] : [`in ${code(source.name)}`]),
    ...(source?.breachedAt == null ? [] : [`breached ${source.breachedAt.slice(0, 10)}`]),
    ...(source?.leakedAt == null ? [] : [`leaked ${source.leakedAt.slice(0, 10)}`]),
    ...(importedAt === null ? [] : [`imported ${importedAt.slice(0, 10)}`]),
    ...(usedAt.length === 0 ? [] : [`used at ${usedAt.map(code).join(" ")}`])
  ].join(", ")

const eventLine = (event: EventEvidence) =>
  [
    [
      `${circles[event.severity]} ${event.severity} ${code(typeOf(event))}`,
      ...(event.title === null ? [] : [code(event.title)]),
      ...(event.estimatedCreatedAt === null ? [] : [event.estimatedCreatedAt.slice(0, 10)]),
      event.link === null ? code(event.uid) : `[open in the service](${address(event.link)})`
    ].join(", "),
    ...event.highlights.map(({ field, text }) => `  - ${code(field)}: ${code(text)}`)
  ].join("\n")

const ignoreList = (report: Report, { rows }: Measure) =>
  some(
    report.ignore,
    rows,
    ({ by, expires, fingerprint, isAdded, reason, state }) =>
      `- \`${fingerprint}\` ${ignoreState({ expires, state })}: ${code(reason)}${by === null ? "" : `, by ${code(by)}`}${isAdded ? " (**added by this change**)" : ""}`
  )

const list = (sentences: ReadonlyArray<string>, { rows }: Measure) =>
  some(sentences, rows, (sentence) => `- ${code(sentence)}`)

const some = <A>(all: ReadonlyArray<A>, limit: number, line: (item: A) => string) => [
  ...all.slice(0, limit).map(line),
  ...(all.length > limit ? [`- … and ${all.length - limit} more, in the JSON report`] : [])
]

const severity = (leak: Leak) =>
  `${circles[leak.severity]}&nbsp;${leak.severity}${leak.common === null ? "" : " (common value)"}`

const circles = { critical: "🔴", high: "🟠", medium: "🟡", low: "🔵", info: "⚪" } as const

const title = (subject: Subject) => titleOf(subject, code)

/** The title and the first location as HTML, because a summary element takes no Markdown. */
const heading = (subject: Subject) => {
  const [place] = subject.type === "value" ? subject.locations : []
  const asCode = (text: string) => `<code>${markup(text)}</code>`
  return `${titleOf(subject, asCode)}${place === undefined ? "" : ` at ${asCode(placeOf(place))}`}`
}

const where = (subject: Subject, options: MarkdownOptions) => {
  if (subject.type === "domain") return "–"
  const [first, ...more] = subject.locations
  if (first === undefined) return "named secret"
  return `${link(first, options)}${more.length === 0 ? "" : ` and ${counted(more.length, "more place")}`}`
}

const formatSightings = (leak: Leak) => {
  const sources = sourcesOf(leak)
  const seen =
    sources.length === 0
      ? sightings(leak)
      : `${sources.slice(0, 3).map(code).join(", ")}${sources.length > 3 ? " …" : ""}`
  return leak.lastSeen === null ? seen : `${seen}, last ${leak.lastSeen.slice(0, 10)}`
}

const link = (location: Location, { commit, repositoryUrl }: MarkdownOptions) => {
  const text = code(placeOf(location))
  const since = location.removed ? " (removed since)" : ""
  const at = isElsewhere(location) ? location.commit : commit
  if (repositoryUrl === undefined || at == null) return `${text}${since}`
  if (isBesideFiles(location.path)) return `[${text}](${address(`${repositoryUrl}/commit/${at}`)})`
  return `[${text}](${address(`${repositoryUrl}/blob/${at}/${uriOf(location.path)}#L${location.line}`)})${since}`
}

const formatMarker = (marker: string) => `<!-- ${marker.replaceAll("--", "")} -->`
