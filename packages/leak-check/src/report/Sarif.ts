/** The report as SARIF 2.1.0, for GitHub code scanning. */
import { counted } from "../Counted.ts"
import { Effect } from "effect"
import { isComplete, type Leak, type Location, type Report } from "../Report.ts"
import { ignoreEntry, stepsFor } from "./Advice.ts"
import { uriOf } from "./Escape.ts"
import { kindOf, nameOf, period, placeOf, shortfalls, sightings, sourcesOf, whatOf } from "./ReportText.ts"

export interface SarifOptions {
  /** Path for findings that are in no file: the workflow that names the secret or the domain. */
  readonly workflowPath: string
  readonly toolVersion: string
}

/** The report with the `most` most severe leaks; default: all. */
export const sarif = (report: Report, options: SarifOptions, most = Infinity): string => {
  const rules = Array.from(new Set(report.leaks.map(ruleIdOf)))
  const results = report.leaks.slice(0, most).map((leak) => resultOf(leak, rules, options))
  return JSON.stringify(log(report, rules, results, options))
}

/** A SARIF file within GitHub's limits, and the number of leaks that it leaves out. */
export interface UploadableSarif {
  readonly text: string
  readonly leftOut: number
}

/**
 * Includes as many of the most severe leaks as GitHub accepts: 25,000 results, and 10 MB after compression. A second
 * file would need its own category, and alerts would be closed and reopened as leaks move between the files.
 */
export const uploadable = Effect.fn("Sarif.uploadable")(function* (
  report: Report,
  options: SarifOptions
): Effect.fn.Return<UploadableSarif> {
  let most = Math.min(report.leaks.length, maxResults)
  for (;;) {
    const text = sarif(report, options, most)
    const bytes = yield* compressedBytes(text)
    if (bytes <= maxBytes || most === 0) return { text, leftOut: report.leaks.length - most }
    most = Math.floor(most * Math.min(0.95, maxBytes / bytes))
  }
})

const maxResults = 25_000

/** Half a megabyte below the limit, because GitHub's compression may be less effective. */
const maxBytes = 9_500_000

const compressedBytes = (text: string) =>
  // A character has at most three bytes, and compression adds about twenty in total.
  text.length * 3 < maxBytes
    ? Effect.succeed(0)
    : Effect.promise(async () => {
        const compressed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))
        return (await new Response(compressed).arrayBuffer()).byteLength
      })

const maxRelated = 20

/** Related locations that the message links to; code scanning only shows those. */
const maxLinked = 5

const log = (report: Report, rules: ReadonlyArray<string>, results: ReadonlyArray<object>, options: SarifOptions) => {
  const isDone = report.verdict === "clean" || report.verdict === "leaked"
  const cut = report.leaks.length - results.length
  const notes = [
    ...(cut > 0 ? [`${counted(cut, "leak")} left out, the least severe: GitHub takes no more`] : []),
    ...shortfalls(report)
  ]
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "Threat Exposure",
            informationUri: "https://github.com/threat-exposure/threat-exposure",
            version: options.toolVersion,
            semanticVersion: options.toolVersion,
            rules: rules.map((id) => ruleOf(id, report.leaks))
          }
        },
        automationDetails: { id: "threat-exposure/" },
        columnKind: "utf16CodeUnits",
        invocations: [
          {
            executionSuccessful: isDone && isComplete(report),
            toolExecutionNotifications: notes.slice(0, 100).map((text) => ({ level: "warning", message: { text } }))
          }
        ],
        results,
        properties: { verdict: report.verdict, searches: report.searches, unsearched: report.unsearched.length }
      }
    ]
  }
}

const ruleIdOf = ({ subject }: Leak) =>
  subject.type === "value"
    ? `leaked-${subject.kind}`
    : subject.searchedBy === "login"
      ? "leaked-login-domain"
      : "leaked-domain"

const ruleOf = (id: string, leaks: ReadonlyArray<Leak>) => {
  const leak = leaks.find((leak) => ruleIdOf(leak) === id)
  const kind = leak === undefined ? "value" : kindOf(leak.subject)
  const steps = leak === undefined ? [] : stepsFor({ subject: withoutRules(leak) })
  const isDomain = leak?.subject.type === "domain"
  const handled = "Once the leak is resolved, add the fingerprint in the result to the ignore file."
  return {
    id,
    name: id.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: {
      text: isDomain ? `Accounts of a ${kind} found in leaked data` : `A ${kind} found in leaked data`
    },
    fullDescription: {
      text: isDomain
        ? `Accounts or data of a ${kind} of the organisation turned up in leaked data.`
        : `A ${kind} that the repository uses turned up in leaked data, so attackers may have it.`
    },
    help: {
      text: [...steps, handled].join("\n"),
      markdown: [
        ...steps.map((step, index) => `${index + 1}. ${step}`),
        "",
        handled,
        "",
        "```yaml",
        ignoreEntry("0123456789abcdef"),
        "```"
      ].join("\n")
    },
    defaultConfiguration: { level: "error" },
    properties: {
      tags: ["security", "leak", ...(isDomain ? [] : ["external/cwe/cwe-798"])],
      precision: "high",
      "problem.severity": "error",
      "security-severity": isDomain ? "6.5" : "9.1"
    }
  }
}

/** Without provider, because one rule describes all leaks of a kind. */
const withoutRules = ({ subject }: Leak): Leak["subject"] =>
  subject.type === "domain"
    ? subject
    : Object.assign({}, subject, {
        names: [],
        locations: subject.locations.slice(0, 1).map((location) => Object.assign({}, location, { rule: "" }))
      })

const resultOf = (leak: Leak, rules: ReadonlyArray<string>, { workflowPath }: SarifOptions) => {
  const { subject } = leak
  const id = ruleIdOf(leak)
  const places = subject.type === "value" ? subject.locations : []
  const [first, ...more] = places
  return {
    ruleId: id,
    ruleIndex: rules.indexOf(id),
    level: leak.counts ? "error" : "note",
    message: { text: message(leak) },
    locations: [first === undefined ? physical(workflowPath, firstCharacter) : locationOf(first)],
    ...(more.length === 0
      ? {}
      : {
          relatedLocations: more
            .slice(0, maxRelated)
            .map((place, index) =>
              Object.assign({ id: index + 1, message: { text: "The same value" } }, locationOf(place))
            )
        }),
    // Code scanning only uses the second fingerprint; without it, two leaks on one line would be one alert.
    partialFingerprints: {
      "threatExposure/v1": leak.fingerprint,
      primaryLocationLineHash: `${leak.fingerprint}:1`
    },
    suppressions:
      leak.ignored === null
        ? []
        : [
            {
              kind: "external",
              status: "accepted",
              justification: `${leak.ignored.reason} (until ${leak.ignored.expires}${leak.ignored.by === null ? "" : `, by ${leak.ignored.by}`})`
            }
          ],
    properties: {
      severity: leak.severity,
      firstSeen: leak.firstSeen,
      lastSeen: leak.lastSeen,
      credentials: leak.credentials.length,
      events: leak.events.length
    }
  }
}

const message = (leak: Leak) => {
  const { subject } = leak
  const name = nameOf(subject)
  const sources = sourcesOf(leak).slice(0, 5)
  const text = [
    `This ${whatOf(subject)}${name === undefined ? "" : ` ${name}`} was found in leaked data (${leak.severity}): ${sightings(leak)}${sources.length === 0 ? "" : ` in ${sources.join(", ")}`}${period(leak) === "" ? "" : `, ${period(leak)}`}.`,
    ...(leak.common === null ? [] : [`Common: ${leak.common}.`]),
    ...(leak.notCountedReason === null ? stepsFor(leak).slice(0, 1) : [`It does not count: ${leak.notCountedReason}.`]),
    `Fingerprint ${leak.fingerprint}.`
  ].join(" ")
  return [escapeMarkdown(text), ...alsoAt(leak)].join(" ")
}

const alsoAt = ({ subject }: Leak) => {
  const more = subject.type === "value" ? subject.locations.slice(1) : []
  const links = more.slice(0, maxLinked).map((place, index) => `[${escapeMarkdown(placeOf(place))}](${index + 1})`)
  const rest = more.length - links.length
  return links.length === 0
    ? []
    : [`It is also at ${links.join(", ")}${rest > 0 ? ` and ${counted(rest, "more place")}` : ""}.`]
}

/** Escapes brackets and backslashes, which make links in messages, and braces, which take arguments. */
const escapeMarkdown = (text: string) =>
  text
    .replace(/[\\[\]]/g, "\\$&")
    .replaceAll("{", "{{")
    .replaceAll("}", "}}")

const locationOf = ({ column, endColumn, endLine, line, path }: Location) =>
  physical(path, { startLine: line, startColumn: column, endLine, endColumn })

const firstCharacter = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 2 }

const physical = (path: string, region: Readonly<Record<string, number>>) => ({
  physicalLocation: {
    artifactLocation: {
      uri: uriOf(path),
      uriBaseId: "%SRCROOT%"
    },
    region
  }
})
