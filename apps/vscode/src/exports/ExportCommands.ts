/** The commands Export Events…, Export Credentials… and Resume Export…; their first use loads the rest. */
import { Context, Effect, Layer } from "effect"
import type { Connections } from "../connection/Connections.ts"
import type { Profiles } from "../connection/Profiles.ts"
import type { CredentialSearches } from "../credentials/CredentialSearches.ts"
import { Commands } from "../editor/Commands.ts"
import type { Editor } from "../editor/Editor.ts"
import { lazyServices } from "../editor/LazyServices.ts"
import type { Settings } from "../editor/Settings.ts"
import type { Register } from "../register/Register.ts"

const part = Effect.promise(() => import("./ExportPart.ts"))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const commands = yield* Commands
    const context = yield* Effect.context<Connections | CredentialSearches | Editor | Profiles | Register | Settings>()
    const exports = yield* lazyServices(Effect.map(part, ({ Exports }) => Exports.layer))
    for (const name of ["events.export", "credentials.export", "exports.resume"] as const) {
      yield* commands.on(
        name,
        Effect.fnUntraced(function* (call) {
          const { exportCommands } = yield* part
          yield* Effect.provideContext(exportCommands[name](call), Context.merge(context, yield* exports))
        })
      )
    }
  })
)
