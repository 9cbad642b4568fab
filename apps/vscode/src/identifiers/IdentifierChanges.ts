/** Changes identifiers that the service lists. An update must contain all fields of the identifier. */
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import {
  makeUpdate,
  type MonitoredIdentifier,
  type MonitoredIdentifierUpdate
} from "@threat-exposure/core/domain/MonitoredIdentifier"
import { Effect } from "effect"
import type { BoundConnection } from "../connection/Connections.ts"
import { type Cancelled, Editor } from "../editor/Editor.ts"
import { type Failure, NotPossible } from "../editor/Problem.ts"
import { Register } from "../register/Register.ts"
import { t } from "../words/Localisation.ts"
import { nameOfType } from "../words/TypeNames.ts"

/** Reads the identifier, applies the changes, and sends it back. */
export const changeIdentifier = (
  { ask, send }: BoundConnection,
  id: number,
  changes: Partial<MonitoredIdentifierUpdate>
): Effect.Effect<MonitoredIdentifier, Failure> =>
  Effect.gen(function* () {
    const present = yield* ask(Effect.flatMap(Identifiers, (service) => service.get(id)))
    const update = makeUpdate(present, changes)
    if (update === undefined) {
      return yield* new NotPossible({
        message: t(
          "The service does not say what this identifier of the type {0} matches, so it cannot be changed. Delete it and create it again.",
          nameOfType(present.data.type ?? "")
        )
      })
    }
    return yield* send(Effect.flatMap(Identifiers, (service) => service.update(id, update)))
  })

/**
 * Runs the change for each target with progress. Refreshes the view even if a change fails, because earlier ones have
 * taken effect.
 */
export const changeEach = Effect.fnUntraced(function* <A>(
  targets: ReadonlyArray<A>,
  title: string,
  run: (target: A) => Effect.Effect<unknown, Failure>,
  ended?: Effect.Effect<void>
): Effect.fn.Return<void, Failure | Cancelled, Editor | Register> {
  const editor = yield* Editor
  const register = yield* Register
  yield* editor
    .progress(title, (report) =>
      Effect.forEach(
        targets.entries(),
        ([index, target]) => Effect.andThen(report("", (index / targets.length) * 100), run(target)),
        { discard: true }
      )
    )
    .pipe(Effect.ensuring(ended ?? register.outdate))
})
