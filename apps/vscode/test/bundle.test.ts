/** What went into the bundles, and how large they are. */
import { readFileSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "vitest"
import { bundle, entries } from "../scripts/bundle.ts"

/** The editor's API, as far as loading a module touches it. */
const touched = { DiagnosticSeverity: {}, TreeItemCollapsibleState: {} }

/** Loads a file as the host of web extensions does. */
const asInBrowser = (name: string, require: (request: string) => unknown): Record<string, unknown> => {
  const code = readFileSync(fileURLToPath(new URL(`../dist/${name}`, import.meta.url)), "utf8")
  const module = { exports: {} }
  new Function("module", "exports", "require", code)(module, module.exports, require)
  return module.exports
}

describe("the web bundle", () => {
  beforeAll(async () => {
    for (const entry of entries) if (entry.platform === "browser") await bundle(entry)
  }, 60_000)

  it("loads in both parts where there is no require for files", () => {
    const refused = (request: string) => {
      if (request !== "vscode") throw new Error(`Cannot load module '${request}'`)
      return touched
    }
    const first = asInBrowser("web.cjs", refused)
    assert.isFunction(first["activate"])
    assert.isFunction(first["deactivate"])
    const second = asInBrowser("web-leak-check.cjs", () => first)
    const engine: unknown = Object.values(second).find(
      (value) => typeof value === "object" && value !== null && "candidatesIn" in value
    )
    if (typeof engine !== "object" || engine === null || !("candidatesIn" in engine)) throw new Error("no engine in it")
    assert.isFunction(engine.candidatesIn)
    const secret = ["tidal", "Wren", "4471", "harbour!"].join("-")
    const find = engine.candidatesIn as (text: string, file: { path: string }) => ReadonlyArray<unknown>
    assert.strictEqual(find(`password = "${secret}"\n`, { path: "a.ini" }).length, 1)
  })
})

describe.each(entries)("$output", (entry) => {
  let files: ReadonlyMap<string, ReadonlyArray<string>>
  beforeAll(async () => {
    files = await bundle(entry)
  }, 60_000)

  it("is two files of at most 400 kB", () => {
    assert.sameMembers([...files.keys()], [entry.output, entry.later])
    for (const file of files.keys()) {
      const { size } = statSync(fileURLToPath(new URL(`../dist/${file}`, import.meta.url)))
      assert.isAtMost(size, 400_000, file)
    }
  })

  it("holds no server code, and detection only in the part that is loaded later", () => {
    const modules = [...files.values()].flat()
    assert.deepStrictEqual(
      modules.filter((path) => /apps\/service|effect\/dist\/sql|HttpServer/u.test(path)),
      []
    )
    const first = files.get(entry.output) ?? []
    assert.deepStrictEqual(
      first.filter((path) => /packages\/(?:detect|leak-check)|\/yaml\//u.test(path)),
      []
    )
  })

  it("asks a browser for nothing that only Node has", () => {
    if (entry.platform === "node") return
    const modules = [...files.values()].flat()
    assert.deepStrictEqual(
      modules.filter((path) => /^node:|platform-node|\/src\/node\//u.test(path)),
      []
    )
  })
})
