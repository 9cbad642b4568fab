/** The types that an editor shows for inferred values: they are names, as in declarations of the compiler. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const program = `
import { createClient } from "../../src/promise.ts"
import { Events } from "../../src/client/Events.ts"
import * as Effect from "effect/Effect"
export const client = createClient({ baseUrl: "https://api.example.com", token: "a-token" })
export const found = client.credentials.search({ query: { type: "domain", fqdn: "example.com" } })
export const pages = client.events.pages()
export const first = client.identifiers.createV2({ name: "example.com" })
export const { search } = client.credentials
export const { assign } = client.matchingPolicies
export const { events } = client
export const streamed = Effect.map(Events, (events) => events.ofIdentifier(1))
`

describe("an inferred type", () => {
  const folder = mkdtempSync(join(import.meta.dirname, "hovers-"))
  let declarations = ""

  beforeAll(() => {
    writeFileSync(join(folder, "program.ts"), program.replaceAll("../../src", "../../../src"))
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: resolve(import.meta.dirname, "../../../../tsconfig.base.json"),
        files: ["program.ts"],
        compilerOptions: {
          composite: false,
          incremental: false,
          emitDeclarationOnly: true,
          rewriteRelativeImportExtensions: false,
          allowImportingTsExtensions: true,
          lib: ["es2024", "esnext.disposable", "esnext.iterator", "webworker"],
          rootDir: "../../..",
          outDir: "out"
        }
      })
    )
    execFileSync("tsc", ["-p", folder, "--checkers", "1"], { encoding: "utf8" })
    declarations = readFileSync(join(folder, "out/test/promise", folder.replace(/^.*\//u, ""), "program.d.ts"), "utf8")
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  for (const [name, type] of Object.entries({
    client: `import("../../../src/promise.ts").Client`,
    found: "ItemListing<Credential>",
    pages: "PageListing<Page<Event>>",
    first: "ApiPromise<Identifier>",
    search: "(request: RequestInput<CredentialSearch>, options?: CallOptions) => ItemListing<Credential>",
    assign: "(id: string, request: RequestInput<AssignPolicy>, options?: CallOptions) => ApiPromise<void>",
    events: "Promised<EventsMethods>",
    streamed: "Effect.Effect<Stream<IdentifierEvent, ApiError, never>, never, Events>"
  })) {
    it(`of ${name} is shown as ${type}`, () => {
      const shown = new RegExp(`${name}: (.*?)[,;]\\n|const ${name}: (.*);`, "u").exec(declarations)
      const text = (shown?.[1] ?? shown?.[2] ?? declarations).replaceAll(/import\("[^"]*"\)\.(?:\w+\.)?/gu, "")
      assert.strictEqual(text.replaceAll(" | undefined", ""), type.replaceAll(/import\("[^"]*"\)\./gu, ""))
    })
  }
})
