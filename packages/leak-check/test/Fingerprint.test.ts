import { scryptSync } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { fingerprint } from "@threat-exposure/leak-check/Fingerprint"
import { Effect, Redacted } from "effect"

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
})
