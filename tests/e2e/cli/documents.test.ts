/** The guides of the command line name commands and flags that exist. */
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { systemProgram } from "@threat-exposure/programs/SystemProgram"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makeProgram, type Program } from "./Program.ts"

const textOf = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url)), "utf8").replaceAll(
    // Commands of other programs.
    /npm run [^`\n]*|`(?:csvjson|mlr) [^`\n]*`|npx @threat-exposure\/service [^`\n]*|npx --yes|"--yes"|`--no-verify`|^docker (?:.*\\\n)*.*/gmu,
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
  ["hook", "run"],
  ["login"],
  ["logout"],
  ["whoami"],
  ["quota"],
  ["search", "credentials"],
  ["search", "events"],
  ["event"],
  ...["ignore", "unignore", "remediate", "unremediate", "tag", "note", "severity"].map((name) => ["events", name]),
  ...["list", "get", "create", "update", "enable", "disable", "delete"].map((name) => ["identifiers", name]),
  ...["list", "create", "rename", "delete"].map((name) => ["groups", name]),
  ...["list", "get"].map((name) => ["rules", name]),
  ...["list", "get", "create", "update", "delete", "assign", "unassign"].map((name) => ["policies", name]),
  ...["list", "accept", "reject"].map((name) => ["recommendations", name]),
  ["reports", "list"],
  ["reports", "create"],
  ["reports", "download"],
  ["plan"],
  ["apply"],
  ["export", "credentials"],
  ["export", "monitoring"],
  ["export", "events"],
  ["feed"],
  ["accounts"],
  ["mcp"]
]

describe("the guides of the command line", () => {
  let program: Program
  let texts: ReadonlyArray<string>
  let help: string

  beforeAll(async () => {
    program = await makeProgram()
    texts = await Promise.all(commands.map(async (command) => (await program.run([...command, "--help"])).stdout))
    help = texts.join("\n")
  })
  afterAll(() => program.remove())

  it.each(["cli.md", "ci.md", "feed.md", "mcp.md"])("docs/%s names no flag that does not exist", (name) => {
    const ofThisProgram = textOf(name).replaceAll(/```sh\ndocker [\s\S]*?```/gu, "")
    const flags = new Set([...ofThisProgram.matchAll(/--[a-z][a-z-]+/gu)].map(([flag]) => flag))
    assert.isAbove(flags.size, 1)
    assert.deepStrictEqual(
      [...flags].filter((flag) => !help.includes(`${flag} `) && !help.includes(`${flag},`)),
      []
    )
  })

  it("no flag of a command has the name of one that all commands have", () => {
    for (const [index, text] of texts.entries()) {
      const flags = Array.from(text.matchAll(/^  (--[a-z-]+)/gmu), ([, flag]) => flag)
      assert.deepStrictEqual(flags, [...new Set(flags)], commands[index]?.join(" "))
    }
  })

  it("each command's help has an example, with flags that it has", () => {
    for (const [index, text] of texts.entries()) {
      const command = commands[index] ?? []
      if (command.length === 0) continue
      const [flags = "", examples = ""] = text.split("EXAMPLES\n")
      assert.include(examples, `threat-exposure ${command.join(" ")}`)
      for (const [flag] of examples.matchAll(/ --[a-z][a-z-]+/gu)) assert.include(flags, `${flag}`, command.join(" "))
    }
  })

  it("README.md calls commands that exist, with flags that they have", () => {
    const readme = readFileSync(fileURLToPath(new URL("../../../README.md", import.meta.url)), "utf8")
    const calls = [...readme.matchAll(/^npm run cli -- (\w+)(.*?)(?: +#.*)?$/gmu)]
    assert.isAbove(calls.length, 3)
    for (const [, command = "", flags = ""] of calls) {
      const text = texts[commands.findIndex(([first]) => first === command)] ?? ""
      for (const [flag] of flags.matchAll(/--[a-z][a-z-]+/gu)) assert.include(text, `${flag} `, command)
    }
  })

  it("names every command", () => {
    const guides = textOf("cli.md")
    for (const [command] of commands) if (command !== undefined) assert.include(guides, command)
  })
})

for (const shell of ["bash", "zsh", "fish"] as const) {
  const found = await systemProgram([shell], [shell])
  describe.skipIf("missing" in found)("missing" in found ? found.missing : `completions in ${shell}`, () => {
    it("complete commands, flags and saved profiles", async () => {
      const program = await makeProgram()
      try {
        const folder = join(program.folder, "config", "threat-exposure")
        mkdirSync(folder, { recursive: true })
        const saved = { base_url: "https://exposure.example.com", kind: "token" }
        writeFileSync(join(folder, "profiles.json"), JSON.stringify({ profiles: { work: saved } }))
        const { code, stdout } = await program.run(["--completions", shell])
        assert.strictEqual(code, 0)
        for (const word of ["accounts", "stealer_log", "gitlab-codequality"]) assert.include(stdout, word)
        const file = join(program.folder, `completions.${shell}`)
        writeFileSync(file, stdout)
        const { arguments: given, expected } = shells[shell]
        const ended = spawnSync(shell, [...given, file], { encoding: "utf8", timeout: 600_000 })
        assert.strictEqual(ended.status, 0, ended.stderr)
        assert.match(ended.stdout, expected)
      } finally {
        await program.remove()
      }
    })
  })
}

it("completions for a shell that none are written for are refused", async () => {
  const program = await makeProgram()
  try {
    const { code, stderr, stdout } = await program.run(["--completions", "sh"])
    assert.deepStrictEqual([code, stdout], [2, ""])
    assert.include(stderr, '"bash" | "zsh" | "fish" | "powershell"')
  } finally {
    await program.remove()
  }
})

/** Commands that print each shell's completions of `che` and `--sta`; the completion script is the last argument. */
const shells = {
  bash: {
    arguments: [
      "--norc",
      "-c",
      `source "$0"
      ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=\${#COMP_LINE}
        _threat_exposure "$1" "\${@: -1}" "\${@: -2:1}"; echo "\${COMPREPLY[@]}"; }
      ask threat-exposure che
      ask threat-exposure check --sta
      ask threat-exposure check --js
      ask threat-exposure check --profile w
      ask threat-exposure --profile w`
    ],
    expected: /^check\n--staged\n--json\nwork\nwork\n$/u
  },
  // The keys that a person types, with the tab key, in a terminal of its own.
  zsh: {
    arguments: [
      "-f",
      "-c",
      `zmodload zsh/zpty
      zpty -b shell zsh -f -i
      zpty -w shell 'autoload -U compinit; compinit -u -D; threat-exposure() { print -r -- "RAN $*" }; source '"$0"
      zpty -w -n shell $'threat-exposure che\\t--sta\\t\\n'
      zpty -w shell $'print EN""D'
      while zpty -r shell line '*'$'\\n'; do print -r -- "$line"; [[ $line == *END* ]] && break; done
      true`
    ],
    expected: /RAN check --staged/u
  },
  fish: {
    arguments: [
      "--no-config",
      "-c",
      'source $argv[1]; complete -C "threat-exposure che"; complete -C "threat-exposure check --sta"; complete -C "threat-exposure check --profile w"'
    ],
    expected: /^check\t.*\n--staged\t.*\nwork\b/u
  }
} as const
