/** An in-memory service behind the real client: the test decides the answer to each search. */
import { layerNoDeps } from "@threat-exposure/core/client/services"
import { type Duration, Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

export interface Call {
  readonly of: "credentials" | "events"
  /** The searched secret or domain. */
  readonly asked: string
  readonly body: {
    readonly query: { readonly type: string; readonly secret?: string; readonly fqdn?: string }
    readonly filters?: Record<string, unknown>
    readonly size?: number
    readonly from?: string
  }
}

export interface Scripted {
  readonly calls: Array<Call>
  /** Maximum number of concurrent requests so far. */
  mostInFlight: number
}

export const script = (
  answer: (call: Call, index: number) => object | Response | undefined,
  options: { readonly takes?: Duration.Input } = {}
) => {
  const seen: Scripted = { calls: [], mostInFlight: 0 }
  let inFlight = 0
  const client = HttpClient.make((request, url) =>
    Effect.gen(function* () {
      const body: Call["body"] =
        request.body._tag === "Uint8Array" ? JSON.parse(new TextDecoder().decode(request.body.body)) : {}
      const call: Call = {
        of: url.pathname.endsWith("/credentials/global/_search") ? "credentials" : "events",
        asked: body.query.secret ?? body.query.fqdn ?? "",
        body
      }
      seen.calls.push(call)
      const index = seen.calls.length - 1
      seen.mostInFlight = Math.max(seen.mostInFlight, ++inFlight)
      if (options.takes !== undefined) yield* Effect.sleep(options.takes)
      else yield* Effect.yieldNow
      const content = answer(call, index) ?? { items: [], next: null }
      return HttpClientResponse.fromWeb(
        request,
        content instanceof Response
          ? content
          : new Response(JSON.stringify(content), { headers: { "content-type": "application/json" } })
      )
    }).pipe(Effect.ensuring(Effect.sync(() => inFlight--)))
  )
  const layer = layerNoDeps({ baseUrl: "https://api.example.com", token: Redacted.make("a-token"), retries: 0 }).pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
  )
  return { layer, seen }
}

export const credential = (over: object = {}) => ({
  id: 1,
  identity_name: "alice@example.com",
  domain: "example.com",
  source_id: "s1",
  imported_at: "2026-10-02T03:04:05.678901Z",
  hash: "whatever",
  hash_type: "unknown",
  source: {
    id: "s1",
    name: "Collection 7",
    description_en: "A list of accounts",
    description_fr: null,
    breached_at: "2025-03-01",
    leaked_at: "2025-04-01T00:00:00Z",
    is_alert_enabled: true,
    pii_tags: [],
    url: null
  },
  known_password_id: null,
  credential_hash: null,
  event_uid: null,
  ...over
})

export const event = ({
  highlights = {},
  ...metadata
}: { readonly highlights?: object; [key: string]: unknown } = {}) => ({
  metadata: {
    estimated_created_at: "2026-11-01T10:00:00Z",
    matched_at: null,
    type: "stealer_log",
    uid: "stealer_log/market/1",
    severity: "high",
    svc_url: "https://app.example.com/events/1",
    title: "A log",
    ...metadata
  },
  tenant_metadata: { severity: { original: "high", override: null }, tags: [], notes: "" },
  highlights
})
