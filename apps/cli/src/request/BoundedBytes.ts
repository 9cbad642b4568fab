import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** Maximum size of an input that is read as a whole. A device or a pipe may have no end. */
export const maxInputSize = 100_000_000

/** All bytes of the stream; none if there are more than `maxSize`. */
export const readAtMost = <E, R>(
  stream: Stream.Stream<Uint8Array, E, R>,
  maxSize: number
): Effect.Effect<Option.Option<Uint8Array>, E, R> =>
  Effect.suspend(() => {
    let size = 0
    return stream.pipe(
      Stream.takeWhile((chunk) => (size += chunk.length) <= maxSize),
      Stream.mkUint8Array,
      Effect.map((bytes) => (size > maxSize ? Option.none() : Option.some(bytes)))
    )
  })
