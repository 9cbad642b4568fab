/** Create Report…, Add Users to Tenant… and Ask Threat Intelligence…: few people use them, so the first use loads them. */
import { Effect, Layer } from "effect"
import { Connections } from "../connection/Connections.ts"
import { Commands } from "../editor/Commands.ts"
import { Editor } from "../editor/Editor.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const commands = yield* Commands
    const context = yield* Effect.context<Connections | Editor>()
    const requests = yield* Effect.cached(
      Effect.flatMap(
        Effect.promise(() => import("./RequestForms.ts")),
        ({ makeRequests }) => Effect.provideContext(makeRequests, context)
      )
    )
    yield* commands.on("createReport", () => Effect.flatMap(requests, ({ createReport }) => createReport))
    yield* commands.on("addUsers", () => Effect.flatMap(requests, ({ addUsers }) => addUsers))
    yield* commands.on("askIntel", () => Effect.flatMap(requests, ({ askIntel }) => askIntel))
  })
)
