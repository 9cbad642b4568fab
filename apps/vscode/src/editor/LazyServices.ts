/** Services in a part of the bundle that is loaded on demand. */
import { Effect, Layer } from "effect"

/** Builds the services once, at their first use. If loading fails, the next use tries again. */
export const lazyServices = Effect.fnUntraced(function* <A, R>(load: Effect.Effect<Layer.Layer<A, never, R>>) {
  const context = yield* Effect.context<R>()
  const memoMap = yield* Layer.makeMemoMap
  const scope = yield* Effect.scope
  return Effect.flatMap(load, (layer) => Layer.buildWithMemoMap(layer, memoMap, scope)).pipe(
    Effect.provideContext(context)
  )
})
