/** What went into the bundles, and how large they are. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { deflateRawSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { bundle, entries } from "../scripts/bundle.ts"

// Not the extension's own folder: the tests in a real editor build it at the same time.
const dist = mkdtempSync(join(tmpdir(), "extension-bundle-"))
afterAll(() => rmSync(dist, { recursive: true }))

/** The editor's API, as far as loading a module touches it. */
const touched = { DiagnosticSeverity: {}, TreeItemCollapsibleState: {}, Uri: { from: () => ({}) } }

/** Loads a file as the host of web extensions does. */
const asInBrowser = (name: string, require: (request: string) => unknown): Record<string, unknown> => {
  const code = readFileSync(join(dist, name), "utf8")
  const module = { exports: {} }
  new Function("module", "exports", "require", code)(module, module.exports, require)
  return module.exports
}

describe("the web bundle", () => {
  beforeAll(async () => {
    for (const entry of entries) if (entry.platform === "browser") await bundle(entry, dist)
  }, 60_000)

  it("loads in all its parts where there is no require for files", () => {
    const loaded = new Map<string, Record<string, unknown>>()
    const known = (request: string) => {
      if (request === "vscode") return touched
      const part = loaded.get(request)
      if (part === undefined) throw new Error(`Cannot load module '${request}'`)
      return part
    }
    for (const name of ["web.cjs", "web-app.cjs", "web-detection.cjs", "web-leak-check.cjs"]) {
      loaded.set(`./${name}`, asInBrowser(name, known))
    }
    const first = loaded.get("./web.cjs") ?? {}
    assert.isFunction(first["activate"])
    assert.isFunction(first["deactivate"])
    const { detector } = Object.values(loaded.get("./web-detection.cjs") ?? {}).find(
      (value) => typeof value === "object" && value !== null && "detector" in value
    ) as typeof import("../src/detection/Detector.ts")
    const secret = ["tidal", "Wren", "4471", "harbour!"].join("-")
    assert.strictEqual(detector.candidatesIn(`password = "${secret}"\n`, { path: "a.ini" }).length, 1)
  })
})

describe("the package", () => {
  it("is at most 1 MB", async () => {
    for (const entry of entries) await bundle(entry, dist)
    const files = [
      ...entries.flatMap(({ parts }) => parts.map(({ file }) => join(dist, file))),
      ...others.map((name) => fileURLToPath(new URL(`../${name}`, import.meta.url)))
    ]
    const size = files.reduce((sum, file) => sum + deflateRawSync(readFileSync(file)).length, 0)
    assert.isAtMost(size, 1_000_000)
  }, 60_000)

  const others = ["package.json", "package.nls.json", "package.nls.fr.json", "l10n/bundle.l10n.fr.json", "README.md"]
})

describe.each(entries)("the bundle for $platform", (entry) => {
  let files: ReadonlyMap<string, ReadonlyArray<string>>
  beforeAll(async () => {
    files = await bundle(entry, dist)
  }, 60_000)

  const modulesOf = (part: number) => files.get(entry.parts[part]?.file ?? "") ?? []
  const sizeOf = (file: string) => statSync(join(dist, file)).size

  it("is at most 15 kB for activation, 490 kB more at the first use, and 400 kB more for a leak check", () => {
    const [first = 0, app = 0, detection = 0, leakCheck = 0] = entry.parts.map(({ file }) => sizeOf(file))
    assert.isAtMost(first, 15_000)
    assert.isAtMost(app, 490_000)
    assert.isAtMost(detection + leakCheck, 400_000)
  })

  it("loads neither Effect, nor schemas, nor the client on activation", () => {
    assert.isNotEmpty(modulesOf(0))
    assert.deepStrictEqual(
      modulesOf(0).filter((path) => /node_modules\/(?!.*rolldown)|packages\//u.test(path)),
      []
    )
  })

  it("holds no server code, and detection, but for its names of secrets, only in the part that a leak check loads", () => {
    const modules = [...files.values()].flat()
    assert.deepStrictEqual(
      modules.filter((path) => /apps\/service|effect\/dist\/sql|HttpServer/u.test(path)),
      []
    )
    assert.deepStrictEqual(
      [...modulesOf(0), ...modulesOf(1)].filter((path) =>
        /packages\/(?:detect(?!\/src\/rules\/SecretName\.ts)|leak-check)|\/yaml\//u.test(path)
      ),
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
