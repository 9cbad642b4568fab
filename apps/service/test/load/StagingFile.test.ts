import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { StagingFile } from "../../src/load/StagingFile.ts"
import { StoreUnavailable } from "../../src/requests/StoreUnavailable.ts"

describe("StagingFile", () => {
  const directory = mkdtempSync(join(tmpdir(), "staging-"))
  afterAll(() => rmSync(directory, { recursive: true }))

  it("returns what was appended, in order", () => {
    using file = new StagingFile<{ readonly id: number }>(join(directory, "service.sqlite"))
    file.append({ id: 2 })
    file.append({ id: 1 })
    assert.deepStrictEqual([...file.items()], [{ id: 2 }, { id: 1 }])
  })

  it("says why it cannot be written, without the call and the path of Node's message", () => {
    let thrown: unknown
    try {
      new StagingFile(join(directory, "missing", "service.sqlite"))[Symbol.dispose]()
    } catch (cause) {
      thrown = cause
    }
    assert.instanceOf(thrown, StoreUnavailable)
    assert.strictEqual(
      thrown.reason,
      "the records of a strict load cannot be kept beside it: no such file or directory"
    )
  })
})
