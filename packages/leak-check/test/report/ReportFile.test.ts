import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { assert, describe, it } from "@effect/vitest"
import { LinkedOut, writeReport } from "@threat-exposure/leak-check/report/ReportFile"
import { Effect } from "effect"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "report-file-"))),
  (root) => Effect.sync(() => rmSync(root, { recursive: true }))
)

describe("writeReport", () => {
  it.effect("creates a folder that others create at the same time", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const names = Array.from({ length: 8 }, (_, n) => `new/folder/${n}.json`)
      const write = (file: string) => writeReport({ file, folder, content: file })
      yield* Effect.forEach(names, write, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        names.map((name) => readFileSync(join(folder, name), "utf8")),
        names
      )
      writeFileSync(join(folder, "taken"), "")
      assert.strictEqual((yield* Effect.flip(write("taken/report.json")))._tag, "PlatformError")
    }).pipe(Effect.provide([NodeFileSystem.layer, NodePath.layer]))
  )

  it.effect("follows links within the folder, and refuses those that lead out of it", () =>
    Effect.gen(function* () {
      const root = yield* temporaryFolder
      const folder = join(root, "workspace")
      const outside = join(root, "outside")
      mkdirSync(join(folder, "real"), { recursive: true })
      mkdirSync(outside)
      writeFileSync(join(outside, "victim"), "kept")
      symlinkSync("real", join(folder, "within"))
      symlinkSync(outside, join(folder, "out"))
      symlinkSync(join(outside, "victim"), join(folder, "file.json"))
      symlinkSync(join(outside, "created"), join(folder, "dangling.json"))
      const write = (file: string) => writeReport({ file, folder, content: "{}" })

      for (const [file, written] of [
        ["new/folder/report.json", "workspace/new/folder/report.json"],
        ["within/report.json", "workspace/real/report.json"],
        // The caller named a path outside on purpose.
        ["../outside/named.json", "outside/named.json"],
        [join(outside, "absolute.json"), "outside/absolute.json"]
      ] as const) {
        yield* write(file)
        assert.strictEqual(readFileSync(join(root, written), "utf8"), "{}", file)
      }
      for (const [file, link] of [
        ["out/report.json", "out"],
        ["out/new/report.json", "out"],
        ["file.json", "file.json"],
        ["dangling.json", "dangling.json"]
      ] as const) {
        assert.deepStrictEqual(yield* Effect.flip(write(file)), new LinkedOut({ link }), file)
      }
      assert.strictEqual(readFileSync(join(outside, "victim"), "utf8"), "kept")
      for (const file of ["report.json", "new", "created"]) assert.isFalse(existsSync(join(outside, file)), file)
    }).pipe(Effect.provide([NodeFileSystem.layer, NodePath.layer]))
  )
})
