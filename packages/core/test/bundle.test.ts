/** The bundle of a program that searches credentials is small and contains no module of Node. */
import { fileURLToPath } from "node:url"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { rolldown } from "rolldown"

const source = (path: string) => JSON.stringify(fileURLToPath(new URL(`../src/${path}`, import.meta.url)))

const bundled = async (program: string) => {
  const entry = "\0program"
  const bundle = await rolldown({
    input: entry,
    platform: "browser",
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    // A missing module must fail the build instead of becoming an external import.
    onLog: (level, log) => {
      if (level === "warn") throw new Error(log.message)
    },
    plugins: [
      {
        name: "program",
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? program : undefined)
      }
    ]
  })
  const { output } = await bundle.generate({ format: "iife", minify: true, codeSplitting: false })
  await bundle.close()
  const [chunk] = output
  return { bytes: Buffer.byteLength(chunk.code), code: chunk.code, modules: chunk.moduleIds, imports: chunk.imports }
}

const withPromises = `
import { createClient } from ${source("promise.ts")}
const ids = async () => {
  const found = []
  const client = createClient({ baseUrl: "https://api.example.com", token: "a-token" })
  for await (const { id } of client.credentials.search({ query: { type: "domain", fqdn: "example.com" } })) found.push(id)
  return found
}
globalThis.found = ids()
`

const withEffect = `
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { ApiClient } from ${source("client/ApiClient.ts")}
import { Credentials } from ${source("client/Credentials.ts")}
const ids = Effect.flatMap(Credentials, (credentials) =>
  Stream.runCollect(Stream.map(credentials.search({ query: { type: "domain", fqdn: "example.com" } }), ({ id }) => id))
)
const client = ApiClient.layer({ baseUrl: "https://api.example.com", token: "a-token" })
globalThis.found = Effect.runPromise(Effect.provide(ids, Layer.provide(Credentials.layer, client)))
`

/** Runs the bundle without any Node global, as in a browser's worker. */
const foundBy = async (code: string): Promise<unknown> => {
  const page = { items: [{ id: 7, identity_name: "a@example.com", imported_at: "2026-01-01T00:00:00Z" }], next: null }
  const worker = {
    AbortController,
    AbortSignal,
    Headers,
    Request,
    Response,
    ReadableStream,
    TextDecoder,
    TextEncoder,
    URL,
    URLSearchParams,
    btoa,
    clearTimeout,
    fetch: async () => new Response(JSON.stringify(page)),
    performance,
    queueMicrotask,
    setTimeout,
    found: undefined
  }
  runInNewContext(code, worker)
  return Array.from(Object(await worker.found))
}

describe("the bundle of a program that searches credentials", () => {
  for (const [name, program] of [
    ["the Promise face", withPromises],
    ["the Effect face", withEffect]
  ] as const) {
    it(`runs in a browser, and is no larger than 250 kB: ${name}`, async () => {
      const { bytes, code, imports, modules } = await bundled(program)
      assert.deepStrictEqual(imports, [])
      assert.deepStrictEqual(
        modules.filter((id) => id.startsWith("node:") || /platform-node|__vite-browser-external/u.test(id)),
        []
      )
      assert.deepStrictEqual(await foundBy(code), [7])
      assert.isAtMost(bytes, 250_000)
    })
  }
})
