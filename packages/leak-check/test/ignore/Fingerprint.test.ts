import { scryptSync } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { fingerprint } from "@threat-exposure/leak-check/ignore/Fingerprint"
import { layer as nodeScrypt } from "@threat-exposure/leak-check/node/NodeScrypt"
import { Effect, Redacted } from "effect"
import * as fc from "fast-check"

const text = fc.string({ unit: "binary", maxLength: 200 })

describe("Fingerprint", () => {
  it.effect("is scrypt of the value, salted with the repository's name, as anybody computes it", () =>
    Effect.gen(function* () {
      for (const [value, repository] of [
        ["hunter2-hunter2", "acme/app"],
        ["pässwörd 漢👍", "acme/app"],
        ["-----BEGIN X-----\nabc\n-----END X-----", "ünï/cödé"]
      ] as const) {
        assert.strictEqual(
          yield* fingerprint(Redacted.make(value), repository),
          scryptSync(value, repository, 8, { N: 4096 }).toString("hex")
        )
      }
    })
  )

  it.effect("is the same by Node's scrypt as by that of a web worker", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(text, text, async (value, repository) => {
          const inJavaScript = fingerprint(Redacted.make(value), repository)
          assert.strictEqual(
            await Effect.runPromise(Effect.provide(inJavaScript, nodeScrypt)),
            await Effect.runPromise(inJavaScript)
          )
        }),
        { numRuns: 50, seed: 11 }
      )
    )
  )

  it.effect("does not block the event loop if Node computes it", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const done = Effect.forEach(
        Array.from({ length: 8 }, (_, i) => Redacted.make(`secret-number-${i}`)),
        (value) => fingerprint(value, "acme/app"),
        { concurrency: "unbounded" }
      ).pipe(Effect.andThen(Effect.sync(() => order.push("fingerprints"))), Effect.provide(nodeScrypt))
      const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))).pipe(
        Effect.andThen(Effect.sync(() => order.push("turn of the event loop")))
      )
      yield* Effect.all([done, turn], { concurrency: "unbounded" })
      assert.deepStrictEqual(order, ["turn of the event loop", "fingerprints"])
    })
  )
})
