import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "threat-exposure-"))
const groups: Array<number> = []

afterAll(() => {
  for (const group of groups) if (hasMembers(group)) process.kill(-group, "SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

describe("with-node", () => {
  it("passes SIGTERM on to the service when npm receives it", async () => {
    const database = join(folder, "test.sqlite")
    const npm = spawn("npm", ["run", "service", "--", "serve", "--port", "0", "--database", database], {
      cwd: root,
      stdio: ["ignore", "pipe", "ignore"],
      // A process group shows which processes of the chain npm, sh, with-node, service are left.
      detached: true
    })
    const group = npm.pid ?? 0
    groups.push(group)
    let output = ""
    npm.stdout.on("data", (text) => (output += text))
    await until(() => /listening on http:\S+\n/.test(output) || npm.exitCode !== null)
    const url = /listening on (http:\S+)\n/.exec(output)?.[1] ?? ""
    assert.isTrue((await fetch(`${url}/healthz`)).ok)
    npm.kill("SIGTERM")
    await until(() => !hasMembers(group))
  })
})

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 50))
}

const hasMembers = (group: number): boolean => {
  try {
    process.kill(-group, 0)
    return true
  } catch {
    return false
  }
}
