/**
 * The commands Create Report…, Reports…, Add Users to Tenant… and Ask Threat Intelligence…; their first use loads them,
 * because few people need them.
 */
import { Effect, Layer } from "effect"
import type { Connections } from "../connection/Connections.ts"
import { Commands } from "../editor/Commands.ts"
import { lazyServices } from "../editor/LazyServices.ts"
import { Pages } from "../editor/page/Pages.ts"

const part = Effect.promise(() => import("./RequestPart.ts"))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const commands = yield* Commands
    const services = yield* lazyServices(Effect.map(part, ({ Requests }) => Requests.layer))
    const context = yield* Effect.context<Connections>()
    yield* (yield* Pages).renderedBy("intel", (id) =>
      Effect.flatMap(part, ({ intelPage }) => Effect.provideContext(intelPage(id), context))
    )
    for (const name of ["createReport", "openReports", "addUsers", "askIntel"] as const) {
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
