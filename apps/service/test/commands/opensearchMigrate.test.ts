import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { Effect } from "effect"
import { call, folder, killedAt, line, run, serving } from "./Command.ts"

const node = await openSearchNode()

const fetchAnswer = (...request: Parameters<typeof call>) =>
  Effect.map(call(...request), ({ status, text }) => `${status} ${text}`)

describe.skipIf("missing" in node)("missing" in node ? node.missing : "migrate", () => {
  const { prefix, url } = "missing" in node ? { prefix: "", url: "" } : node

  it.live(
    "copies a database that is read meanwhile, and continues after it was killed",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const keyFile = join(directory, "threat-exposure.sqlite.key")
        const old = yield* serving(directory, "--sample")
        const token = /^token: (.*)$/mu.exec(old.text.out)?.[1] ?? ""
        for (const [path, body] of [
          ["/v2/assets/groups/", { name: "A group" }],
          ["/v2/tenants/1/users", { users: [{ user_id: 7, role: "admin" }] }],
          ["/v4/threat_flow/intel/requests", { question: "Who sells access?" }],
          ["/v2/reporting/reports", {}]
        ] as const) {
          assert.match(yield* fetchAnswer(old.url, token, "POST", path, body), /^20/u)
        }
        const many = Array.from({ length: 3_000 }, (_, at) => line(1_000_000 + at, { hash: `many ${at % 7}` }))
        writeFileSync(join(directory, "many.ndjson"), many.join(""))
        assert.strictEqual((yield* run(directory, "load", "credentials", "many.ndjson")).code, 0)

        const places = ["--index-prefix", prefix]
        const makeArguments = (cluster: string) => ["migrate", "--to", cluster, ...places]
        const onCluster = ["--opensearch", url, ...places, "--key-file", keyFile]
        let looks = 0
        yield* killedAt(
          url,
          // The first three groups of credentials are written at once.
          (_, path) => path.includes("-credentials-v3/_mget") && (looks += 1) > 3,
          directory,
          makeArguments
        )
        const refused = yield* run(directory, "keys", "list", ...onCluster)
        assert.strictEqual(refused.code, 1)
        assert.include(refused.err, "has no alias: a restore or a migration is under way, or was cut off")

        const block = (isReadOnly: boolean) =>
          Effect.promise(() =>
            fetch(`${url}/${prefix}-keys-v2/_settings`, {
              method: "PUT",
              headers: { "content-type": "application/json" },
              body: JSON.stringify({ "index.blocks.write": isReadOnly })
            })
          )
        yield* block(true)
        const blocked = yield* run(directory, ...makeArguments(url))
        assert.strictEqual(blocked.code, 1)
        assert.include(blocked.err, `The database ${new URL(url).host} failed: `)
        assert.include(blocked.err, `the index ${prefix}-keys-v2 is blocked (index write (api))`)
        yield* block(false)

        // A document that is not in the database is removed.
        const extra = `${url}/${prefix}-reports-v2/_doc/extra?refresh=true`
        const document = { tenantId: 1, report: "{}", createdAt: "" }
        yield* Effect.promise(() =>
          fetch(extra, {
            method: "PUT",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(document)
          })
        )
        const unequal = yield* run(directory, ...makeArguments(url))
        assert.strictEqual(unequal.code, 1)
        assert.include(unequal.err, `${prefix}-reports has 3 documents, and the database 2 rows`)
        yield* Effect.promise(() => fetch(extra, { method: "DELETE" }))

        const migrated = yield* run(directory, ...makeArguments(url))
        assert.strictEqual(migrated.code, 0, migrated.err)
        assert.include(migrated.out, `is copied to ${new URL(url).host} under ${prefix}, and checked: keys: 1, `)
        assert.match(
          migrated.out,
          /identifier groups: [1-9]\d*, recommendations: \d+, reports: [1-9]\d*, intel requests: 1, /u
        )
        const rewritten = yield* Effect.promise(async () => {
          const response = await fetch(`${url}/${prefix}-credentials/_search?version=true&size=10000`)
          const { hits }: any = await response.json()
          assert.isAbove(hits.hits.length, 3_000)
          return hits.hits.filter(({ _version }: any) => _version !== 1).length
        })
        assert.strictEqual(rewritten, 0)
        const again = yield* run(directory, ...makeArguments(url))
        assert.strictEqual(again.code, 1)
        assert.include(again.err, `it holds data under the prefix ${prefix}`)

        const present = yield* serving(directory, ...onCluster)
        const alike = Effect.fnUntraced(function* (method: string, path: string, body?: object) {
          const [expected, found] = yield* Effect.forEach([old.url, present.url], (service) =>
            fetchAnswer(service, token, method, path, body)
          )
          assert.strictEqual(found, expected, `${method} ${path} ${JSON.stringify(body)}`)
          return expected ?? ""
        })
        const credentials = "/v4/credentials/global/_search"
        for (const query of [
          { type: "domain", fqdn: "example.com" },
          { type: "secret", secret: "many 3" },
          { type: "email", email: "a1000007@example.com" }
        ]) {
          for (const order of ["desc", "asc"]) {
            const search = { query, order, size: 1_000, include: ["urls", "auth_domains", "known_password_id"] }
            const page = yield* alike("POST", credentials, search)
            // A cursor of one engine is valid on the other.
            const from = /"next":"([^"]+)"/u.exec(page)?.[1]
            if (from !== undefined) yield* alike("POST", credentials, { ...search, from })
          }
        }
        for (const query of [
          { type: "keyword", keyword: "example" },
          { type: "query_string", query_string: "vpn OR citr*" }
        ]) {
          yield* alike("POST", "/v4/events/global/_search", { query, size: 10 })
        }
        for (let id = 1; id <= 11; id += 1) {
          yield* alike("POST", `/v4/events/identifiers/${id}/_search`, { size: 50 })
          yield* alike("POST", `/v4/events/identifiers/${id}/_search`, { size: 50, filters: { status: ["ignored"] } })
          yield* alike("GET", `/v4/matching-policies/by_identifier_id/${id}`)
        }
        yield* alike("GET", "/v4/identifier-recommendations/?size=100")
        // The counters continue after the last number.
        const created = yield* Effect.forEach([old.url, present.url], (service) =>
          fetchAnswer(service, token, "POST", "/v2/assets/", { name: "vpn", type: "keyword" })
        )
        assert.deepStrictEqual(
          created.map((text) => /"id":(\d+)/u.exec(text)?.[1]),
          ["14", "14"]
        )

        // Documents that were damaged since an earlier attempt still have the digests of their rows.
        const replaceDocument = (path: string, body: string) =>
          Effect.promise(async () => {
            const headers = { "content-type": "application/x-ndjson" }
            const response = await fetch(url + path, { method: "POST", headers, body })
            assert.strictEqual(response.status, 200, await response.text())
          })
        const unused = { remove: { index: `${prefix}-*`, alias: "*" } }
        yield* replaceDocument("/_aliases", JSON.stringify({ actions: [unused] }))
        const events = `/${prefix}-events-v2`
        const stored = yield* Effect.promise(async () => {
          const { hits }: any = await (await fetch(`${url}${events}/_search?size=10000&_source=false`)).json()
          return hits.hits.map(({ _id }: any) => _id)
        })
        assert.isNotEmpty(stored)
        const damage = stored.map((_id: string) => `{"update":{"_id":"${_id}"}}\n{"doc":{"document":"AAAA"}}\n`)
        yield* replaceDocument(`${events}/_bulk?refresh=true`, damage.join(""))
        const damaged = yield* run(directory, ...makeArguments(url))
        assert.strictEqual(damaged.code, 1)
        assert.match(
          damaged.err,
          /the document [0-9a-f]{64} of .*-events is not what was written\. Delete the indices/u
        )
        assert.include((yield* run(directory, "keys", "list", ...onCluster)).err, "has no alias")
      }).pipe(Effect.scoped),
    1_800_000
  )
})
