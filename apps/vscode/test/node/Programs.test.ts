import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { assert, it } from "vitest"
import { findProgram } from "../../src/node/Programs.ts"

it.skipIf(process.platform === "win32")(
  "finds what can be run, in the order of PATH, in absolute folders",
  async () => {
    const root = await mkdtemp(join(tmpdir(), "programs-"))
    const put = async (folder: string, mode: number) => {
      await mkdir(join(root, folder))
      await writeFile(join(root, folder, "threat-exposure"), "#!/bin/sh\n")
      await chmod(join(root, folder, "threat-exposure"), mode)
    }
    await put("text", 0o644)
    await put("first", 0o755)
    await put("second", 0o755)
    const path = (...folders: ReadonlyArray<string>) => folders.join(delimiter)
    const [text, first, second] = ["text", "first", "second"].map((folder) => join(root, folder))
    assert.strictEqual(
      await findProgram("threat-exposure", path(".", "", text ?? "", second ?? "", first ?? "")),
      join(second ?? "", "threat-exposure")
    )
    assert.isUndefined(await findProgram("threat-exposure", path(".", text ?? "")))
    await rm(root, { recursive: true })
  }
)
