/**
 * The report as GitLab's secret detection report and as its code quality report. The first follows version 15.2.1 of
 * https://gitlab.com/gitlab-org/security-products/security-report-schemas, the second
 * https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format.
 */
import { counted } from "../Counted.ts"
import type { Severity } from "@threat-exposure/core/domain/Severity"
import type { Leak, Location, Report } from "../Report.ts"
import { stepsFor } from "./Advice.ts"
import { code } from "./Escape.ts"
import { withinSize } from "./SizeLimit.ts"
import { headline, kindOf, shortfalls, titleOf, whereSeen } from "./ReportText.ts"

export interface SecretDetectionOptions {
  readonly toolVersion: string
  /** The commit that the locations refer to, if known. */
  readonly commit?: string | undefined
}

export const secretDetection = (report: Report, options: SecretDetectionOptions): string =>
  withinSize(limits, maxBytes, (most) => `${JSON.stringify(detection(report, options, most), null, 2)}\n`)

export const codeQuality = (report: Report): string =>
  withinSize(limits, maxBytes, (most) => `${JSON.stringify(issues(report, most), null, 2)}\n`)

const maxBytes = 10_000_000
/** Maximum numbers of findings, tried in this order until the report fits. */
const limits = [10_000, 2000, 500, 100]

/** Maximum locations per leak. Each is a separate finding, because GitLab shows one location per finding. */
const maxPlaces = 20

interface Finding {
  readonly leak: Leak
  /** Undefined for a domain, and for a secret that was only given by name. */
  readonly location: Location | undefined
  /** Stable between runs, and different for each location. */
  readonly id: string
}

/** Resolved leaks are excluded. */
const findingsOf = (report: Report): ReadonlyArray<Finding> =>
  report.leaks
    .filter(({ ignored }) => ignored === null)
    .flatMap((leak): ReadonlyArray<Finding> => {
      const places = leak.subject.type === "value" ? leak.subject.locations.slice(0, maxPlaces) : []
      return places.length === 0
        ? [{ leak, location: undefined, id: leak.fingerprint }]
        : places.map((location, index) => ({
            leak,
            location,
            id: index === 0 ? leak.fingerprint : `${leak.fingerprint}-${index + 1}`
          }))
    })

/** Why the report is incomplete; empty if it is complete. */
const warningsOf = (report: Report, left: number): ReadonlyArray<string> => [
  ...(left > 0 ? [`${counted(left, "finding")} left out: the JSON report has all`] : []),
  ...shortfalls(report).slice(0, 100)
]

const detection = (report: Report, { commit, toolVersion }: SecretDetectionOptions, most: number) => {
  const findings = findingsOf(report)
  const warnings = warningsOf(report, findings.length - most)
  const tool = {
    id: "threat-exposure",
    name: "Threat Exposure",
    version: toolVersion,
    vendor: { name: "Threat Exposure" }
  }
  return {
    version: "15.2.1",
    schema:
      "https://gitlab.com/gitlab-org/security-products/security-report-schemas/-/raw/v15.2.1/dist/secret-detection-report-format.json",
    scan: {
      analyzer: tool,
      scanner: tool,
      type: "secret_detection",
      status: warnings.length === 0 ? "success" : "failure",
      start_time: withoutZone(report.startedAt),
      end_time: withoutZone(report.finishedAt),
      messages: warnings.map((value) => ({ level: "warn", value }))
    },
    vulnerabilities: findings.slice(0, most).map(({ id, leak, location }) => ({
      id,
      name: `Leaked ${kindOf(leak.subject)}`.slice(0, 255),
      description: messageOf(leak),
      severity: capitalised[leak.severity],
      solution: stepsFor(leak).join(" ").slice(0, 7000),
      identifiers: [
        // GitLab distinguishes findings by the first identifier: two leaks on one line are two findings.
        { type: "threat_exposure_fingerprint", name: `Threat Exposure ${leak.fingerprint}`, value: leak.fingerprint },
        { type: "cwe", name: "CWE-798", value: "798", url: "https://cwe.mitre.org/data/definitions/798.html" }
      ],
      location: {
        commit: { sha: location?.commit ?? commit ?? "0000000" },
        ...(location === undefined
          ? {}
          : { file: location.path, start_line: location.line, end_line: location.endLine })
      }
    }))
  }
}

const issues = (report: Report, most: number) => {
  const findings = findingsOf(report)
  const warnings = warningsOf(report, findings.length - most)
  return [
    ...findings.slice(0, most).map(({ id, leak, location }) => ({
      description: `Leaked: ${titleOf(leak.subject)}. ${sentencesOf(leak)}`,
      check_name: `leaked-${kindOf(leak.subject).replaceAll(" ", "-")}`,
      fingerprint: id,
      severity: leak.counts ? qualityOf[leak.severity] : "info",
      location: { path: location?.path ?? pipelineFile, lines: { begin: location?.line ?? 1 } }
    })),
    // The format has no other place for warnings, and an empty list would look like a clean result.
    ...(warnings.length === 0
      ? []
      : [
          {
            description: `${headline(report)}. ${warnings.slice(0, 3).join("; ")}`,
            check_name: "threat-exposure-incomplete",
            fingerprint: "threat-exposure-incomplete",
            severity: "major",
            location: { path: pipelineFile, lines: { begin: 1 } }
          }
        ])
  ]
}

/** The path for findings without a location: the file that names the secrets and domains. */
const pipelineFile = ".gitlab-ci.yml"

/** Formats the message of a leak in GitLab Flavored Markdown. */
const messageOf = (leak: Leak) => `${titleOf(leak.subject, code)}. ${sentencesOf(leak, code)}`

const sentencesOf = (leak: Leak, asName?: (name: string) => string) =>
  [
    `Found in leaked data (${leak.severity}): ${whereSeen(leak, 5, asName)}.`,
    ...(leak.notCountedReason === null ? [] : [`It does not count: ${leak.notCountedReason}.`]),
    `Fingerprint ${leak.fingerprint}.`
  ].join(" ")

/** `yyyy-mm-ddThh:mm:ss`, in UTC. */
const withoutZone = (time: string) => time.slice(0, 19)

const capitalised: Readonly<Record<Severity, string>> = {
  info: "Info",
  low: "Low",
  medium: "Medium",
  high: "High",
  critical: "Critical"
}

const qualityOf: Readonly<Record<Severity, string>> = {
  info: "info",
  low: "minor",
  medium: "major",
  high: "critical",
  critical: "blocker"
}
