import { Effect, Stream } from "effect"

/**
 * All bytes of a stream or, if it has more than `maxSize`, its beginning, which is longer than that. A device or a pipe may
 * have no end.
 */
export const readBounded = <E, R>(
  stream: Stream.Stream<Uint8Array, E, R>,
  maxSize: number
): Effect.Effect<Uint8Array, E, R> =>
  Effect.suspend(() => {
    let size = 0
    return Stream.mkUint8Array(Stream.takeUntil(stream, (chunk) => (size += chunk.length) > maxSize))
  })
