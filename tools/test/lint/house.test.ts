import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const plugin = fileURLToPath(new URL("../../lint/house.ts", import.meta.url))
const oxlint = fileURLToPath(new URL("../../../node_modules/oxlint/bin/oxlint", import.meta.url))

/** Runs the real linter on one file: the names of the house's rules that it breaks. */
const broken = (path: string, source: string): ReadonlyArray<string> => {
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
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), source)
    const { stdout, stderr } = spawnSync(process.execPath, [oxlint, "--format=json"], { cwd: folder, encoding: "utf8" })
    const { diagnostics }: { diagnostics: ReadonlyArray<{ code: string }> } = JSON.parse(stdout || stderr)
    return diagnostics.map(({ code }) => code.replace(/^house\((.*)\)$/u, "$1"))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("the house's lint rules", () => {
  it("lets effects run in main.ts only", () => {
    const source = `import { Effect } from "effect"\nEffect.runSync(Effect.void)\n`
    assert.deepStrictEqual(broken("src/Plan.ts", source), ["effects-run-at-the-edge"])
    assert.deepStrictEqual(broken("src/main.ts", source), [])
    const runtime = "export const a = FiberSet.makeRuntimePromise()\n"
    assert.deepStrictEqual(broken("src/Plan.ts", runtime), ["effects-run-at-the-edge"])
    assert.deepStrictEqual(broken("src/NodeRequests.ts", runtime), [])
  })

  it("keeps time, randomness and the environment in services", () => {
    assert.deepStrictEqual(
      broken("src/Plan.ts", "export const a = [Date.now(), Math.random(), process.env, performance.now()]\n"),
      ["no-ambient-input", "no-ambient-input", "no-ambient-input", "no-ambient-input"]
    )
    assert.deepStrictEqual(broken("src/MonotonicTime.ts", "export const a = performance.now()\n"), [])
    assert.deepStrictEqual(
      broken("src/Plan.ts", "export const a = [Date.parse('2026'), Math.max(1), process.pid]\n"),
      []
    )
    const imports = ["{ env }", "{ env as first, pid }", "* as second", "third"]
      .map((names) => `import ${names} from "node:process"\n`)
      .join("")
    assert.lengthOf(broken("src/Plan.ts", imports), 4)
    assert.deepStrictEqual(broken("src/Plan.ts", `import { env } from "process"\n`), ["no-ambient-input"])
    assert.deepStrictEqual(broken("src/main.ts", imports), [])
    assert.deepStrictEqual(broken("src/Plan.ts", `import { pid, platform } from "node:process"\n`), [])
    assert.deepStrictEqual(broken("src/Plan.ts", `import { env } from "vscode"\n`), [])
  })

  it("wants comments to be sentences with a subject", () => {
    for (const comment of [
      "/** Of all lists. */",
      "// What is left.",
      "/** None if it is empty. */",
      "/**\n * Those that are found.\n */",
      "/** As before, if it is unchanged. */",
      "/* Whether of the first. */"
    ]) {
      assert.deepStrictEqual(broken("src/Plan.ts", `${comment}\nexport const a = 1\n`), ["sentence-comments"], comment)
    }
    for (const comment of [
      "/** The rest. What is found is kept. */",
      "// The reader of a sentence that\n// What began above.",
      "/** Whether it is empty. */",
      "/** Office hours, and nonetheless. */"
    ]) {
      assert.deepStrictEqual(broken("src/Plan.ts", `${comment}\nexport const a = 1\n`), [], comment)
    }
  })

  it("allows no assertion but `as const`", () => {
    assert.deepStrictEqual(broken("src/Plan.ts", "export const a = (b: unknown) => (b as string)!\n"), [
      "no-type-assertion",
      "no-type-assertion"
    ])
    assert.deepStrictEqual(broken("src/Plan.ts", "export const a = [1] as const\n"), [])
  })

  it("bans file names that tell nothing", () => {
    assert.deepStrictEqual(broken("src/utils.ts", "export const a = 1\n"), ["telling-file-names"])
    assert.deepStrictEqual(broken("src/Plan.ts", "export const a = 1\n"), [])
  })

  it("keeps folders in their order, type imports counted", () => {
    const uphill = (path: string, ...specifiers: ReadonlyArray<string>) =>
      broken(
        `app/src/${path}`,
        specifiers.map((specifier, at) => `import type { a${at} } from "${specifier}"\n`).join("")
      )
    assert.deepStrictEqual(
      uphill("events/Events.ts", "./Event.ts", "../search/Term.ts", "../sqlite/database/a/B.ts"),
      []
    )
    assert.deepStrictEqual(uphill("sqlite/Events.ts", "./database/Row.ts", "./other/Row.ts", "../events/Events.ts"), [])
    assert.deepStrictEqual(uphill("Http.ts", "./Server.ts", "./events/http.ts", "effect"), [])
    assert.deepStrictEqual(uphill("main.ts", "./Http.ts", "../package.json"), [])
    for (const [path, specifier] of [
      ["search/Term.ts", "../sqlite/database/Connection.ts"],
      ["sqlite/database/deep/Row.ts", "../../../events/Events.ts"],
      ["sqlite/database/Row.ts", "../Events.ts"],
      ["events/Events.ts", "../sqlite/Events.ts"],
      ["events/Events.ts", "../reports/Reports.ts"],
      ["events/Events.ts", "../Http.ts"],
      ["Http.ts", "./main.ts"]
    ] as const) {
      assert.deepStrictEqual(uphill(path, specifier), ["folder-order"])
    }
    for (const statement of ["export * from", "export { a } from", "import"]) {
      assert.deepStrictEqual(broken("app/src/search/Term.ts", `${statement} "../events/A.ts"\n`), ["folder-order"])
    }
    assert.deepStrictEqual(broken("app/src/search/Term.ts", `export const a = import("../events/A.ts")\n`), [
      "folder-order"
    ])
    assert.deepStrictEqual(broken("app/src/unlisted/A.ts", "export const a = 1\n"), ["folder-order"])
    assert.deepStrictEqual(broken("other/src/search/A.ts", `import "../events/A.ts"\n`), [])
  })
})
