import { readdir, readFile } from "node:fs/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("a web worker", () => {
  it.effect("can load every module except node/ and testing/", () =>
    Effect.promise(async () => {
      const folder = new URL("../src/", import.meta.url)
      const files = (await readdir(folder, { recursive: true })).filter(
        (file) => file.endsWith(".ts") && !file.startsWith("testing/")
      )
      assert.isAbove(files.length, 15)
      for (const file of files) {
        const text = await readFile(new URL(file, folder), "utf8")
        const isNodes = file.startsWith("node/")
        assert.strictEqual(/from "node:|\bBuffer\b|\bprocess\./.test(text), isNodes, file)
        if (!isNodes) assert.notInclude(text, "/node/", file)
      }
    })
  )
})
