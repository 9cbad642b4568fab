import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readPassedTests, rememberPassedTests, treeDigest } from "@threat-exposure/tools/PassedTests"
import { afterAll, assert, describe, it } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "passed-tests-"))
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
execFileSync("git", ["init", "--quiet"], { cwd: folder })
write(".gitignore", "ignored.txt\n")
write("tracked.txt", "1")
execFileSync("git", ["add", "."], { cwd: folder })
write("untracked.txt", "1")

describe("treeDigest", () => {
  const cases: ReadonlyArray<readonly [string, () => void]> = [
    ["a tracked file changes", () => write("tracked.txt", "2")],
    ["an untracked file changes", () => write("untracked.txt", "2")],
    ["a file is added", () => write("new.txt", "")],
    ["a file becomes executable", () => chmodSync(join(folder, "tracked.txt"), 0o755)],
    ["a link is added", () => symlinkSync("tracked.txt", join(folder, "link"))],
    ["a tracked file is deleted", () => rmSync(join(folder, "tracked.txt"))],
    ["content moves from one file to the next", () => (write("new.txt", "2"), write("untracked.txt", ""))]
  ]
  it.each(cases)("changes when %s", (_, change) => {
    const before = treeDigest(folder)
    change()
    assert.notStrictEqual(treeDigest(folder), before)
  })

  it("does not change with an ignored file or with what is staged, and does with the version of Node", () => {
    const before = treeDigest(folder)
    write("ignored.txt", "1")
    execFileSync("git", ["add", "."], { cwd: folder })
    assert.strictEqual(treeDigest(folder), before)
    assert.notStrictEqual(treeDigest(folder, "v0.0.0"), before)
  })
})

describe("readPassedTests", () => {
  const file = join(folder, "cache", "passed.json")

  it("returns the counts of the tree that passed, and nothing for another tree or a damaged file", () => {
    assert.isUndefined(readPassedTests(file, "tree"))
    rememberPassedTests(file, "tree", { passed: 3, skipped: 1 })
    assert.deepStrictEqual(readPassedTests(file, "tree"), { passed: 3, skipped: 1 })
    assert.isUndefined(readPassedTests(file, "another tree"))
    writeFileSync(file, "{")
    assert.isUndefined(readPassedTests(file, "tree"))
  })
})
