import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { eventIndex, findingIndex } from "./EventIndex.ts"
import { expressionOf } from "../../matching/EventQueries.ts"
import { KeyedCluster } from "../cluster/ClusterStart.ts"
import { expressionQuery } from "../cluster/ExpressionQuery.ts"
import { EventDeletion } from "../../events/EventDeletion.ts"

export const EventDeletionOpenSearch = Layer.effect(
  EventDeletion,
  Effect.gen(function* () {
    const keyed = yield* KeyedCluster
    return EventDeletion.of({
      select: Effect.fnUntraced(function* ({ createdBefore, query }) {
        const { cluster, vault } = keyed.now
        const expression = query === undefined ? undefined : yield* Effect.fromResult(expressionOf(vault, query))
        const selected = {
          bool: {
            filter: [
              { range: { created_at: { lt: createdBefore } } },
              ...(expression === undefined ? [] : [expressionQuery(vault, expression)])
            ]
          }
        }
        return {
          count: yield* cluster.count(eventIndex, selected),
          // A finding has the fields of its event. Identifiers that are created during the deletion may add findings,
          // which the last step removes.
          delete: cluster.removeAll(findingIndex, selected).pipe(
            Effect.andThen(cluster.removeAll(eventIndex, selected)),
            Effect.tap(() => cluster.removeAll(findingIndex, selected))
          )
        }
      })
    })
  })
)
