/** The service itself on a database of its own, behind a door that counts requests and can misbehave on order. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { assert } from "@effect/vitest"
import { TestService } from "@threat-exposure/service/testing/TestService"
import { Context, Effect, Layer } from "effect"

/** The fault for a request, instead of letting it through; undefined lets it through. */
export type Fault = (request: {
  readonly path: string
  /** How many searches came before this one. */
  readonly index: number
  readonly body: string
}) => { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> } | undefined

export interface RealService {
  readonly baseUrl: string
  /** The token of a key that may read. */
  readonly token: string
  /** The token of a key that may not read. */
  readonly powerless: string
  /** The bodies of the searches that arrived, in their order. */
  readonly searches: Array<string>
  misbehave(fault: Fault | undefined): void
}

export interface Leaked {
  /** Each a credential (docs/api.md#credential). */
  readonly credentials: ReadonlyArray<unknown>
  /** Each a typed event (docs/api.md#typed-events). */
  readonly events: ReadonlyArray<unknown>
}

const bodyOf = async (request: IncomingMessage) => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString()
}

/** Stopped, and its database removed, with the scope. */
export const realService = Effect.fnUntraced(function* ({ credentials, events }: Leaked) {
  const service = Context.get(yield* Layer.build(TestService.layer()), TestService)
  const loaded = [yield* service.load("credentials", credentials), yield* service.load("events", events)]
  assert.deepStrictEqual(
    loaded.map(({ refused }) => refused),
    [0, 0]
  )
  const token = yield* service.key({ permissions: ["Read Tenant"] })
  const powerless = yield* service.key({ permissions: ["Write Tenant"] })
  const { url } = service

  const searches: Array<string> = []
  let fault: Fault | undefined
  const underWay = new Set<Promise<void>>()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(request)
    const { pathname, search } = new URL(request.url ?? "", url)
    const path = `${pathname}${search}`
    const wrong = fault?.({ path, index: searches.length, body })
    if (path.endsWith("/_search")) searches.push(body)
    if (wrong !== undefined) {
      // A refusal ends the check, and what the earlier searches found must be there by then.
      await Promise.allSettled(underWay)
      response.writeHead(wrong.status, wrong.headers).end(wrong.body)
      return
    }
    const passing = pass(request, response, path, body)
    underWay.add(passing)
    await passing.finally(() => underWay.delete(passing))
  }
  const pass = async (request: IncomingMessage, response: ServerResponse, path: string, body: string) => {
    const { authorization = "", "content-type": type = "application/json" } = request.headers
    const passed = await fetch(`${url}${path}`, {
      method: request.method ?? "GET",
      headers: { authorization, "content-type": type },
      ...(body === "" ? {} : { body })
    })
    const remaining = passed.headers.get("x-global-searches-remaining")
    response
      .writeHead(passed.status, {
        "content-type": passed.headers.get("content-type") ?? "application/json",
        ...(remaining === null ? {} : { "x-global-searches-remaining": remaining })
      })
      .end(await passed.text())
  }
  const baseUrl = yield* Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((request, response) => {
        answer(request, response).catch(() => response.destroy())
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

  return {
    baseUrl: baseUrl.url,
    token,
    powerless,
    searches,
    misbehave: (wanted) => {
      fault = wanted
    }
  } satisfies RealService
})
