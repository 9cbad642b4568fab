import { assert, it } from "@effect/vitest"
import { readAtMost } from "@threat-exposure/cli/request/BoundedBytes"
import { Effect, Option, Stream } from "effect"

it.effect("reads up to the maximum, and nothing of an input that has more or no end", () =>
  Effect.gen(function* () {
    const chunk = new Uint8Array([1, 2, 3])
    const three = yield* readAtMost(Stream.make(chunk), 3)
    assert.deepStrictEqual(Option.map(three, Array.from), Option.some([1, 2, 3]))
    assert.isTrue(Option.isNone(yield* readAtMost(Stream.make(chunk), 2)))
    assert.isTrue(Option.isNone(yield* readAtMost(Stream.forever(Stream.make(chunk)), 100)))
    assert.deepStrictEqual(Option.map(yield* readAtMost(Stream.empty, 0), Array.from), Option.some([]))
  })
)
