import { createServer } from "node:http"
import { createDeflate, createGzip } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { nodeHttp, serviceHttp } from "@threat-exposure/cli/connection/NodeHttp"
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { layerNoDeps } from "@threat-exposure/core/client/services"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as HttpClient from "effect/http/HttpClient"

const compressors = { gzip: createGzip, deflate: createDeflate }

/** A service whose pages of three credentials are compressed, if the client accepts that. */
const compressing = (name: keyof typeof compressors) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((request, response) => {
        const accepts = request.headers["accept-encoding"]?.includes(name) === true
        const items = [1, 2, 3].map((id) => ({ id, identity_name: `person.${id}@example.com`, source_id: "one" }))
        response.writeHead(200, accepts ? { "content-encoding": name } : { "x-not-accepted": name })
        if (!accepts) return response.end("not compressed")
        const body = compressors[name]()
        body.pipe(response)
        return body.end(JSON.stringify({ items, next: null }))
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" ? address?.port : 0
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

it.live("closes its connections at the end, also one whose answer was not read", () =>
  Effect.gen(function* () {
    const closed = Promise.withResolvers<void>()
    const server = createServer((request, response) => {
      request.socket.once("close", () => closed.resolve())
      response.write("an answer that goes on")
    })
    // It closes nothing by itself.
    server.keepAliveTimeout = 0
    const port = yield* Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" ? (address?.port ?? 0) : 0))
      })
    })
    yield* HttpClient.get(`http://127.0.0.1:${port}`).pipe(Effect.provide(nodeHttp))
    yield* Effect.promise(() => closed.promise)
    server.close()
  })
)

it.live.each(["gzip", "deflate"] as const)("reads a page that is compressed with %s", (name) =>
  Effect.gen(function* () {
    const { url } = yield* compressing(name)
    const client = layerNoDeps({ baseUrl: url, token: "a-token" }).pipe(Layer.provide(serviceHttp))
    const ids = yield* Effect.flatMap(Credentials, (credentials) =>
      Stream.runCollect(credentials.search({ query: { type: "domain", fqdn: "example.com" } }))
    ).pipe(Effect.provide(client))
    assert.deepStrictEqual(
      ids.map(({ id }) => id),
      [1, 2, 3]
    )
  }).pipe(Effect.scoped)
)
