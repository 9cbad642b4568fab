/** The service itself on a database of its own, behind a door that counts requests and can misbehave on order. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { assert } from "@effect/vitest"
import { localServer, passOn, pathOf } from "@threat-exposure/programs/LocalServer"
import { TestService } from "@threat-exposure/service/testing/TestService"
import { Context, Effect, Layer } from "effect"

/** The fault for a request, instead of letting it through; undefined lets it through. */
export type Fault = (request: {
  readonly path: string
  /** The number of searches before this one. */
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
  /** Credentials (docs/api.md#credential). */
  readonly credentials: ReadonlyArray<unknown>
  /** Typed events (docs/api.md#typed-events). */
  readonly events: ReadonlyArray<unknown>
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
  const baseUrl = yield* localServer(async (request, response) => {
    const body = await text(request)
    const path = pathOf(request)
    const wrong = fault?.({ path, index: searches.length, body })
    if (path.endsWith("/_search")) searches.push(body)
    if (wrong !== undefined) {
      // A refusal ends the check: the earlier searches must have ended before it.
      await Promise.allSettled(underWay)
      response.writeHead(wrong.status, wrong.headers).end(wrong.body)
      return
    }
    const passing = pass(request, response, body)
    underWay.add(passing)
    await passing.finally(() => underWay.delete(passing))
  })
  const pass = async (request: IncomingMessage, response: ServerResponse, sent: string) => {
    const { body, headers, status } = await passOn(request, url, { body: sent })
    const remaining = headers.get("x-global-searches-remaining")
    response
      .writeHead(status, {
        "content-type": headers.get("content-type") ?? "application/json",
        ...(remaining === null ? {} : { "x-global-searches-remaining": remaining })
      })
      .end(body)
  }

  return {
    baseUrl,
    token,
    powerless,
    searches,
    misbehave: (wanted) => {
      fault = wanted
    }
  } satisfies RealService
})
