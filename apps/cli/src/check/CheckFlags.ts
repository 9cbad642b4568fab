/** The flags of `check`. Every command loads this module, so it imports nothing that only a check needs. */
import { type SettingName, settingDefaults, settingHelp } from "@threat-exposure/leak-check/config/SettingHelp"
import { severities } from "@threat-exposure/core/domain/Severity"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import { switchFlag } from "@threat-exposure/command-line/SwitchFlag"
import { listFlag, optionalText } from "../request/Flags.ts"
import { nonEmptyText } from "@threat-exposure/command-line/NonEmptyText"

type Name = Exclude<SettingName, ActionSetting | "scan"> | "config-file"

/** Settings of the action that `check` has no flag for; `--output` replaces some of them. */
type ActionSetting = "annotations" | "summary" | "comment" | "cache" | "sarif-file" | "report-file"

const describeFlag = (name: Exclude<Name, "config-file">) => {
  const defaults: Readonly<Partial<Record<string, string | number | boolean>>> = settingDefaults
  const preset = defaults[name]
  return `${settingHelp[name].description}${preset === undefined ? "" : ` Default: ${preset}.`}`
}

const text = (name: Exclude<Name, "config-file">, metavar: string) => optionalText(name, metavar, describeFlag(name))

/** A flag that may be repeated, and whose value may itself be a list. */
const list = (name: "domains" | "login-domains" | "paths" | "exclude" | "include", metavar: string) =>
  nonEmptyText(name, metavar).pipe(
    Flag.atLeast(0),
    Flag.map((values) => (values.length === 0 ? Option.none<string>() : Option.some(values.join("\n")))),
    Flag.withDescription(describeFlag(name))
  )

const choice = (
  name: "fail-on" | "min-severity" | "domain-leaks" | "on-incomplete",
  values: ReadonlyArray<string>,
  more = ""
) =>
  Flag.Literals(name, values).pipe(
    Flag.withMetavar("CHOICE"),
    Flag.optional,
    Flag.withDescription(`${describeFlag(name)}${more}`)
  )

/** The settings of docs/action.md: a flag overrides its variable, and a variable overrides the config file. */
const settingFlags: Readonly<Record<Name, Flag.Flag<Option.Option<string>>>> = {
  domains: list("domains", "LIST"),
  "login-domains": list("login-domains", "LIST"),
  paths: list("paths", "GLOBS"),
  exclude: list("exclude", "GLOBS"),
  include: list("include", "LIST"),
  "fail-on": choice(
    "fail-on",
    ["any", "credentials", "events", "none", "candidates"],
    " The value candidates needs --offline."
  ),
  "min-severity": choice("min-severity", severities),
  since: text("since", "WHEN"),
  "domain-leaks": choice("domain-leaks", ["fail", "warn", "off"]),
  "max-candidates": text("max-candidates", "N"),
  "reading-deadline": text("reading-deadline", "SPAN"),
  "max-searches": text("max-searches", "N"),
  "quota-reserve": text("quota-reserve", "N"),
  deadline: text("deadline", "SPAN"),
  "on-incomplete": choice("on-incomplete", ["fail", "warn"]),
  "ignore-file": text("ignore-file", "FILE"),
  "config-file": optionalText(
    "config-file",
    "FILE",
    "Config file for the settings that are not set here. Default: the first that exists of .threat-exposure.yml and .github/threat-exposure.yml."
  )
}

export type SettingFlagValues = Readonly<Record<Name, Option.Option<string>>>

export const settingFlagNames = Record.keys(settingFlags)

export const noSettingFlags: SettingFlagValues = Record.map(settingFlags, () => Option.none())

export const outputFormats = [
  "console",
  "json",
  "markdown",
  "sarif",
  "junit",
  "gitlab-secret-detection",
  "gitlab-codequality"
] as const
export type OutputFormat = (typeof outputFormats)[number]

export const checkFlags = {
  path: Argument.String("PATH").pipe(
    Argument.optional,
    Argument.withDescription(
      "Only this file or folder, in the repository that it is in; outside of a repository, all of it. Default: the repository of the current folder"
    )
  ),
  staged: switchFlag("staged", "What is staged for the next commit"),
  push: switchFlag("push", "What a push sends; for a pre-push hook, which gets the refs on standard input"),
  range: optionalText("range", "A..B", "The lines that commits in B but not in A add"),
  tree: switchFlag("tree", "Every file that git tracks or does not ignore"),
  history: switchFlag("history", "Every line that was ever added, on all branches and tags"),
  stdin: switchFlag("stdin", "Standard input: a dotenv file, a flat JSON object, or any text"),
  secretEnv: listFlag("secret-env", "LIST", "Variables with values to check"),
  secretsFile: optionalText("secrets-file", "FILE", "A dotenv file or a flat JSON object with values to check"),
  findings: nonEmptyText("findings", "FILE").pipe(
    Flag.atLeast(0),
    Flag.withDescription(
      "Findings of another scanner: gitleaks, betterleaks, trufflehog, kingfisher, titus or Nosey Parker, in JSON or JSON lines; may be repeated"
    )
  ),
  machine: switchFlag(
    "machine",
    "Files of your home folder that hold secrets and that stealers look for: settings, keys, histories, transcripts of coding agents, exported passwords. They are listed before they are read"
  ),
  yes: switchFlag("yes", "With --machine: search without asking; needed where nobody can be asked"),
  settings: settingFlags,
  offline: switchFlag("offline", "List the candidates without searching for them; needs no token"),
  output: Flag.String("output").pipe(
    Flag.withMetavar("FORMAT[=FILE]"),
    Flag.atLeast(0),
    Flag.withDescription(
      `Report format (${outputFormats.join(", ")}), written to a file or to standard output; may be repeated`
    )
  )
}

export type CheckFlagValues = {
  readonly [Name in Exclude<keyof typeof checkFlags, "settings">]: (typeof checkFlags)[Name] extends
    | Flag.Flag<infer Value>
    | Argument.Argument<infer Value>
    ? Value
    : never
} & { readonly settings: SettingFlagValues }
