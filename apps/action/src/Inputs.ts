/** Every input of action.yml, decoded once; `inputHelp` says of each what it is and what it may be. */
import { defaultLinkField, defaultPathPrefix } from "@threat-exposure/core/domain/ServiceNames"
import { severities } from "@threat-exposure/core/domain/Severity"
import { domainOf } from "@threat-exposure/leak-check/Target"
import { DateTime, Effect, Option, Record, Redacted, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import { decodeYaml } from "@threat-exposure/leak-check/Yaml"
import { instantOf, instantPattern, durationOf, durationPattern } from "@threat-exposure/leak-check/TimeInput"

/** One value in a list of the workflow or the config file; what is refused is told by `inputHelp`, or by `why` where that is not enough. */
const readAs = <E, T, S>(
  text: Schema.Codec<E, S>,
  type: Schema.Codec<T>,
  read: (text: E, now: DateTime.Utc) => Result.Result<T, string | undefined>
) =>
  text.pipe(
    Schema.decodeTo(type, {
      decode: SchemaGetter.transformEffect((text: E, options) =>
        Effect.flatMap(DateTime.now, (now) =>
          Effect.fromResult(
            Result.mapError(
              read(text, now),
              (message) => new SchemaIssue.InvalidValue(message === undefined ? undefined : { message }, text, options)
            )
          )
        )
      ),
      encode: SchemaGetter.forbiddenEncoding
    })
  )

/** As much of a value as an error shows, on one line. */
const shown = (value: unknown) => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing")
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").replaceAll(/\/\/[^/@]*@/gu, "//…@")
  return `\`${line.length > 80 ? `${line.slice(0, 80)}…` : line}\``
}

const orRefused = <T>(value: T | undefined) => (value === undefined ? Result.fail(undefined) : Result.succeed(value))

const Flag = Schema.Union([
  Schema.Boolean,
  readAs(Schema.Literals(["true", "True", "TRUE", "false", "False", "FALSE"]), Schema.Boolean, (text) =>
    Result.succeed(text.toLowerCase() === "true")
  )
])

const Count = Schema.Union([
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  readAs(Schema.String.check(Schema.isPattern(/^[0-9]{1,15}$/u)), Schema.Int, (text) => Result.succeed(Number(text)))
])

/** One a line, or comma-separated; a comma inside the braces of a glob separates nothing. */
const Lines = Schema.Union([
  Schema.Array(Schema.NonEmptyString),
  readAs(Schema.String, Schema.Array(Schema.String), (text) =>
    Result.succeed(
      (text.match(/(?:\{[^{}\n]*\}|[^,\n])+/gu) ?? []).map((item) => item.trim()).filter((item) => item !== "")
    )
  )
])

/** What no path in a repository can match would narrow a scan to nothing, unseen. */
const Globs = readAs(Lines, Schema.Array(Schema.String), (globs) =>
  Result.all(
    globs.map((glob): Result.Result<string, string> =>
      glob.startsWith("!")
        ? Result.fail(`${shown(glob)} is negated: \`exclude\` is for what is not to be read`)
        : leadsOut(glob.replace(/^\//u, ""))
          ? Result.fail(`${shown(glob)} leads out of the repository`)
          : /\\[^[\](){}!]/u.test(glob)
            ? Result.fail(`${shown(glob)} has a backslash: folders are separated by \`/\`, on every system`)
            : Result.succeed(glob)
    )
  )
)

const Domains = readAs(Lines, Schema.Array(Schema.String), (names) =>
  Result.all(
    names.map((name): Result.Result<string, string> => {
      const domain = domainOf(name)
      return domain === undefined ? Result.fail(`${shown(name)} is not a host name`) : Result.succeed(domain)
    })
  )
)

const Span = readAs(Schema.String.check(Schema.isPattern(durationPattern)), Schema.Duration, (text) =>
  orRefused(durationOf(text))
)

const Instant = readAs(Schema.String.check(Schema.isPattern(instantPattern)), Schema.DateTimeUtc, (text, now) =>
  orRefused(instantOf(text, now))
)

const loopback = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/u

const BaseUrl = readAs(Schema.String, Schema.String, (text) => {
  if (!URL.canParse(text)) return Result.fail(undefined)
  const { hash, hostname, password, protocol, search, username } = new URL(text)
  if (username !== "" || password !== "") return Result.fail("it holds a user name or a password")
  if (hash !== "" || search !== "") return Result.fail("it holds a query or a fragment")
  return protocol === "https:" || (protocol === "http:" && loopback.test(hostname))
    ? Result.succeed(text)
    : Result.fail("a token is sent over https only")
})

const PathPrefix = readAs(Schema.String, Schema.String, (text) =>
  orRefused(/^\/?([A-Za-z0-9_~-][A-Za-z0-9._~-]*(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*)\/?$/u.exec(text)?.[1])
)

const Token = readAs(Schema.String, Schema.Redacted(Schema.String), (text) =>
  /^[\u0021-\u007e]+$/u.test(text)
    ? Result.succeed(Redacted.make(text))
    : Result.fail("it holds a space, a line break or another character that no header may carry")
)

const NamedSecret = Schema.Struct({ name: Schema.String, value: Schema.Redacted(Schema.String) })

const decodeContext = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))

const decodeJsonText = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.String))

/** `${{ toJSON(secrets.NAME) }}` gives a value of several lines as one. */
const oneValue = (written: string) => Redacted.make(Option.getOrElse(decodeJsonText(written), () => written))

const NamedSecrets = readAs(Schema.String, Schema.Array(NamedSecret), (text) =>
  text.startsWith("{")
    ? Result.mapBoth(decodeContext(text), {
        onFailure: () => "it starts like JSON and is no JSON object of strings",
        onSuccess: (context) => Object.entries(context).map(([name, value]) => ({ name, value: Redacted.make(value) }))
      })
    : Result.all(
        text.split(/\r?\n/u).flatMap((line, index) => {
          if (line.trim() === "") return []
          const [, name, value = ""] = /^\s*([A-Za-z_][A-Za-z0-9_.-]*)\s*=(.*)$/u.exec(line) ?? []
          return [
            name === undefined
              ? Result.fail(
                  `line ${index + 1} has no name and \`=\` (write a value of several lines as NAME=\${{ toJSON(secrets.NAME) }})`
                )
              : Result.succeed({ name, value: oneValue(value.trim()) })
          ]
        })
      )
)

/** What the config file may set as well; its keys are the inputs' names. */
export const Settings = Schema.Struct({
  domains: Schema.optionalKey(Domains),
  "login-domains": Schema.optionalKey(Domains),
  paths: Schema.optionalKey(Globs),
  exclude: Schema.optionalKey(Globs),
  scan: Schema.Literals(["changes", "tree", "history", "none"]),
  "fail-on": Schema.Literals(["any", "credentials", "events", "none"]),
  "min-severity": Schema.Literals(severities),
  since: Instant,
  "domain-leaks": Schema.optionalKey(Schema.Literals(["fail", "warn", "off"])),
  "max-searches": Count,
  "quota-reserve": Count,
  deadline: Span,
  "on-incomplete": Schema.Literals(["fail", "warn"]),
  "ignore-file": Schema.NonEmptyString,
  annotations: Flag,
  summary: Flag,
  comment: Flag,
  cache: Flag,
  "sarif-file": Schema.optionalKey(Schema.NonEmptyString),
  "report-file": Schema.optionalKey(Schema.NonEmptyString)
})

export const Inputs = Schema.Struct({
  "base-url": Schema.optionalKey(BaseUrl),
  token: Schema.optionalKey(Token),
  secrets: Schema.optionalKey(NamedSecrets),
  ...Settings.fields,
  "config-file": Schema.optionalKey(Schema.NonEmptyString),
  "github-token": Schema.optionalKey(Token),
  "path-prefix": PathPrefix,
  "link-field": Schema.String.check(Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_-]*$/u))
})

export type Inputs = typeof Inputs.Type
export type InputName = keyof Inputs

export const inputNames = Record.keys(Inputs.fields)

/** What holds where neither the workflow nor the config file says anything. */
export const inputDefaults = {
  scan: "changes",
  "fail-on": "any",
  "min-severity": "low",
  since: "30d",
  "max-searches": 200,
  "quota-reserve": 0,
  deadline: "10m",
  "on-incomplete": "fail",
  "ignore-file": ".threat-exposure-ignore.yml",
  annotations: true,
  summary: true,
  comment: false,
  cache: true,
  "path-prefix": defaultPathPrefix,
  "link-field": defaultLinkField
} as const

/** Looked for in this order, where the input `config-file` is not given. */
export const configFiles = [".threat-exposure.yml", ".github/threat-exposure.yml"] as const

/** As text, for action.yml and the JSON Schema; undefined where the absence of a value says what holds. */
export const defaultOf = (name: InputName): string | number | boolean | undefined => {
  const all: Readonly<Partial<Record<InputName, string | number | boolean>>> = inputDefaults
  return all[name]
}

interface InputHelp {
  readonly description: string
  readonly mayBe: string
  /** The environment's name for it, where the input is not given. */
  readonly variable?: string
  /** Its value is never shown. */
  readonly secret?: true
}

export const inputHelp: Readonly<Record<InputName, InputHelp>> = {
  "base-url": {
    description:
      "Address of the threat-exposure service; it may have a path. Required, unless the environment has THREAT_EXPOSURE_BASE_URL.",
    variable: "THREAT_EXPOSURE_BASE_URL",
    mayBe: "an https address, or an http address of this machine, such as `https://api.example.com`"
  },
  token: {
    description:
      "Access token of the service, with the permission Read Tenant. Required, unless the environment has THREAT_EXPOSURE_TOKEN.",
    variable: "THREAT_EXPOSURE_TOKEN",
    mayBe: "an access token",
    secret: true
  },
  secrets: {
    description: "Secrets to search by name: NAME=value lines, or the JSON of the secrets context.",
    mayBe: "`NAME=value` lines, or the JSON of the `secrets` context",
    secret: true
  },
  domains: {
    description: "Domains of the organisation's addresses, one a line or comma-separated.",
    mayBe: "host names such as `example.com`, one a line or comma-separated"
  },
  "login-domains": {
    description:
      "Domains where the organisation's users log in, one a line or comma-separated: leaked accounts of these users, wherever their address is.",
    mayBe: "host names such as `login.example.com`, one a line or comma-separated"
  },
  paths: {
    description: "Globs of the files to read, one a line or comma-separated; everything unless given.",
    mayBe: "globs such as `src/**`, one a line or comma-separated"
  },
  exclude: {
    description: "Globs of the files not to read, one a line or comma-separated.",
    mayBe: "globs such as `docs/**`, one a line or comma-separated"
  },
  scan: {
    description:
      "What is read for candidates: the lines the event added, the whole tree, the whole history, or nothing.",
    mayBe: "`changes`, `tree`, `history` or `none`"
  },
  "fail-on": {
    description: "Which leaks fail the step.",
    mayBe: "`any`, `credentials`, `events` or `none`"
  },
  "min-severity": {
    description: "Events below it do not count.",
    mayBe: "`info`, `low`, `medium`, `high` or `critical`"
  },
  since: {
    description: "For domains of both kinds: what was imported or created earlier does not count.",
    mayBe: "a past date (`2026-01-31`), a date-time (`2026-01-31T08:00:00Z`) or a span before now (`12h`, `30d`, `4w`)"
  },
  "domain-leaks": {
    description:
      "Whether leaks of domains and login domains count, are reported only, or are not searched; `warn` in a pull request and a merge group, `fail` elsewhere.",
    mayBe: "`fail`, `warn` or `off`"
  },
  "max-searches": {
    description: "Search requests in all, retries not counted.",
    mayBe: "a whole number, 0 or more"
  },
  "quota-reserve": {
    description: "Units of the search quota to leave.",
    mayBe: "a whole number, 0 or more"
  },
  deadline: {
    description: "How long the searches may take.",
    mayBe: "a span such as `90s`, `10m` or `1h`"
  },
  "on-incomplete": {
    description: "Whether the step fails when something could not be searched.",
    mayBe: "`fail` or `warn`"
  },
  "ignore-file": {
    description: "File of the fingerprints to ignore.",
    mayBe: "a path in the repository"
  },
  annotations: { description: "Annotate the lines that leak.", mayBe: "`true` or `false`" },
  summary: { description: "Write the job summary.", mayBe: "`true` or `false`" },
  comment: { description: "Keep one comment on the pull request.", mayBe: "`true` or `false`" },
  cache: { description: "Remember for seven days what was found clean.", mayBe: "`true` or `false`" },
  "sarif-file": { description: "Write the findings as SARIF 2.1.0 to this file.", mayBe: "a path in the repository" },
  "report-file": { description: "Write the findings as JSON to this file.", mayBe: "a path in the repository" },
  "config-file": {
    description:
      "File that sets what is not set here. Default: the first that exists of .threat-exposure.yml and .github/threat-exposure.yml.",
    mayBe: "a path in the repository"
  },
  "github-token": {
    description: "Token for the comment and for the fetch of missing history.",
    mayBe: "a token of GitHub",
    secret: true
  },
  "path-prefix": {
    description: "The word that the service puts before the version in its paths.",
    mayBe: "a path such as `svc`"
  },
  "link-field": {
    description: "The field of an event that carries the link to it.",
    mayBe: "a field name such as `svc_url`"
  }
}

/** One thing wrong with what was given, on one line; `file` and `line` where it stands in the config file. */
export interface Fault {
  readonly message: string
  readonly file?: string
  readonly line?: number
}

/** What was given cannot be used; all of its faults at once. */
export class InputsRefused extends Schema.TaggedError<InputsRefused>()("InputsRefused", {
  faults: Schema.Array(
    Schema.Struct({
      message: Schema.String,
      file: Schema.optionalKey(Schema.String),
      line: Schema.optionalKey(Schema.Int)
    })
  )
}) {
  override get message() {
    return this.faults.map(({ message }) => message).join("\n")
  }
}

/** What the config file sets, each value as YAML reads it. */
export interface Config {
  readonly file: string
  readonly values: Readonly<Record<string, unknown>>
  readonly lineOf: (name: string) => number
}

const RawSettings = Schema.Struct(
  Object.fromEntries(Record.keys(Settings.fields).map((name) => [name, Schema.optionalKey(Schema.Unknown)]))
)

/** An unknown or repeated key is an error; a wrong value is one once it is needed. */
export const readConfig = (file: string, text: string): Effect.Effect<Config, InputsRefused> =>
  decodeYaml(RawSettings, { file, text, scalars: "core" }).pipe(
    Effect.mapError(
      ({ faults }) =>
        new InputsRefused({
          faults: faults.map(({ line, message }) => ({
            message: `${file}, line ${line}: ${message}`,
            file,
            line
          }))
        })
    ),
    Effect.flatMap(({ lineOf, value }) => {
      const config: Config = { file, values: value, lineOf: (name) => lineOf([name]) }
      // A change may bring its own config file: what it names stays in the repository.
      const faults = (["ignore-file", "report-file", "sarif-file"] as const)
        .filter((name) => leadsOut(value[name]))
        .map((name) => faultOf(name, value[name], "it leads out of the repository", config))
      return faults.length === 0 ? Effect.succeed(config) : Effect.fail(new InputsRefused({ faults }))
    })
  )

/** Of the repository, by the path alone. */
export const leadsOut = (path: unknown): boolean =>
  typeof path === "string" && /^(?:[/\\~]|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/u.test(path)

/** `given` holds the inputs of the workflow that are not empty; they beat the config file. */
export const decodeInputs = (
  given: Readonly<Partial<Record<InputName, string>>>,
  config?: Config
): Effect.Effect<Inputs, InputsRefused> => {
  const raw: Readonly<Record<string, unknown>> = { ...inputDefaults, ...config?.values, ...given }
  return Schema.decodeUnknownEffect(Inputs)(raw, { errors: "all" }).pipe(
    Effect.mapError(({ issue }) => {
      const faults = new Map<InputName, Fault>()
      for (const { message, path = [] } of formatIssue(issue).issues) {
        const name = isInputName(path[0]) ? path[0] : undefined
        if (name === undefined || faults.has(name)) continue
        faults.set(name, faultOf(name, raw[name], message, name in given ? undefined : config))
      }
      return new InputsRefused({ faults: [...faults.values()] })
    })
  )
}

const isInputName = Schema.is(Schema.Literals(inputNames))

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => (issue._tag === "InvalidValue" ? (issue.annotations?.message ?? "") : ""),
  checkHook: () => ""
})

const faultOf = (name: InputName, value: unknown, why: string, config: Config | undefined): Fault => {
  const { mayBe, secret } = inputHelp[name]
  const given = secret ? "is refused, without being shown" : `is ${shown(value)}`
  const place = config === undefined ? "" : ` (${config.file}, line ${config.lineOf(name)})`
  const message = `Input \`${name}\` ${given}${place}${why === "" || why.startsWith("Expected") ? "" : `: ${why}`}; it may be ${mayBe}`
  return config === undefined ? { message } : { message, file: config.file, line: config.lineOf(name) }
}
