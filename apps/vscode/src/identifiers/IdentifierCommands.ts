/** Commands on identifiers and groups; the first use of most of them loads their implementation. */
import { Effect, Layer } from "effect"
import { Commands } from "../editor/Commands.ts"
import type { Connections } from "../connection/Connections.ts"
import type { Editor } from "../editor/Editor.ts"
import type { EventListings } from "../events/list/EventListings.ts"
import type { Settings } from "../editor/Settings.ts"
import type { PolicyList } from "../policies/PolicyList.ts"
import type { Register } from "../register/Register.ts"

const part = Effect.promise(() => import("./IdentifierPart.ts"))

const inPart = [
  "addById",
  "create",
  "update",
  "enable",
  "disable",
  "delete",
  "createGroup",
  "renameGroup",
  "deleteGroup",
  "group",
  "assignPolicies",
  "forget"
] as const

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const commands = yield* Commands
    const context = yield* Effect.context<Connections | Editor | EventListings | PolicyList | Register | Settings>()
    for (const name of inPart) {
      yield* commands.on(`identifiers.${name}`, (call) =>
        Effect.flatMap(part, ({ identifierCommands }) => Effect.provideContext(identifierCommands[name](call), context))
      )
    }
  })
)
