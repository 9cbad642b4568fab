/**
 * Decodes settings. An invalid value is logged once, and its default is used. Each folder declares the settings that it
 * reads. Profiles are excluded: activation reads them without a schema.
 */
import { Context, Effect, Layer, Schema, type Stream } from "effect"
import { maskText } from "../words/Mask.ts"
import { Editor } from "./Editor.ts"
import { faultsIn } from "./form/Validation.ts"

/** The valid entries of a list, and the faults of the others. */
export interface UsablePart {
  readonly value: unknown
  /** `entry` is counted from 1. */
  readonly faults: ReadonlyArray<{ readonly entry: number; readonly fault: string }>
}

export interface Setting<A> {
  /** Name without the prefix `threatExposure.`. */
  readonly name: string
  readonly schema: Schema.Codec<A, unknown>
  /** For lists that people edit, so that an invalid entry does not disable the others. */
  readonly usablePart?: (value: unknown) => UsablePart
}

export const setting = <A>(
  name: string,
  schema: Schema.Codec<A, unknown>,
  usablePart?: (value: unknown) => UsablePart
): Setting<A> => ({ name, schema, ...(usablePart === undefined ? {} : { usablePart }) })

/** Whether names are masked everywhere, for screen sharing. */
export const masking = setting("masking", Schema.Boolean)

export class Settings extends Context.Service<
  Settings,
  {
    /** Value of the setting, for a folder if its URI is given. */
    readonly get: <A>(setting: Setting<A>, folder?: string) => Effect.Effect<A>
    readonly set: <A>(setting: Setting<A>, value: A) => Effect.Effect<void>
    /** Emits whenever one of the settings changes. */
    readonly changesOf: (...settings: ReadonlyArray<Pick<Setting<unknown>, "name">>) => Stream.Stream<void>
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

      return Settings.of({
        get: Effect.fnUntraced(function* <A>({ name, schema, usablePart }: Setting<A>, folder?: string) {
          const written = yield* editor.setting(name, folder)
          const { faults, value } = usablePart?.(written) ?? { faults: [], value: written }
          for (const { entry, fault } of faults) {
            yield* report(`Entry ${entry} of the setting threatExposure.${name} is left out: ${fault}`)
          }
          return yield* Schema.decodeUnknownEffect(schema)(value).pipe(
            Effect.catch(
              Effect.fnUntraced(function* (error: Schema.SchemaError) {
                const wrong = faultsIn(error).map(({ fault, field }) => (field === "" ? fault : `${field}: ${fault}`))
                yield* report(`The setting threatExposure.${name} is invalid, its default is used: ${wrong.join("; ")}`)
                return yield* Effect.orDie(Schema.decodeUnknownEffect(schema)(yield* editor.settingDefault(name)))
              })
            )
          )
        }),
        set: Effect.fnUntraced(function* ({ name, schema }, value) {
          yield* editor.setSetting(name, yield* Effect.orDie(Schema.encodeEffect(schema)(value)))
        }),
        changesOf: (...settings) => editor.settingsChanged(settings.map(({ name }) => name))
      })
    })
  )
}

/** Returns a function that masks a text if masking is on. */
export const hiding = Effect.gen(function* () {
  const isMasked = yield* (yield* Settings).get(masking)
  return isMasked ? maskText : (text: string) => text
})
