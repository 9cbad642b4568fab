import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { PublicationLock } from "@threat-exposure/service/sqlite/database/Generations"
import { temporaryFolder } from "@threat-exposure/service/testing/TestService"
import { Effect } from "effect"

/** Whether another process can take the lock. */
const isFree = (path: string): boolean => {
  const take = `new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec("BEGIN EXCLUSIVE")`
  return spawnSync(process.execPath, ["-e", take, path], { encoding: "utf8" }).status === 0
}

describe("PublicationLock", () => {
  it.effect("is held against other processes, whatever else of its own process asks for it", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "test.lock")
      using held = new PublicationLock(path)
      assert.isTrue(held.take())
      for (let other = 0; other < 2; other += 1) {
        using second = new PublicationLock(path)
        assert.isFalse(second.take())
        assert.isFalse(isFree(path))
      }
      assert.isFalse(isFree(path))
      held[Symbol.dispose]()
      assert.isTrue(isFree(path))
    }).pipe(Effect.scoped)
  )
})
