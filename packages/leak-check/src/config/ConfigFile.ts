/** Reads the config file, and decodes what it and its caller set; a caller may have settings of its own besides. */
import { Effect, Record, Schema, SchemaIssue } from "effect"
import { decodeYaml } from "../Yaml.ts"
import { ConfigSettings } from "./ConfigSettings.ts"
import type { SettingHelp } from "./SettingHelp.ts"
import { leadsOut, shown } from "./SettingValue.ts"

/** One fault of the settings, on one line; `file` and `line` if it is in the config file. */
const Fault = Schema.Struct({
  message: Schema.String,
  file: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Schema.Int)
})
export type Fault = typeof Fault.Type

/** Settings that cannot be used, with all of their faults. */
export class SettingsRefused extends Schema.TaggedError<SettingsRefused>()("SettingsRefused", {
  faults: Schema.Array(Fault)
}) {
  override get message() {
    return this.faults.map(({ message }) => message).join("\n")
  }
}

/** The settings of the config file, with the values that YAML gives. */
export interface Config {
  readonly file: string
  readonly values: Readonly<Record<string, unknown>>
  readonly lineOf: (name: string) => number
}

/** The source of settings, and how messages name it. */
export interface SettingsForm<S extends Schema.ConstraintDecoder<unknown>> {
  readonly schema: S
  readonly defaults: Readonly<Record<string, unknown>>
  /** Covers every setting that the schema or a config file has. */
  readonly help: Readonly<Record<string, SettingHelp>>
  /** Such as "Input `since`". */
  readonly label: (name: string, source: "given" | "config file") => string
  /** False where a value that was given may be a misplaced secret: messages leave it out. */
  readonly repeatsGiven: boolean
}

const RawSettings = Schema.Struct(
  Object.fromEntries(Record.keys(ConfigSettings.fields).map((name) => [name, Schema.optionalKey(Schema.Unknown)]))
)

/** An unknown or repeated key is an error; a wrong value is one once {@link decodeSettings} needs it. */
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
      // A change may bring its own config file: the files that it names stay in the repository.
      const faults = (["ignore-file", "report-file", "sarif-file"] as const)
        .filter((name) => leadsOut(value[name]))
        .map((name) => faultOf(form, name, value[name], "it leads out of the repository", config))
      return faults.length === 0 ? Effect.succeed(config) : Effect.fail(new SettingsRefused({ faults }))
    })
  )

/** `given` has priority over the config file, and the config file over the defaults. */
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
  const given = isHidden ? "is refused, without being shown" : `is ${shown(value)}`
  const place = config === undefined ? "" : ` (${config.file}, line ${config.lineOf(name)})`
  // It begins with one value of a list.
  const told = isHidden ? why.replace(/^`.*`(?= (?:has|is|leads) )/u, "a value") : why
  const reason = why === "" || why.startsWith("Expected") ? "" : `: ${told}`
  const message = `${label(name, config === undefined ? "given" : "config file")} ${given}${place}${reason}; it must be ${mustBe}`
  return config === undefined ? { message } : { message, file: config.file, line: config.lineOf(name) }
}
