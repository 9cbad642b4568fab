import { Effect, Queue, Stream } from "effect"

/** A broadcast signal: each subscriber gets every event, but may miss some while it is busy. */
export interface Signal<A> {
  readonly tell: (value: A) => Effect.Effect<void>
  readonly heard: Stream.Stream<A>
}

export const makeSignal = <A>(): Signal<A> => {
  const listeners = new Set<(value: A) => void>()
  return {
    tell: (value) =>
      Effect.sync(() => {
        for (const listener of listeners) listener(value)
      }),
    heard: Stream.callback<A>(
      (queue) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const listener = (value: A) => {
              Queue.offerUnsafe(queue, value)
            }
            listeners.add(listener)
            return listener
          }),
          (listener) => Effect.sync(() => listeners.delete(listener))
        ),
      { bufferSize: 8, strategy: "sliding" }
    )
  }
}
