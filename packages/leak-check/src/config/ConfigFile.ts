/** Reads the config file, and decodes its settings and those of the caller, which may have additional settings. */
import { Effect, Record, Schema, SchemaIssue } from "effect"
import { decodeYaml } from "../Yaml.ts"
import { ConfigSettings } from "./ConfigSettings.ts"
import type { SettingHelp } from "./SettingHelp.ts"
import { formatValue, leadsOut } from "./SettingValue.ts"

/** One error in the settings; `file` and `line` are only set if it is in the config file. */
const Fault = Schema.Struct({
  message: Schema.String,
  file: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Schema.Int)
})
export type Fault = typeof Fault.Type

/** Invalid settings, with all of their errors. */
export class SettingsRefused extends Schema.TaggedError<SettingsRefused>()("SettingsRefused", {
  faults: Schema.Array(Fault)
}) {
  override get message() {
    return this.faults.map(({ message }) => message).join("\n")
  }
}

/** The settings of a config file, as values of YAML. */
export interface Config {
  readonly file: string
  readonly values: Readonly<Record<string, unknown>>
  readonly lineOf: (name: string) => number
}

/** The schema of all settings of a caller, and how its messages name them. */
export interface SettingsForm<S extends Schema.ConstraintDecoder<unknown>> {
  readonly schema: S
  readonly defaults: Readonly<Record<string, unknown>>
  /** Describes every setting of the schema or of a config file. */
  readonly help: Readonly<Record<string, SettingHelp>>
  /** Returns the setting's name in messages, such as "Input `since`". */
  readonly label: (name: string, source: "given" | "config file") => string
  /** If false, messages leave out given values, because one may be a misplaced secret. */
  readonly repeatsGiven: boolean
}

const RawSettings = Schema.Struct(
  Object.fromEntries(Record.keys(ConfigSettings.fields).map((name) => [name, Schema.optionalKey(Schema.Unknown)]))
)

/**
 * Reads a config file. An unknown or repeated key is an error here; a wrong value is an error in {@link
 * decodeSettings}.
 */
export const readConfig = <S extends Schema.ConstraintDecoder<unknown>>(
  form: SettingsForm<S>,
  file: string,
  text: string
): Effect.Effect<Config, SettingsRefused> =>
  decodeYaml(RawSettings, { file, text, scalars: "core" }).pipe(
    Effect.mapError(
      ({ faults }) =>
        new SettingsRefused({
          faults: faults.map(({ line, message }) => ({ message: `${file}, line ${line}: ${message}`, file, line }))
        })
    ),
    Effect.flatMap(({ lineOf, value }) => {
      const config: Config = { file, values: value, lineOf: (name) => lineOf([name]) }
      // A change may bring its own config file, so the files that it names must be inside the repository.
      const faults = (["ignore-file", "report-file", "sarif-file"] as const)
        .filter((name) => leadsOut(value[name]))
        .map((name) => faultOf(form, name, value[name], "it leads out of the repository", config))
      return faults.length === 0 ? Effect.succeed(config) : Effect.fail(new SettingsRefused({ faults }))
    })
  )

/** Decodes the settings: `given` overrides the config file, which overrides the defaults. */
export const decodeSettings = <S extends Schema.ConstraintDecoder<unknown>>(
  form: SettingsForm<S>,
  given: Readonly<Partial<Record<string, string>>>,
  config?: Config
): Effect.Effect<S["Type"], SettingsRefused, S["DecodingServices"]> => {
  const raw: Readonly<Record<string, unknown>> = { ...form.defaults, ...config?.values, ...given }
  return Schema.decodeEffect(form.schema)(raw, { errors: "all" }).pipe(
    Effect.mapError(({ issue }) => {
      const faults = new Map<string, Fault>()
      for (const { message, path = [] } of formatIssue(issue).issues) {
        const name = String(path[0])
        if (!(name in form.help) || faults.has(name)) continue
        faults.set(name, faultOf(form, name, raw[name], message, name in given ? undefined : config))
      }
      return new SettingsRefused({ faults: [...faults.values()] })
    })
  )
}

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => (issue._tag === "InvalidValue" ? (issue.annotations?.message ?? "") : ""),
  checkHook: () => ""
})

const faultOf = <S extends Schema.ConstraintDecoder<unknown>>(
  { help, label, repeatsGiven }: SettingsForm<S>,
  name: string,
  value: unknown,
  why: string,
  config: Config | undefined
): Fault => {
  const { mustBe = "", secret = false } = help[name] ?? {}
  const isHidden = secret || (config === undefined && !repeatsGiven)
  const given = isHidden ? "is refused, without being shown" : `is ${formatValue(value)}`
  const place = config === undefined ? "" : ` (${config.file}, line ${config.lineOf(name)})`
  // The message begins with a value of a list.
  const safeReason = isHidden ? why.replace(/^`.*`(?= (?:has|is|leads) )/u, "a value") : why
  const reason = why === "" || why.startsWith("Expected") ? "" : `: ${safeReason}`
  const message = `${label(name, config === undefined ? "given" : "config file")} ${given}${place}${reason}; it must be ${mustBe}`
  return config === undefined ? { message } : { message, file: config.file, line: config.lineOf(name) }
}
