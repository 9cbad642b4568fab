import { spawn } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { leakedSecrets } from "@threat-exposure/sample/LeakedSecrets"
import { leakedInto } from "../Leaked.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const output = join(root, ".demo")

const demo = (...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resolve, reject) => {
    const child = spawn("npm", ["run", "--silent", "demo", "--", ...args], { cwd: root })
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", (chunk) => (stdout += chunk))
    child.stderr.on("data", (chunk) => (stderr += chunk))
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? filesBelow(path) : [path]
  })

describe("npm run demo", () => {
  it("finds the leaks of the sample pull request, and writes no value", async () => {
    const { code, stderr, stdout } = await demo()
    assert.strictEqual(code, 0, stderr)
    assert.match(stdout.trimEnd().split("\n").at(-1) ?? "", /^verdict: leaked \(5 leaks, 14 searches\)$/u)

    const report = JSON.parse(readFileSync(join(output, "report.json"), "utf8"))
    assert.strictEqual(report.verdict, "leaked")
    assert.strictEqual(report.searches, 14)
    assert.deepStrictEqual(report.unsearched, [])
    assert.sameMembers(
      report.leaks
        .filter(({ counts }: { counts: boolean }) => counts)
        .map(({ subject }: { subject: { locations: ReadonlyArray<{ path: string; line: number }> } }) =>
          subject.locations.map(({ line, path }) => `${path}:${line}`).join()
        ),
      [
        "src/invoices.ts:4",
        "scripts/release.sh:3",
        "deploy/staging.env:2",
        "deploy/staging.env:4",
        "deploy/staging.env:5"
      ]
    )
    assert.strictEqual(JSON.parse(readFileSync(join(output, "results.sarif"), "utf8")).version, "2.1.0")

    const written = new Map<string, string | Uint8Array>([
      ["standard output", stdout],
      ["standard error", stderr],
      ...filesBelow(output)
        .filter((path) => !path.startsWith(join(output, "repository")))
        .map((path) => [path, readFileSync(path)] as const)
    ])
    assert.isTrue(written.has(join(output, "summary.md")))
    assert.deepStrictEqual(
      leakedInto(written, Object.fromEntries(Object.values(leakedSecrets).map(({ name, value }) => [name, value]))),
      []
    )
  })

  it("checks a repository of the user", async () => {
    const folder = await mkdtemp(join(tmpdir(), "yours-"))
    try {
      await writeFile(join(folder, "settings.env"), `DATABASE_PASSWORD=${leakedSecrets.databasePassword.value}\n`)
      const { code, stdout } = await demo(folder)
      assert.strictEqual(code, 0)
      assert.match(stdout.trimEnd().split("\n").at(-1) ?? "", /^verdict: leaked \(1 leak, 2 searches\)$/u)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it("reports a folder that does not exist", async () => {
    const { code, stderr } = await demo("no/such/folder")
    assert.notStrictEqual(code, 0)
    assert.include(stderr, join("no", "such", "folder"))
  })
})
