import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const root = fileURLToPath(new URL("../../", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "release-"))
afterAll(() => rmSync(folder, { recursive: true }))

const collected = (name: string, env: Readonly<Record<string, string>>) => {
  const out = join(folder, name)
  execFileSync(process.execPath, [join(root, "tools/release.ts"), out, join(root, "LICENSE")], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: "pipe"
  })
  return new Map(readdirSync(out).map((file) => [file, readFileSync(join(out, file))]))
}

describe("the files of a release", () => {
  let files: ReadonlyMap<string, Buffer> = new Map()
  const textOf = (file: string) => files.get(file)?.toString() ?? ""

  beforeAll(() => {
    files = collected("first", { TZ: "UTC", LC_ALL: "C" })
  })

  it("have checksums that hold, one for each", () => {
    const sums = Array.from(textOf("SHA256SUMS").matchAll(/^([0-9a-f]{64}) {2}(.+)$/gmu), ([, sum, file = ""]) => ({
      sum,
      file
    }))
    assert.deepStrictEqual([...sums.map(({ file }) => file), "SHA256SUMS"].toSorted(), [...files.keys()].toSorted())
    assert.include([...files.keys()], "LICENSE")
    for (const { file, sum } of sums) {
      assert.strictEqual(
        createHash("sha256")
          .update(files.get(file) ?? "")
          .digest("hex"),
        sum
      )
    }
  })

  it("are the same bytes when they are collected again, in another folder, locale and time zone", () => {
    const again = collected("second/below", { TZ: "Pacific/Kiritimati", LC_ALL: "tr_TR.UTF-8" })
    for (const [file, content] of files) assert.isTrue(content.equals(again.get(file) ?? Buffer.of()), file)
    assert.strictEqual(again.size, files.size)
  })

  it("hold the action as its commit has it", () => {
    const listed = execFileSync("tar", ["-tzf", "-"], {
      input: files.get("threat-exposure-action.tar.gz"),
      encoding: "utf8"
    })
    assert.includeMembers(listed.split("\n"), [
      "action.yml",
      "apps/action/action.yml",
      "apps/action/dist/index.js",
      "apps/action/dist/licenses.txt"
    ])
    const committed = execFileSync("git", ["show", "HEAD:apps/action/dist/index.js"], { cwd: root, maxBuffer: 1e8 })
    const packed = execFileSync("tar", ["-xzOf", "-", "apps/action/dist/index.js"], {
      input: files.get("threat-exposure-action.tar.gz"),
      maxBuffer: 1e8
    })
    assert.isTrue(packed.equals(committed))
  })

  it("hold an SBOM that names every package in the bundle of the action", () => {
    const bom = JSON.parse(textOf("action.cdx.json"))
    assert.strictEqual(bom.bomFormat, "CycloneDX")
    const known = new Set(
      bom.components.map(({ group, name, version }: { group?: string; name: string; version: string }) =>
        [group === undefined ? name : `${group}/${name}`, version].join(" ")
      )
    )
    const bundled = readFileSync(join(root, "apps/action/dist/licenses.txt"), "utf8").matchAll(
      /^(\S+ \d+\.\d+\.\d+) \(.+\)$/gmu
    )
    // rolldown's runtime is in the bundle, and no dependency of it.
    const missing = Array.from(bundled, ([, name = ""]) => name).filter(
      (name) => !known.has(name) && !name.startsWith("rolldown ")
    )
    assert.deepStrictEqual(missing, [])
  })
})
