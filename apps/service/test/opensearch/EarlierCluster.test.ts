/** A cluster that an earlier version wrote, and changes that somebody without the key file can make in it. */
import { hash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { Effect } from "effect"
import { call, folder, run, serving } from "../commands/Command.ts"
import { searches } from "../fixtures/earlierData.ts"

const node = await openSearchNode()

const earlier = JSON.parse(
  gunzipSync(readFileSync(new URL("../fixtures/earlierCluster.json.gz", import.meta.url))).toString()
)

describe.skipIf("missing" in node)("missing" in node ? node.missing : "a cluster of an earlier version", () => {
  const { prefix, url } = "missing" in node ? { prefix: "", url: "" } : node
  const shared = mkdtempSync(join(tmpdir(), "threat-exposure-"))
  afterAll(() => rmSync(shared, { recursive: true }))
  const keyFile = join(shared, "key")
  writeFileSync(keyFile, earlier.key)
  const on = ["--opensearch", url, "--index-prefix", prefix, "--key-file", keyFile]
  const ask = (method: string, path: string, body?: unknown) =>
    Effect.promise(async (): Promise<any> => {
      const headers = { "content-type": typeof body === "string" ? "application/x-ndjson" : "application/json" }
      const json = typeof body === "string" ? body : JSON.stringify(body)
      const response = await fetch(`${url}/${path}`, { method, ...(body === undefined ? {} : { headers, body: json }) })
      const text = await response.text()
      assert.isBelow(response.status, 300, `${method} ${path}: ${text}`)
      return JSON.parse(text)
    })
  const rename = (name: string) => name.replace(earlier.prefix, prefix)

  it.live(
    "is upgraded with all of its answers; what is planted afterwards opens nothing, is named and left out",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const restore = Effect.fnUntraced(function* (isWanted: (index: string) => boolean) {
          for (const [index, { aliases, documents, mappings, settings }] of Object.entries<any>(earlier.indices)) {
            if (!isWanted(index)) continue
            const renamed = Object.fromEntries(
              aliases.map((alias: string) => [rename(alias), { is_write_index: true }])
            )
            yield* ask("PUT", rename(index), { mappings, settings, aliases: renamed })
            const lines = documents.map(
              ({ id, source }: any) => `${JSON.stringify({ index: { _id: id } })}\n${JSON.stringify(source)}\n`
            )
            if (lines.length > 0) {
              assert.isFalse((yield* ask("POST", `${rename(index)}/_bulk?refresh=true`, lines.join(""))).errors)
            }
          }
        })
        const isFirst = (index: string) => /-(?:keys|state)-v\d+$/u.test(index)
        yield* restore(isFirst)
        // An interrupted upgrade may have left only the index of the keys.
        assert.include((yield* run(directory, "rotate-key", "--yes", ...on)).err, "Run upgrade")
        yield* restore((index) => !isFirst(index))
        assert.include((yield* run(directory, "keys", "list", ...on)).err, "Run upgrade")
        const upgraded = yield* run(directory, "upgrade", "--yes", ...on)
        assert.strictEqual(upgraded.code, 0, upgraded.err)
        assert.include(upgraded.out, "credentials")
        const listed = yield* run(directory, "keys", "list", ...on)
        assert.strictEqual(listed.code, 0, listed.err)
        const { url: service, text } = yield* serving(directory, ...on)
        const search = (path: string, body: unknown, token = earlier.token) =>
          Effect.map(call(service, token, "POST", path, body), ({ status, text }) => ({
            status,
            body: status === 200 ? JSON.parse(text) : text
          }))
        for (const [at, { body, path }] of searches.entries()) {
          const answer = yield* search(path, body)
          // That version did not store the time when an event reached a tenant.
          for (const { metadata } of answer.body.items) delete metadata?.materialized_at
          assert.deepStrictEqual(answer, { status: 200, body: earlier.answers[at] }, JSON.stringify(body))
        }
        const source = (index: string, id: string) =>
          Effect.map(ask("GET", `${prefix}-${index}/_doc/${id}`), ({ _source }) => _source)
        const put = (index: string, id: string, document: unknown) =>
          ask("PUT", `${prefix}-${index}/_doc/${id}?refresh=true`, document)

        // A planted key, and a key with added permissions.
        const token = `te_${"A".repeat(43)}`
        const key = yield* source("keys", "1")
        yield* put("keys", "999", { ...key, id: 999, digest: hash("sha256", token, "hex"), label: null })
        const credentials = "/v4/credentials/global/_search"
        const byMail = (mail: string) => ({ query: { type: "email", email: mail } })
        assert.strictEqual((yield* search(credentials, byMail("user3@example.com"), token)).status, 401)
        yield* put("keys", "1", { ...key, permissions: [...key.permissions, "Write Tenant Admin"] })
        // A service caches a key briefly.
        const answers = (status: number) =>
          Effect.gen(function* () {
            for (;;) {
              const answer = yield* search(credentials, byMail("user3@example.com"))
              if (answer.status === status) return answer.body
              yield* Effect.sleep("50 millis")
            }
          })
        yield* answers(401)
        yield* put("keys", "1", key)
        assert.strictEqual((yield* answers(200)).items.length, 1)
        // A row without the fields of a key does not break the listing.
        yield* put("keys", "1000", { id: 1_000 })
        const foreign = yield* run(directory, "keys", "list", ...on)
        assert.strictEqual(foreign.code, 1)
        assert.include(foreign.out, "Read Tenant")
        assert.include(foreign.err, `1000 in ${prefix}-keys`)
        yield* ask("DELETE", `${prefix}-keys/_doc/1000?refresh=true`)
        assert.include((yield* run(directory, "keys", "list", ...on)).err, "key 999")

        // The terms, times and ids of a credential are bound to its ciphertext.
        const [three, six] = [yield* source("credentials", "3"), yield* source("credentials", "6")]
        yield* put("credentials", "6", { ...six, terms: three.terms })
        yield* put("credentials", "77", { ...three, id: 77 })
        yield* put("credentials", "78", three)
        yield* put("credentials", "79", { ...three, id: 79, document: "AAAA" })
        yield* put("credentials", "80", { id: 80, imported_at: three.imported_at, terms: three.terms })
        const found = yield* search(credentials, byMail("user3@example.com"))
        assert.deepStrictEqual(
          found.body.items.map(({ id }: any) => id),
          [3]
        )
        yield* put("credentials", "3", { ...three, imported_at: three.imported_at + 1 })
        assert.deepStrictEqual((yield* search(credentials, byMail("user3@example.com"))).body.items, [])
        yield* put("credentials", "3", three)

        // The words of an event are bound to its ciphertext as well, and so are the identifier and tenant of a match.
        const hits = (yield* ask("GET", `${prefix}-findings/_search?size=100`)).hits.hits
        const own = "/v4/events/identifiers/3/_search"
        const before = (yield* search(own, {})).body
        const isOwn = ({ _source }: any) =>
          hits.some((hit: any) => hit._source.identifier === 3 && hit._source.event === _source.event)
        const other = hits.find((hit: any) => hit._source.identifier === 1 && !isOwn(hit))
        yield* put("findings", `3:${other._source.event}`, { ...other._source, identifier: 3 })
        assert.deepStrictEqual((yield* search(own, {})).body.items.length, before.items.length)
        const event = (yield* ask("GET", `${prefix}-events/_search?size=100`)).hits.hits[0]
        yield* put("events", event._id, { ...event._source, content: "zanzibar" })
        const planted = { query: { type: "keyword", keyword: "zanzibar" } }
        assert.deepStrictEqual((yield* search("/v4/events/global/_search", planted)).body.items, [])
        yield* put("events", event._id, event._source)

        // A load continues in spite of an unreadable identifier, and reports it.
        yield* put("identifiers", "888", { id: 888, tenantId: 1, asset: "AAAA", policies: [] })
        const paste = {
          event_type: "paste",
          metadata: { uid: "later", severity: "low", estimated_created_at: "2026-01-01T00:00:00Z" },
          data: { title: "x", content: "blue penguin" }
        }
        writeFileSync(join(directory, "events.ndjson"), JSON.stringify(paste))
        const loaded = yield* run(directory, "load", "events", ...on, "events.ndjson")
        assert.include(loaded.out, "loaded 1 event", loaded.err)
        assert.strictEqual(loaded.code, 1)
        assert.include(loaded.err, `888 in ${prefix}-identifiers`)
        assert.strictEqual((yield* search(own, {})).body.items.length, before.items.length + 1)

        // A copy would lose the documents that it cannot read.
        const rotated = yield* run(directory, "rotate-key", "--yes", ...on)
        assert.strictEqual(rotated.code, 1)
        assert.match(rotated.err, /did not write 5 documents of \S+-credentials-v3, such as .*\b77\b/u)
        for (const id of [6, 77, 78, 79, 80]) yield* ask("DELETE", `${prefix}-credentials/_doc/${id}?refresh=true`)
        yield* ask("DELETE", `${prefix}-identifiers/_doc/888?refresh=true`)
        yield* ask("DELETE", `${prefix}-findings/_doc/3:${other._source.event}?refresh=true`)
        const again = yield* run(directory, "rotate-key", "--yes", ...on)
        assert.strictEqual(again.code, 0, again.err)
        assert.strictEqual((yield* answers(200)).items.length, 1)
        assert.include(text.err, `77 in ${prefix}-credentials`)
      }).pipe(Effect.scoped),
    1_800_000
  )
})
