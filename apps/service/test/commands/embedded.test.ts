import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder, run, runWith } from "./Command.ts"

describe("a command for embedded databases alone", () => {
  const commands = [["migrate", "--to", "https://127.0.0.1:9200"]]

  it.live("does nothing while the environment names a cluster", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* folder
        const env = { THREAT_EXPOSURE_OPENSEARCH: "https://127.0.0.1:9200" }
        const runs = yield* Effect.forEach(commands, (words) => runWith(env, directory, ...words), { concurrency: 3 })
        for (const { code, err } of runs) {
          assert.strictEqual(code, 2)
          assert.include(err, "THREAT_EXPOSURE_OPENSEARCH names a cluster. Nothing was done.")
        }
        assert.isFalse(existsSync(join(directory, "threat-exposure.sqlite")))
      })
    )
  )

  it.live("does nothing without its database", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* folder
        for (const words of commands) {
          const { code, err } = yield* run(directory, ...words)
          assert.strictEqual(code, 1)
          assert.include(err, "threat-exposure.sqlite does not exist")
        }
        assert.deepStrictEqual(readdirSync(directory), [])
      })
    )
  )
})
