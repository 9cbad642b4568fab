/** The guides of the command line name commands and flags that exist. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makeProgram, type Program } from "./Program.ts"

const textOf = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url)), "utf8").replaceAll(
    // Of other programs.
    /npm run [^`\n]*|npx --yes|`--no-verify`/gu,
    ""
  )

const commands = [
  [],
  ["check"],
  ["ignore", "add"],
  ["ignore", "list"],
  ["ignore", "prune"],
  ["hook", "install"],
  ["hook", "uninstall"],
  ["login"],
  ["logout"],
  ["whoami"],
  ["quota"],
  ["search", "credentials"],
  ["search", "events"],
  ["event"],
  ["export", "credentials"],
  ["export", "events"],
  ["feed"],
  ["accounts"],
  ["mcp"]
]

describe("the guides of the command line", () => {
  let program: Program
  let help: string

  beforeAll(async () => {
    program = await makeProgram()
    const texts = await Promise.all(commands.map(async (command) => (await program.run([...command, "--help"])).stdout))
    help = texts.join("\n")
  })
  afterAll(() => program.remove())

  it.each(["cli.md", "ci.md", "feed.md", "mcp.md"])("docs/%s names no flag that does not exist", (name) => {
    const flags = new Set([...textOf(name).matchAll(/--[a-z][a-z-]+/gu)].map(([flag]) => flag))
    assert.isAbove(flags.size, 1)
    assert.deepStrictEqual(
      [...flags].filter((flag) => !help.includes(`${flag} `) && !help.includes(`${flag},`)),
      []
    )
  })

  it("names every command", () => {
    const guides = textOf("cli.md")
    for (const [command] of commands) if (command !== undefined) assert.include(guides, command)
  })

  it.each(["bash", "zsh", "fish"])("completes commands in %s", async (shell) => {
    const { code, stdout } = await program.run(["--completions", shell])
    assert.strictEqual(code, 0)
    assert.include(stdout, "accounts")
  })
})
