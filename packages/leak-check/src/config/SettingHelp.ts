/** Defaults and descriptions of settings. Only data, because this module is loaded before a check. */

/** The default config files: the first that exists is read, unless the caller names one. */
export const configFiles = [".threat-exposure.yml", ".github/threat-exposure.yml"] as const

/** Default values, if neither the caller nor the config file sets one. */
export const settingDefaults = {
  scan: "changes",
  "fail-on": "any",
  "min-severity": "low",
  since: "30d",
  "max-candidates": 50_000,
  "reading-deadline": "30m",
  "max-searches": 200,
  "quota-reserve": 0,
  deadline: "10m",
  "on-incomplete": "fail",
  "ignore-file": ".threat-exposure-ignore.yml",
  annotations: true,
  summary: true,
  comment: false,
  cache: true
} as const

export interface SettingHelp {
  readonly description: string
  /** The end of "it must be …". */
  readonly mustBe: string
  /** Environment variable with the value, if it is not given. */
  readonly variable?: string
  /** Set if messages must never show the value. */
  readonly secret?: true
}

export const settingHelp = {
  domains: {
    description: "Domains of the organisation's addresses, one per line or comma-separated.",
    mustBe: "host names such as `example.com`, one per line or comma-separated"
  },
  "login-domains": {
    description:
      "Domains where the organisation's users log in, one per line or comma-separated. Finds leaked accounts that were used there, whatever their address is.",
    mustBe: "host names such as `login.example.com`, one per line or comma-separated"
  },
  paths: {
    description: "Globs of the files to read, one per line or comma-separated. Default: all files.",
    mustBe: "globs such as `src/**`, one per line or comma-separated"
  },
  exclude: {
    description: "Globs of the files not to read, one per line or comma-separated.",
    mustBe: "globs such as `docs/**`, one per line or comma-separated"
  },
  include: {
    description:
      "Search values in tests, in documentation, or in both too, after the rest: most of them are made up. Default: neither.",
    mustBe: "`tests`, `docs`, or both, one per line or comma-separated"
  },
  scan: {
    description: "What to scan: the lines that the event adds, the whole tree, the whole history, or nothing.",
    mustBe: "`changes`, `tree`, `history` or `none`"
  },
  "fail-on": {
    description: "Which leaks fail the check.",
    mustBe: "`any`, `credentials`, `events` or `none`"
  },
  "min-severity": {
    description: "Events below this severity do not count as leaks.",
    mustBe: "`info`, `low`, `medium`, `high` or `critical`"
  },
  since: {
    description: "Leaks of domains and login domains that were imported or created earlier do not count.",
    mustBe: "a past date (`2026-01-31`), a date-time (`2026-01-31T08:00:00Z`) or a span before now (`12h`, `30d`, `4w`)"
  },
  "domain-leaks": {
    description:
      "Whether leaks of domains and login domains count, are only reported, or are not searched. Default: `warn` in a pull request and a merge group, `fail` elsewhere.",
    mustBe: "`fail`, `warn` or `off`"
  },
  "max-candidates": {
    description: "Maximum number of candidates that a scan collects; beyond it, the check is incomplete.",
    mustBe: "a whole number, 0 or more"
  },
  "reading-deadline": {
    description: "Time limit for reading the code; what is not read by then makes the check incomplete.",
    mustBe: "a span such as `90s`, `30m` or `1h`"
  },
  "max-searches": {
    description: "Maximum number of search requests. Retries do not count.",
    mustBe: "a whole number, 0 or more"
  },
  "quota-reserve": {
    description: "Units of the search quota to leave unused.",
    mustBe: "a whole number, 0 or more"
  },
  deadline: {
    description: "Time limit for all searches.",
    mustBe: "a span such as `90s`, `10m` or `1h`"
  },
  "on-incomplete": {
    description: "Whether the check fails if something could not be searched.",
    mustBe: "`fail` or `warn`"
  },
  "ignore-file": {
    description: "File that lists the fingerprints of resolved leaks.",
    mustBe: "a path in the repository"
  },
  annotations: { description: "Annotate the lines that contain leaked values.", mustBe: "`true` or `false`" },
  summary: { description: "Write the job summary.", mustBe: "`true` or `false`" },
  comment: {
    description: "Comment on the pull request if something leaked, and keep the comment up to date.",
    mustBe: "`true` or `false`"
  },
  cache: { description: "Remember for seven days which values were found clean.", mustBe: "`true` or `false`" },
  "sarif-file": { description: "Write the findings as SARIF 2.1.0 to this file.", mustBe: "a path in the repository" },
  "report-file": { description: "Write the findings as JSON to this file.", mustBe: "a path in the repository" }
} as const satisfies Readonly<Record<string, SettingHelp>>

export type SettingName = keyof typeof settingHelp
