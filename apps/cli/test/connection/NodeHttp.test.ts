import { createDeflate, createGzip } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { nodeHttp, serviceHttp } from "@threat-exposure/cli/connection/NodeHttp"
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { layerNoDeps } from "@threat-exposure/core/client/services"
import { type Answering, localServer } from "@threat-exposure/programs/LocalServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as HttpClient from "effect/http/HttpClient"

const compressors = { gzip: createGzip, deflate: createDeflate }

/** The address of a server that never closes idle connections itself. */
const serve = (answer: Answering) => localServer(answer, { keepAliveTimeout: 0 })

/** A service with compressed pages of three credentials, if the client accepts compression. */
const compressing = (name: keyof typeof compressors) =>
  serve((request, response) => {
    const accepts = request.headers["accept-encoding"]?.includes(name) === true
    const items = [1, 2, 3].map((id) => ({ id, identity_name: `person.${id}@example.com`, source_id: "one" }))
    response.writeHead(200, accepts ? { "content-encoding": name } : { "x-not-accepted": name })
    if (!accepts) return response.end("not compressed")
    const body = compressors[name]()
    body.pipe(response)
    return body.end(JSON.stringify({ items, next: null }))
  })

it.live("closes its connections at the end, also one whose answer was not read", () =>
  Effect.gen(function* () {
    const closed = Promise.withResolvers<void>()
    const url = yield* serve((request, response) => {
      request.socket.once("close", () => closed.resolve())
      response.write("an answer that goes on")
    })
    yield* HttpClient.get(url).pipe(Effect.provide(nodeHttp))
    yield* Effect.promise(() => closed.promise)
  }).pipe(Effect.scoped)
)

it.live.each(["gzip", "deflate"] as const)("reads a page that is compressed with %s", (name) =>
  Effect.gen(function* () {
    const url = yield* compressing(name)
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
