/** The cache service of GitHub Actions, as far as a runner's own client speaks to it. */
import type { IncomingMessage } from "node:http"
import { buffer } from "node:stream/consumers"
import { localServer } from "@threat-exposure/programs/LocalServer"
import { Effect, Schema } from "effect"

export type CacheBehaviour = "well" | "read-only" | "broken" | "silent"

export interface CacheStandIn {
  /** The variables that a runner sets for a job that may use the cache. */
  readonly env: Readonly<Record<string, string>>
  readonly entries: Map<string, Buffer>
  /** Answers that the service gives from now on. */
  behave(as: CacheBehaviour): void
}

const Asked = Schema.fromJsonString(
  Schema.Struct({ key: Schema.String, restore_keys: Schema.optional(Schema.Array(Schema.String)) })
)
const decodeAsked = Schema.decodeUnknownSync(Asked)

export const cacheStandIn = Effect.gen(function* () {
  const entries = new Map<string, Buffer>()
  let behaviour: CacheBehaviour = "well"

  const answer = async (request: IncomingMessage, origin: string): Promise<readonly [number, string | Buffer]> => {
    const { pathname } = new URL(request.url ?? "", origin)
    const bytes = await buffer(request)
    if (behaviour === "broken") return [500, "{}"]
    const blob = (key: string) => `${origin}/account/caches/${encodeURIComponent(key)}?sig=signed`
    const key = decodeURIComponent(pathname.split("/").at(-1) ?? "")
    if (pathname.startsWith("/account/")) {
      if (request.method === "PUT") entries.set(key, bytes)
      return request.method === "PUT" ? [201, ""] : [200, entries.get(key) ?? Buffer.alloc(0)]
    }
    const asked = decodeAsked(bytes.toString())
    switch (pathname.split("/").at(-1)) {
      case "GetCacheEntryDownloadURL": {
        // The first prefix that has an entry decides, and of those the newest.
        const found = [asked.key, ...(asked.restore_keys ?? [])]
          .map((prefix) => [...entries.keys()].findLast((key) => key.startsWith(prefix)))
          .find((key) => key !== undefined)
        return [
          200,
          JSON.stringify(
            found === undefined ? { ok: false } : { ok: true, signed_download_url: blob(found), matched_key: found }
          )
        ]
      }
      case "CreateCacheEntry":
        return [
          200,
          JSON.stringify(
            behaviour === "read-only"
              ? { ok: false, message: "cache write denied: the token of this run may read only" }
              : { ok: true, signed_upload_url: blob(asked.key) }
          )
        ]
      default:
        return [200, JSON.stringify({ ok: true, entry_id: "1" })]
    }
  }

  const url = yield* localServer(async (request, response) => {
    if (behaviour === "silent") return
    const [status, body] = await answer(request, `http://${request.headers.host ?? ""}`)
    response.writeHead(status, { etag: '"1"', "last-modified": "Fri, 20 Nov 2026 12:00:00 GMT" }).end(body)
  })

  return {
    env: { ACTIONS_CACHE_SERVICE_V2: "true", ACTIONS_RESULTS_URL: `${url}/`, ACTIONS_RUNTIME_TOKEN: "a.b.c" },
    entries,
    behave: (as) => {
      behaviour = as
    }
  } satisfies CacheStandIn
})
