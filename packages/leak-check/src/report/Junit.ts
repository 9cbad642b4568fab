/** The report as JUnit XML, which the test views of most CI systems display. */
import type { Leak, Location, Report } from "../Report.ts"
import { stepsFor } from "./Advice.ts"
import { markup } from "./Escape.ts"
import { withinSize } from "./SizeLimit.ts"
import { headline, placeOf, titleOf, whereSeen } from "./ReportText.ts"

/** A leak that counts is a failure, and one that does not is skipped; anything not searched or not read is an error. */
export const junit = (report: Report): string => withinSize(limits, maxBytes, (most) => suite(report, most))

const maxBytes = 20_000_000
const limits = [20_000, 5000, 1000, 100]

type Outcome = "failure" | "error" | "skipped"

interface TestCase {
  readonly name: string
  readonly location: Location | undefined
  readonly outcome: Outcome | undefined
  readonly message: string
}

const suite = (report: Report, most: number): string => {
  const all = casesOf(report)
  const count = (outcome: Outcome) => all.filter((one) => one.outcome === outcome).length
  const totals = `tests="${all.length}" failures="${count("failure")}" errors="${count("error")}"`
  const left = all.length - most
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites name="Threat Exposure" ${totals}>`,
    `  <testsuite name="Threat Exposure" ${totals} skipped="${count("skipped")}" timestamp="${markup(report.startedAt)}" time="${seconds(report)}">`,
    ...all.slice(0, most).map(testCase),
    ...(left > 0 ? [`    <system-out>${left} more are in the JSON report.</system-out>`] : []),
    "  </testsuite>",
    "</testsuites>",
    ""
  ].join("\n")
}

const casesOf = (report: Report): ReadonlyArray<TestCase> => {
  const leaks = report.leaks.map((leak): TestCase => ({
    name: titleOf(leak.subject),
    location: leak.subject.type === "value" ? leak.subject.locations[0] : undefined,
    outcome: leak.counts ? "failure" : "skipped",
    message: messageOf(leak)
  }))
  const errors = [
    ...report.unsearched.map(({ detail, missing, subject }): TestCase => ({
      name: `Not searched: ${titleOf(subject)}`,
      location: subject.type === "value" ? subject.locations[0] : undefined,
      outcome: "error",
      message: `${missing.join(" and ")}: ${detail}`
    })),
    ...report.gaps.map((gap): TestCase => withoutLocation("Could not be read", "error", gap)),
    ...(report.skipped === null ? [] : [withoutLocation("Nothing was searched", "error", report.skipped)])
  ]
  // A file without test cases would look like a run that never happened.
  return leaks.length + errors.length === 0 ? [withoutLocation(headline(report), undefined, "")] : [...leaks, ...errors]
}

const withoutLocation = (name: string, outcome: Outcome | undefined, message: string): TestCase => ({
  name,
  location: undefined,
  outcome,
  message
})

const messageOf = (leak: Leak) =>
  [
    `Found in leaked data (${leak.severity}): ${whereSeen(leak, 5)}.`,
    ...(leak.notCountedReason === null ? stepsFor(leak) : [`It does not count: ${leak.notCountedReason}.`]),
    `Fingerprint ${leak.fingerprint}.`
  ].join(" ")

const testCase = ({ location, message, name, outcome }: TestCase): string => {
  const file = location === undefined ? "" : ` file="${markup(location.path)}" line="${location.line}"`
  const open = `    <testcase classname="threat-exposure" name="${markup(location === undefined ? name : `${name} at ${placeOf(location)}`)}"${file}`
  if (outcome === undefined) return `${open}/>`
  // Codecov takes an empty element for a passed test.
  return `${open}><${outcome} message="${markup(message)}">${markup(message)}</${outcome}></testcase>`
}

const seconds = ({ finishedAt, startedAt }: Report) =>
  Math.max(0, (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000)
