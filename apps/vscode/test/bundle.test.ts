/** Tests which modules the bundles contain, and their sizes. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { deflateRawSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { bundle, entries } from "../scripts/bundle.ts"

// A separate folder, because tests in a real editor build the extension's own folder at the same time.
const dist = mkdtempSync(join(tmpdir(), "extension-bundle-"))
/** Modules of each file, by platform. */
const built = new Map<string, ReadonlyMap<string, ReadonlyArray<string>>>()
beforeAll(async () => {
  for (const entry of entries) built.set(entry.platform, await bundle(entry, dist))
})
afterAll(() => rmSync(dist, { recursive: true }))

/**
 * A stub of the editor's API that fails if its members are enumerated: copying hundreds of them would take a third of
 * the activation time.
 */
const touched = new Proxy(
  { DiagnosticSeverity: {}, TreeItemCollapsibleState: {}, Uri: { from: () => ({}) } },
  {
    ownKeys: () => {
      throw new Error("The API of the editor is copied")
    }
  }
)

/** Loads a file as the host of web extensions does. */
const asInBrowser = (name: string, require: (request: string) => unknown): Record<string, unknown> => {
  const code = readFileSync(join(dist, name), "utf8")
  const module = { exports: {} }
  new Function("module", "exports", "require", code)(module, module.exports, require)
  return module.exports
}

describe("the web bundle", () => {
  it("loads all of its parts without `require`, and copies nothing of the editor's API", () => {
    const loaded = new Map<string, Record<string, unknown>>()
    const known = (request: string) => {
      if (request === "vscode") return touched
      const part = loaded.get(request)
      if (part === undefined) throw new Error(`Cannot load module '${request}'`)
      return part
    }
    for (const { file } of entries.flatMap(({ platform, parts }) => (platform === "browser" ? parts : []))) {
      loaded.set(`./${file}`, asInBrowser(file, known))
    }
    const first = loaded.get("./web.cjs") ?? {}
    assert.isFunction(first["activate"])
    assert.isFunction(first["deactivate"])
    const { detector } = Object.values(loaded.get("./web-detection.cjs") ?? {}).find(
      (value) => typeof value === "object" && value !== null && "detector" in value
    ) as typeof import("../src/detection/Detector.ts")
    const secret = ["tidal", "Wren", "4471", "harbour!"].join("-")
    assert.strictEqual(detector.scanText(`password = "${secret}"\n`, "a.ini").candidates.length, 1)
  })
})

describe("the package", () => {
  it("is at most 1 MB", () => {
    const files = [
      ...entries.flatMap(({ parts }) => parts.map(({ file }) => join(dist, file))),
      ...others.map((name) => fileURLToPath(new URL(`../${name}`, import.meta.url)))
    ]
    const size = files.reduce((sum, file) => sum + deflateRawSync(readFileSync(file)).length, 0)
    assert.isAtMost(size, 1_000_000)
  })

  const others = ["package.json", "package.nls.json", "package.nls.fr.json", "l10n/bundle.l10n.fr.json", "README.md"]
})

describe.each(entries)("the bundle for $platform", (entry) => {
  const [activation = "", app = "", ...later] = entry.parts.map(({ file }) => file)
  const modulesOf = (file: string) => built.get(entry.platform)?.get(file) ?? []
  const allModules = () => entry.parts.flatMap(({ file }) => modulesOf(file))

  /** Maximum size of each part in kB; names lack the platform prefix. */
  const limits: Readonly<Record<string, number>> = {
    "extension.cjs": 15,
    "app.cjs": 530,
    "overview.cjs": 20,
    "event.cjs": 25,
    "credential.cjs": 20,
    "event-form.cjs": 15,
    "identifier.cjs": 20,
    "policy.cjs": 20,
    "sign-in.cjs": 10,
    "record.cjs": 20,
    "export.cjs": 20,
    "request.cjs": 10,
    "leak-closing.cjs": 10,
    "detection.cjs": 206,
    "leak-check.cjs": 130,
    "yaml.cjs": 120,
    "toml.cjs": 35,
    "re2.cjs": 160,
    "ignore.cjs": 10
  }

  it("keeps each part under its limit: what activation loads, the first use, each page, and a leak check", () => {
    for (const { file } of entry.parts) {
      const name = file === "web.cjs" ? "extension.cjs" : file.replace(/^web-/u, "")
      assert.isAtMost(statSync(join(dist, file)).size, (limits[name] ?? 0) * 1000, file)
    }
  })

  it("loads neither Effect, nor schemas, nor the client on activation", () => {
    assert.isNotEmpty(modulesOf(activation))
    assert.deepStrictEqual(
      modulesOf(activation).filter((path) => /node_modules\/(?!.*rolldown)|packages\//u.test(path)),
      []
    )
  })

  it("loads the pages of the overview and of an event with the first of each, and the parsers of YAML and TOML for the first such file", () => {
    const first = [activation, app].flatMap(modulesOf)
    assert.deepStrictEqual(
      first.filter((path) =>
        /\/(?:Overview|OverviewPage|(?:Event|Credential|Record)(?:Document|Html|Json|Markdown))\.ts$/u.test(path)
      ),
      []
    )
    const parsers = /(?:yaml|toml)\.cjs$/u
    for (const file of [activation, app, ...later].filter((name) => !parsers.test(name))) {
      assert.deepStrictEqual(
        modulesOf(file).filter((path) => /\/node_modules\/(?:yaml|smol-toml)\//u.test(path)),
        []
      )
    }
  })

  it("contains no server code, and detection and the check only in the chunks of leak checks, except names of secrets, places and failures", () => {
    const modules = allModules()
    assert.deepStrictEqual(
      modules.filter((path) => /apps\/service|effect\/dist\/sql|HttpServer/u.test(path)),
      []
    )
    // Functions that may be shared; neither the rules nor the check.
    const sharedModules =
      /(?:detect\/src\/(?:git\/BesideFiles|rules\/SecretName|text\/Bytes)|leak-check\/src\/(?:report\/Escape|search\/FailureText))\.ts$/u
    const ofAnyUse = [activation, app, ...later.filter((file) => /(?:credential|event|overview)\.cjs$/u.test(file))]
    assert.deepStrictEqual(
      ofAnyUse
        .flatMap(modulesOf)
        .filter((path) => /packages\/(?:detect|leak-check)\//u.test(path))
        .filter((path) => !sharedModules.test(path)),
      []
    )
  })

  it("uses nothing in a browser that only Node has", () => {
    if (entry.platform === "node") return
    const modules = allModules()
    assert.deepStrictEqual(
      modules.filter((path) => /^node:|platform-node|\/src\/node\//u.test(path)),
      []
    )
  })
})
