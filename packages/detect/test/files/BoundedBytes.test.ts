import { assert, it } from "@effect/vitest"
import { readBounded } from "@threat-exposure/detect/files/BoundedBytes"
import { Effect, Stream } from "effect"

it.effect("reads up to the maximum, and little more of an input that has more or no end", () =>
  Effect.gen(function* () {
    const chunk = new Uint8Array([1, 2, 3])
    const read = (stream: Stream.Stream<Uint8Array>, maxSize: number) =>
      Effect.map(readBounded(stream, maxSize), (bytes) => [...bytes])
    assert.deepStrictEqual(yield* read(Stream.make(chunk, chunk), 6), [1, 2, 3, 1, 2, 3])
    assert.deepStrictEqual(yield* read(Stream.empty, 0), [])
    assert.deepStrictEqual(yield* read(Stream.make(chunk, chunk), 2), [1, 2, 3])
    assert.lengthOf(yield* read(Stream.forever(Stream.make(chunk)), 100), 102)
  })
)
