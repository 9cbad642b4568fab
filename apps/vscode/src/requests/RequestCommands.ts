/** Create Report…, Add Users to Tenant… and Ask Threat Intelligence…: few people use them, so the first use loads them. */
import { Effect, Layer } from "effect"
import { Commands } from "../editor/Commands.ts"
import { lazyServices } from "../editor/LazyServices.ts"

const part = Effect.promise(() => import("./RequestPart.ts"))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const commands = yield* Commands
    const services = yield* lazyServices(Effect.map(part, ({ Requests }) => Requests.layer))
    for (const name of ["createReport", "addUsers", "askIntel"] as const) {
      yield* commands.on(
        name,
        Effect.fnUntraced(function* () {
          const { requestCommands } = yield* part
          yield* Effect.provideContext(requestCommands[name], yield* services)
        })
      )
    }
  })
)
