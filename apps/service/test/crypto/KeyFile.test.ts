import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { createKeyFile, replaceKeyFile } from "@threat-exposure/service/crypto/KeyFile"

describe("the key file", () => {
  it("that cannot be replaced stays unchanged, and the message does not advise to restore it", () => {
    const folder = mkdtempSync(join(tmpdir(), "threat-exposure-"))
    // The name of the draft beside the file would be too long for a file name.
    const file = join(folder, "k".repeat(250))
    writeFileSync(file, `${"0a".repeat(32)}\n`)
    const key = createKeyFile(join(folder, "other.key"))
    assert.throws(
      () => replaceKeyFile(file, [key]),
      `The key file ${file} cannot be used: it cannot be written: name too long. It was not changed`
    )
    assert.throws(() => replaceKeyFile(file, [key]), /\. It was not changed: check .* and run the command again\.$/u)
    assert.strictEqual(readFileSync(file, "utf8"), `${"0a".repeat(32)}\n`)
    rmSync(folder, { recursive: true })
  })
})
