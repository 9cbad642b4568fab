import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { Effect } from "effect"
import { folder, run, serving } from "./Command.ts"

const node = await openSearchNode()

const ask = (url: string, token: string, path: string, body: unknown) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/svc${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    const answer: any = await response.json()
    return { status: response.status, answer, remaining: response.headers.get("x-global-searches-remaining") }
  })

describe.skipIf("missing" in node)("missing" in node ? node.missing : "commands on OpenSearch", () => {
  const { prefix, url } = "missing" in node ? { prefix: "", url: "" } : node
  const places = ["--opensearch", url, "--index-prefix", prefix, "--key-file", "key"]

  it.live(
    "serve from several processes what commands write, from the next request on",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const one = yield* serving(directory, "--sample", ...places)
        const other = yield* serving(directory, ...places)
        const sampleToken = /^token: (.*)$/mu.exec(one.text.out)?.[1] ?? ""
        const search = { query: { type: "domain", fqdn: "example.com" } }
        const found = yield* ask(one.url, sampleToken, "/v4/credentials/global/_search", search)
        assert.strictEqual(found.status, 200)
        assert.isAbove(found.answer.items.length, 0)
        assert.deepStrictEqual(
          (yield* ask(other.url, sampleToken, "/v4/credentials/global/_search", search)).answer,
          found.answer
        )

        const created = yield* run(
          directory,
          "keys",
          "create",
          "--tenant",
          "2",
          "--permission",
          "read-tenant",
          ...places
        )
        assert.strictEqual(created.code, 0, created.err)
        const token = created.out.trim().split("\n").at(-1) ?? ""
        const events = { query: { type: "keyword", keyword: "zanzibar" } }
        assert.strictEqual((yield* ask(other.url, token, "/v4/events/global/_search", events)).answer.items.length, 0)
        const event = {
          event_type: "paste",
          metadata: { uid: "a/b/1", severity: "low", estimated_created_at: "2026-01-01T00:00:00Z" },
          data: { title: "Zanzibar", content: "x" }
        }
        writeFileSync(join(directory, "events.ndjson"), `${JSON.stringify(event)}\n`)
        const loaded = yield* run(directory, "load", "events", ...places, "events.ndjson")
        assert.include(loaded.out, "loaded 1 event", loaded.err)
        for (const { url } of [one, other]) {
          assert.strictEqual((yield* ask(url, token, "/v4/events/global/_search", events)).answer.items.length, 1)
        }

        const [id = ""] = /(?<=^Key )\d+/mu.exec(created.out) ?? []
        assert.strictEqual((yield* run(directory, "keys", "revoke", id, ...places)).code, 0)
        for (const { url } of [one, other]) {
          assert.strictEqual((yield* ask(url, token, "/v4/events/global/_search", events)).status, 401)
        }
        assert.include((yield* run(directory, "keys", "list", ...places)).out, "Read Tenant")

        const refused = yield* run(directory, "keys", "list", ...places, "--database", "a.sqlite")
        assert.notStrictEqual(refused.code, 0)
        assert.include(refused.err, "--database and --opensearch")
        const keyless = yield* run(directory, "keys", "list", "--opensearch", url)
        assert.include(keyless.err, "--key-file")
        const nowhere = yield* run(directory, "keys", "list", "--opensearch", "ftp://x", "--key-file", "key")
        assert.include(nowhere.err, "http or https")
      }).pipe(Effect.scoped),
    240_000
  )
})
