import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const plugin = fileURLToPath(new URL("../../lint/house.ts", import.meta.url))
const oxlint = fileURLToPath(new URL("../../../node_modules/oxlint/bin/oxlint", import.meta.url))

/** A file, and the names of the house's rules that it breaks. */
type Case = readonly [path: string, source: string, broken: ReadonlyArray<string>]

/** Runs the real linter once, on all files, each in a folder of its own. */
const assertBroken = (cases: ReadonlyArray<Case>): void => {
  const folder = mkdtempSync(join(tmpdir(), "house-"))
  try {
    const rules = [
      "effects-run-at-the-edge",
      "no-ambient-input",
      "no-type-assertion",
      "sentence-comments",
      "telling-file-names"
    ]
    writeFileSync(
      join(folder, ".oxlintrc.json"),
      JSON.stringify({
        jsPlugins: [plugin],
        categories: { correctness: "off" },
        rules: {
          ...Object.fromEntries(rules.map((rule) => [`house/${rule}`, "error"])),
          "house/folder-order": [
            "error",
            { "app/src": [["search"], ["sqlite/database"], ["events", "reports"], ["sqlite"], ["."], ["main.ts"]] }
          ]
        }
      })
    )
    for (const [at, [path, source]] of cases.entries()) {
      const file = join(folder, String(at), path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, source)
    }
    const { stdout, stderr } = spawnSync(process.execPath, [oxlint, "--format=json"], { cwd: folder, encoding: "utf8" })
    const {
      diagnostics,
      number_of_files: files
    }: {
      diagnostics: ReadonlyArray<{ code: string; filename: string }>
      number_of_files: number
    } = JSON.parse(stdout || stderr)
    assert.strictEqual(files, cases.length)
    for (const [at, [path, source, broken]] of cases.entries()) {
      const found = diagnostics.filter(({ filename }) => filename.replaceAll("\\", "/") === `${at}/${path}`)
      assert.deepStrictEqual(
        found.map(({ code }) => code.replace(/^house\((.*)\)$/u, "$1")),
        broken,
        `${path}: ${source}`
      )
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("the house's lint rules", () => {
  it("lets effects run in main.ts only", () => {
    const source = `import { Effect } from "effect"\nEffect.runSync(Effect.void)\n`
    const runtime = "export const a = FiberSet.makeRuntimePromise()\n"
    assertBroken([
      ["src/Plan.ts", source, ["effects-run-at-the-edge"]],
      ["src/main.ts", source, []],
      ["src/Plan.ts", runtime, ["effects-run-at-the-edge"]],
      ["src/NodeRequests.ts", runtime, []]
    ])
  })

  it("keeps time, randomness and the environment in services", () => {
    const ambient = (count: number) => Array.from({ length: count }, () => "no-ambient-input")
    const imports = ["{ env }", "{ env as first, pid }", "* as second", "third"]
      .map((names) => `import ${names} from "node:process"\n`)
      .join("")
    assertBroken([
      ["src/Plan.ts", "export const a = [Date.now(), Math.random(), process.env, performance.now()]\n", ambient(4)],
      ["src/MonotonicTime.ts", "export const a = performance.now()\n", []],
      ["src/Plan.ts", "export const a = [Date.parse('2026'), Math.max(1), process.pid]\n", []],
      ["src/Plan.ts", imports, ambient(4)],
      ["src/Plan.ts", `import { env } from "process"\n`, ambient(1)],
      ["src/main.ts", imports, []],
      ["src/Plan.ts", `import { pid, platform } from "node:process"\n`, []],
      ["src/Plan.ts", `import { env } from "vscode"\n`, []]
    ])
  })

  it("wants comments to be sentences with a subject", () => {
    const commented =
      (broken: ReadonlyArray<string>) =>
      (comment: string): Case => ["src/Plan.ts", `${comment}\nexport const a = 1\n`, broken]
    assertBroken([
      ...[
        "/** Of all lists. */",
        "// What is left.",
        "/** None if it is empty. */",
        "/**\n * Those that are found.\n */",
        "/** As before, if it is unchanged. */",
        "/* Whether of the first. */",
        "/** Its name. */",
        "// They are sorted.",
        "// Or the list is empty."
      ].map(commented(["sentence-comments"])),
      ...[
        "/** The rest. What is found is kept. */",
        "// The reader of a sentence that\n// What began above.",
        "/** Whether it is empty. */",
        "/** Office hours, and nonetheless. */",
        "/** Items, in order. They are sorted. */"
      ].map(commented([]))
    ])
  })

  it("allows no assertion but `as const`", () => {
    assertBroken([
      ["src/Plan.ts", "export const a = (b: unknown) => (b as string)!\n", ["no-type-assertion", "no-type-assertion"]],
      ["src/Plan.ts", "export const a = [1] as const\n", []]
    ])
  })

  it("bans file names that tell nothing", () => {
    assertBroken([
      ["src/utils.ts", "export const a = 1\n", ["telling-file-names"]],
      ["src/Plan.ts", "export const a = 1\n", []]
    ])
  })

  it("keeps folders in their order, type imports counted", () => {
    const importing = (path: string, specifiers: ReadonlyArray<string>, broken: ReadonlyArray<string> = []): Case => [
      `app/src/${path}`,
      specifiers.map((specifier, at) => `import type { a${at} } from "${specifier}"\n`).join(""),
      broken
    ]
    const uphill = ["folder-order"]
    assertBroken([
      importing("events/Events.ts", ["./Event.ts", "../search/Term.ts", "../sqlite/database/a/B.ts"]),
      importing("sqlite/Events.ts", ["./database/Row.ts", "./other/Row.ts", "../events/Events.ts"]),
      importing("Http.ts", ["./Server.ts", "./events/http.ts", "effect"]),
      importing("main.ts", ["./Http.ts", "../package.json"]),
      importing("search/Term.ts", ["../sqlite/database/Connection.ts"], uphill),
      importing("sqlite/database/deep/Row.ts", ["../../../events/Events.ts"], uphill),
      importing("sqlite/database/Row.ts", ["../Events.ts"], uphill),
      importing("events/Events.ts", ["../sqlite/Events.ts"], uphill),
      importing("events/Events.ts", ["../reports/Reports.ts"], uphill),
      importing("events/Events.ts", ["../Http.ts"], uphill),
      importing("Http.ts", ["./main.ts"], uphill),
      ["app/src/search/Term.ts", `export * from "../events/A.ts"\n`, uphill],
      ["app/src/search/Term.ts", `export { a } from "../events/A.ts"\n`, uphill],
      ["app/src/search/Term.ts", `import "../events/A.ts"\n`, uphill],
      ["app/src/search/Term.ts", `export const a = import("../events/A.ts")\n`, uphill],
      ["app/src/unlisted/A.ts", "export const a = 1\n", uphill],
      ["other/src/search/A.ts", `import "../events/A.ts"\n`, []]
    ])
  })
})
