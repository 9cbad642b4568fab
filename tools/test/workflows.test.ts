/** The workflows of this repository, and every workflow that its documents show, pass zizmor and actionlint. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { actionlint, zizmor } from "@threat-exposure/tools/WorkflowLinters"

const root = fileURLToPath(new URL("../../", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "workflows-"))
afterAll(() => rmSync(folder, { recursive: true }))

const workflows = join(folder, ".github", "workflows")
cpSync(join(root, ".github"), join(folder, ".github"), { recursive: true })
for (const path of ["action.yml", "apps/action/action.yml"]) cpSync(join(root, path), join(folder, path))

/** Completes a step that a document shows without the rest of its workflow. */
const workflowAround = (step: string) => `name: Step
on: workflow_dispatch
permissions: {}
concurrency:
  group: step
  cancel-in-progress: true
jobs:
  step:
    name: Step
    runs-on: ubuntu-latest
    timeout-minutes: 15
    permissions:
      contents: read # to read the code
    steps:
${step.replaceAll(/^(?=.)/gmu, "      ")}`

const documents = ["README.md", "apps/action/README.md"].concat(
  readdirSync(join(root, "docs")).flatMap((file) => (file.endsWith(".md") ? `docs/${file}` : []))
)

const examples = documents.flatMap((document) =>
  Array.from(readFileSync(join(root, document), "utf8").matchAll(/^```ya?ml\n([\s\S]*?)^```$/gmu))
    .map(([, yaml = ""]) => (yaml.startsWith("- uses: ") ? workflowAround(yaml) : yaml))
    // CircleCI's files have jobs too.
    .filter((yaml) => /^on:/mu.test(yaml) && /^jobs:$/mu.test(yaml))
    .map((yaml, index) => ({ file: `${document.replaceAll(/\W/gu, "-")}-${index + 1}.yml`, yaml }))
)
mkdirSync(workflows, { recursive: true })
for (const { file, yaml } of examples) writeFileSync(join(workflows, file), yaml)

const linters = { zizmor: await zizmor(), actionlint: await actionlint() }

const report = (linter: keyof typeof linters, ...args: ReadonlyArray<string>) => {
  const program = linters[linter]
  const { status, stderr, stdout } = spawnSync("path" in program ? program.path : "", args, {
    cwd: folder,
    encoding: "utf8"
  })
  return { status, text: `${stdout}${stderr}` }
}

/** Why a linter's test is skipped; `CI=true` counts a skipped test as failed. */
const missing = (linter: keyof typeof linters) => {
  const program = linters[linter]
  return "missing" in program ? program.missing : undefined
}

describe("workflows", () => {
  it("are shown by the documents of the action", () => {
    assert.isAbove(examples.length, 5)
  })

  it("pin the action to one commit", () => {
    const pins = examples.flatMap(({ yaml }) => yaml.match(/threat-exposure\/threat-exposure@.*/gu) ?? [])
    assert.isAbove(pins.length, 5)
    assert.strictEqual(new Set(pins).size, 1, pins.join("\n"))
  })

  it("pin a commit of this repository that has the action, with the inputs that they give", () => {
    const git = (...args: ReadonlyArray<string>) => spawnSync("git", ["-C", root, ...args], { encoding: "utf8" })
    // An archive of the sources has no history.
    if (git("rev-parse", "--git-dir").status !== 0) return
    const guide = readFileSync(join(root, "docs/ci.md"), "utf8")
    const commits = [
      ...examples.flatMap(({ yaml }) => /threat-exposure\/threat-exposure@([0-9a-f]{40})/u.exec(yaml)?.[1] ?? []),
      /rev: ([0-9a-f]{40}) /u.exec(guide)?.[1] ?? "docs/ci.md has none"
    ]
    for (const commit of new Set(commits)) {
      assert.strictEqual(git("merge-base", "--is-ancestor", commit, "HEAD").status, 0, commit)
      const action = git("show", `${commit}:action.yml`).stdout
      assert.strictEqual(git("cat-file", "-e", `${commit}:apps/action/dist/index.js`).status, 0)
      assert.strictEqual(git("cat-file", "-e", `${commit}:.pre-commit-hooks.yaml`).status, 0)
      for (const { yaml } of examples) {
        const given =
          /uses: threat-exposure\/threat-exposure@.*\n\s+with:\n((?:\s+[\w-]+:.*\n?)+)/u.exec(yaml)?.[1] ?? ""
        for (const [, name] of given.matchAll(/^\s+([\w-]+):/gmu)) assert.include(action, `\n  ${name}:\n`, commit)
      }
    }
  })

  describe.skipIf(missing("zizmor") !== undefined)(missing("zizmor") ?? "zizmor", () => {
    const args = ["--offline", "--no-config", "--no-progress", "--pedantic", "--format", "plain"]

    it("finds nothing in them, nor in action.yml", () => {
      const { status, text } = report("zizmor", ...args, ".")
      assert.strictEqual(status, 0, text)
      for (const file of [...readdirSync(workflows), "apps/action/action.yml"]) {
        assert.include(text, `${file}\n`, "was not looked at")
      }
    })

    it("finds an action that is not pinned", () => {
      const file = join(folder, "unpinned.yml")
      writeFileSync(file, workflowAround("- uses: actions/checkout@v7\n"))
      const { status, text } = report("zizmor", ...args, file)
      assert.notStrictEqual(status, 0)
      assert.include(text, "unpinned-uses")
    })
  })

  describe.skipIf(missing("actionlint") !== undefined)(missing("actionlint") ?? "actionlint", () => {
    // Scripts are checked by shellcheck where it is installed, whose findings differ from version to version.
    const args = ["-no-color", "-shellcheck=", "-pyflakes="]

    it("finds nothing in them", () => {
      const { status, text } = report(
        "actionlint",
        ...args,
        ...readdirSync(workflows).map((file) => join(workflows, file))
      )
      assert.strictEqual(status, 0, text)
    })

    it("finds an expression with a mistake", () => {
      const file = join(folder, "mistake.yml")
      writeFileSync(file, workflowAround("- run: echo ${{ github.sha_ }}\n"))
      const { status, text } = report("actionlint", ...args, file)
      assert.notStrictEqual(status, 0)
      assert.include(text, "sha_")
    })
  })
})
