/**
 * The settings, decoded: what cannot be used is reported once in the log, and its default taken. The profiles are not
 * among them: connection/Profiles.ts reads those.
 */
import { Severity } from "@threat-exposure/core/domain/Severity"
import { Context, Effect, Layer, Schema, type Stream } from "effect"
import { faultsIn } from "./Validation.ts"
import type { SettingName } from "../Contributions.ts"
import { Editor } from "./Editor.ts"
import { readSearches, SavedSearch } from "../events/SavedSearch.ts"

const schemas = {
  savedSearches: Schema.Array(SavedSearch),
  "events.pageSize": Schema.Int.check(Schema.isBetween({ minimum: 10, maximum: 100 })),
  "refresh.minutes": Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1440 })),
  "notifications.severity": Schema.Union([Schema.Literal("off"), Severity]),
  "requests.timeoutSeconds": Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 180 })),
  "requests.searchesPerSecond": Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 100 })),
  masking: Schema.Boolean,
  "leakCheck.asYouType": Schema.Boolean,
  "leakCheck.domains": Schema.Array(Schema.NonEmptyString),
  "leakCheck.maxSearches": Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })),
  "leakCheck.minSeverity": Severity,
  "leakCheck.baseBranch": Schema.String,
  "leakCheck.ignoreFile": Schema.NonEmptyString
} as const satisfies Record<Exclude<SettingName, "profiles">, Schema.Codec<unknown, unknown>>

type Name = keyof typeof schemas
type Value<N extends Name> = (typeof schemas)[N]["Type"]

export class Settings extends Context.Service<
  Settings,
  {
    /** As a folder has it, where its URI is given. */
    readonly get: <N extends Name>(name: N, folder?: string) => Effect.Effect<Value<N>>
    readonly set: <N extends Name>(name: N, value: Value<N>) => Effect.Effect<void>
    /** Once for each time one of them changes. */
    readonly changesOf: (...names: ReadonlyArray<Name>) => Stream.Stream<void>
  }
>()("threat-exposure/editor/Settings") {
  static readonly layer = Layer.effect(
    Settings,
    Effect.gen(function* () {
      const editor = yield* Editor
      const reported = new Set<string>()

      const report = Effect.fnUntraced(function* (line: string) {
        if (!reported.has(line)) yield* editor.log("warn", line)
        reported.add(line)
      })

      const setting = Effect.fnUntraced(function* (name: Name, folder: string | undefined) {
        const value = yield* editor.setting(name, folder)
        if (name !== "savedSearches" || !Array.isArray(value)) return value
        // One that was mistyped does not hide the others.
        const { faults, searches } = readSearches(value)
        for (const { entry, fault } of faults) {
          yield* report(`Entry ${entry} of the setting threatExposure.savedSearches is left out: ${fault}`)
        }
        return searches
      })

      const get = Effect.fnUntraced(function* <N extends Name>(name: N, folder?: string) {
        const schema: Schema.Codec<Value<N>, unknown> = schemas[name]
        return yield* setting(name, folder).pipe(
          Effect.flatMap(Schema.decodeUnknownEffect(schema)),
          Effect.catch(
            Effect.fnUntraced(function* (error: Schema.SchemaError) {
              const faults = faultsIn(error).map(({ fault, field }) => (field === "" ? fault : `${field}: ${fault}`))
              yield* report(`The setting threatExposure.${name} is not used, but its default is: ${faults.join("; ")}`)
              return yield* Effect.orDie(Schema.decodeUnknownEffect(schema)(yield* editor.settingDefault(name)))
            })
          )
        )
      })

      return Settings.of({
        get,
        set: Effect.fnUntraced(function* (name, value) {
          const schema: Schema.Codec<typeof value, unknown> = schemas[name]
          yield* editor.setSetting(name, yield* Effect.orDie(Schema.encodeEffect(schema)(value)))
        }),
        changesOf: (...names) => editor.settingsChanged(names)
      })
    })
  )
}
