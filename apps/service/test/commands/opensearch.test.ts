import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { Effect, Exit, Scope } from "effect"
import { createKey, folder, proxy, run, runWith, servedBy, serving } from "./Command.ts"

const node = await openSearchNode()

const ask = (url: string, token: string, path: string, body: unknown) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/svc${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    const answer: any = await response.json()
    return {
      status: response.status,
      answer,
      remaining: response.headers.get("x-global-searches-remaining"),
      retryAfter: Number(response.headers.get("retry-after")),
      service: response.headers.get(servedBy) ?? ""
    }
  })

describe("the location of a cluster", () => {
  it.live("is refused before any request if a part of it would be ignored", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const notPem = join(directory, "not.pem")
      writeFileSync(notPem, "no certificate\n")
      const pem = join(directory, "some.pem")
      writeFileSync(pem, "-----BEGIN CERTIFICATE-----\n")
      // A port on which no server listens.
      const nowhere = "https://127.0.0.1:1"
      const user = "THREAT_EXPOSURE_OPENSEARCH_USER"
      const password = "THREAT_EXPOSURE_OPENSEARCH_PASSWORD"
      const ca = "THREAT_EXPOSURE_OPENSEARCH_CA"
      const cert = "THREAT_EXPOSURE_OPENSEARCH_CERT"
      const key = "THREAT_EXPOSURE_OPENSEARCH_KEY"
      const refusals = [
        ["https://planted-user:planted-password@127.0.0.1:1", {}, password],
        [`${nowhere},https://planted-user@127.0.0.1:1`, {}, password],
        [nowhere, { [ca]: notPem }, `${ca} names a file that is not in PEM format`],
        [nowhere, { [cert]: pem }, `${key} belong together`],
        [nowhere, { [key]: pem }, `${key} belong together`],
        [nowhere, { [user]: "planted" }, `${password} belong together`],
        [nowhere, { [password]: "planted" }, `${password} belong together`],
        ["http://192.0.2.1:9200", { [user]: "planted", [password]: "planted" }, "in clear: use https://"],
        [`${nowhere},http://node2:9200`, { [user]: "planted", [password]: "planted" }, "in clear: use https://"]
      ] as const
      for (const [place, variables, reason] of refusals) {
        const words = ["keys", "list", "--opensearch", place, "--key-file", "key"]
        const { code, err } = yield* runWith(variables, directory, ...words)
        assert.strictEqual(code, 2, err)
        assert.include(err, reason)
        assert.notInclude(err, "planted")
      }
    }).pipe(Effect.scoped)
  )
})

describe.skipIf("missing" in node)("missing" in node ? node.missing : "commands on OpenSearch", () => {
  const { url } = "missing" in node ? { url: "" } : node
  const scope = Scope.makeUnsafe()
  let prefix = ""
  let places: ReadonlyArray<string> = []
  beforeAll(async () => {
    const lent = await Effect.runPromise(Scope.provide(emptyCluster(url), scope))
    prefix = lent.prefix
    places = ["--opensearch", url, "--index-prefix", prefix, "--key-file", lent.keyFile]
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  it.live("serve what commands write from several processes, from the next request on", () =>
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

      const created = yield* run(directory, "keys", "create", "--tenant", "2", "--permission", "read-tenant", ...places)
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

      for (const [fault, ...flags] of [
        ["either --database or --opensearch", ...places, "--database", "a.sqlite"],
        ["--key-file", "--opensearch", url],
        ["http or https", "--opensearch", "localhost:9200", "--key-file", "key"]
      ] as const) {
        const refused = yield* run(directory, "keys", "list", ...flags)
        assert.include(refused.err, fault)
        assert.strictEqual(refused.code, 2)
      }
    }).pipe(Effect.scoped)
  )

  it.live("delete records with their search terms, a tenant with all of its data, and the sample", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const service = yield* serving(directory, ...places)
      const command = (...args: ReadonlyArray<string>) => run(directory, ...args, ...places)
      const permission = "read-tenant,write-tenant"
      const key = yield* command("keys", "create", "--tenant", "3", "--permission", permission)
      const token = key.out.trim().split("\n").at(-1) ?? ""
      const found = (path: string, query: object) =>
        Effect.map(ask(service.url, token, path, { query }), ({ answer }): ReadonlyArray<unknown> =>
          answer.items.map(({ id, metadata }: any) => id ?? metadata.uid)
        )
      /** The number of documents in the indices of this test, as counted by the cluster itself. */
      const documents = (index: string, query: object) =>
        Effect.promise(async () => {
          const response = await fetch(`${url}/${prefix}-${index}/_count`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ query })
          })
          const { count }: any = await response.json()
          return Number(count)
        })
      const records = (kind: string, items: ReadonlyArray<unknown>) =>
        Effect.andThen(
          Effect.sync(() => {
            writeFileSync(join(directory, kind), items.map((item) => `${JSON.stringify(item)}\n`).join(""))
          }),
          command("load", kind, kind)
        )

      const [old, recent] = ["2020-01-01T00:00:00Z", new Date(Date.now() - 60_000).toISOString()]
      const paste = (id: number, estimated_created_at: string, content: string) => ({
        event_type: "paste",
        metadata: { uid: `deletion/paste/${id}`, estimated_created_at, severity: "low" },
        data: { title: `paste ${id}`, content }
      })
      yield* records("events", [
        paste(1, old, "quokkas wallabies"),
        paste(2, recent, "quokkas numbats"),
        paste(3, recent, "quokkas only")
      ])
      yield* ask(service.url, token, "/v2/assets/", { name: "numbats", type: "keyword" })
      yield* ask(service.url, token, "/v2/assets/", { name: "quokkas", type: "keyword" })
      const group = yield* ask(service.url, token, "/v2/assets/groups/", { name: "marsupials" })
      assert.strictEqual(group.status, 200)
      assert.strictEqual(yield* documents("findings", { term: { tenantId: 3 } }), 4)
      const planted = "planted-password-4711"
      yield* records(
        "credentials",
        [1, 2, 3].map((id) => ({
          id: 900 + id,
          identity_name: `${id}@quokka.example`,
          imported_at: id === 1 ? old : recent,
          hash: id === 2 ? planted : `other-${id}`
        }))
      )

      const invalid = yield* command("events", "delete", "--query", '{"type":"query_string","query_string":"("}')
      assert.include(invalid.err, "error: --query: ")
      const unconfirmed = yield* command("events", "delete", "--older-than", "1d")
      assert.include(unconfirmed.err, "there is no terminal to ask on")

      const numbats = JSON.stringify({ type: "keyword", keyword: "numbats" })
      assert.include((yield* command("events", "delete", "--query", numbats, "--yes")).out, "deleted 1 event\n")
      const quokkas = { type: "keyword", keyword: "quokkas" }
      const left = ["deletion/paste/3", "deletion/paste/1"]
      assert.deepStrictEqual(yield* found("/v4/events/global/_search", quokkas), left)
      assert.strictEqual(yield* documents("findings", { term: { tenantId: 3 } }), 2)
      const both = ["--query", JSON.stringify(quokkas), "--older-than", "90d", "--yes"]
      assert.include((yield* command("events", "delete", ...both)).out, "deleted 1 event\n")
      assert.deepStrictEqual(yield* found("/v4/events/global/_search", quokkas), left.slice(0, 1))

      const secret = JSON.stringify({ type: "secret", secret: planted })
      const deleted = yield* command("credentials", "delete", "--query", secret, "--yes")
      assert.include(deleted.out, "deleted 1 credential\n")
      assert.notInclude(deleted.out + deleted.err, planted)
      const domain = { type: "domain", fqdn: "quokka.example" }
      assert.deepStrictEqual(yield* found("/v4/credentials/global/_search", domain), [903, 901])

      // A service stores charged units once a second.
      while ((yield* documents("quota-use", { term: { tenantId: 3 } })) === 0) yield* Effect.sleep(50)
      // Waits until the later searches are stored, too, because their units would appear briefly after the deletion.
      yield* Effect.sleep("2 seconds")
      const others = yield* documents("*", { term: { tenantId: 1 } })
      const erased = yield* command("tenants", "delete", "3", "--yes")
      const rows = "findings: 1, identifier groups: 1, identifiers: 2, keys: 1, quota use: 1."
      assert.include(erased.out.replace(/paid searches: \d+, /u, ""), rows)
      assert.include(erased.out, "Tenant 3 is deleted.")
      assert.strictEqual((yield* ask(service.url, token, "/v4/events/global/_search", {})).status, 401)
      // The units that a service charges meanwhile are kept until it notices that the tenant has no key.
      while ((yield* documents("*", { term: { tenantId: 3 } })) > 0) yield* Effect.sleep(50)
      assert.strictEqual(yield* documents("*", { term: { tenantId: 1 } }), others)
      yield* records("events", [paste(4, recent, "quokkas again")])
      assert.strictEqual(yield* documents("*", { term: { tenantId: 3 } }), 0)
      assert.include((yield* command("tenants", "delete", "3", "--yes")).out, "Tenant 3 has no data.")

      const sample = yield* command("sample", "delete", "--yes")
      assert.match(sample.out, /^Of the sample data this deletes credentials: \d+, events: [\d,]+, identifiers: 13, /u)
      const everything = { match_all: {} }
      assert.strictEqual(yield* documents("credentials", everything), 2)
      assert.strictEqual(yield* documents("events", everything), 3)
      assert.strictEqual(yield* documents("findings", everything), 0)
      const quota = yield* documents("quota-use", { term: { tenantId: 1 } })
      assert.strictEqual(yield* documents("*", { term: { tenantId: 1 } }), quota)
      assert.include((yield* command("sample", "delete")).out, "There is no sample data.")
    }).pipe(Effect.scoped)
  )

  it.live("enforce a tenant's rate over three services behind a proxy", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const { keyFile, prefix } = yield* emptyCluster(url)
      const place = ["--opensearch", url, "--index-prefix", prefix, "--key-file", keyFile]
      const token = yield* createKey(directory, "1", "read-tenant", ...place)
      const flags = [...place, "--search-rate", "0.02"]
      const services = yield* Effect.forEach([1, 2, 3], () => serving(directory, ...flags), { concurrency: 3 })
      const urls = services.map(({ url }) => url)
      let turn = 0
      const balanced = yield* proxy(() => urls[(turn += 1) % urls.length])
      const search = { query: { type: "email", email: "a@example.com" } }
      // One call in fifty seconds. A service that knew only its own calls would admit its first one, and ask for no
      // longer wait.
      const admitting = new Map<string, number>()
      const informed = new Set<string>()
      const begun = performance.now()
      const isOnlyAdmitting = () => admitting.size === 1 && informed.size === urls.length - 1
      while (informed.size < urls.length && !isOnlyAdmitting()) {
        const { retryAfter, service, status } = yield* ask(balanced, token, "/v4/credentials/global/_search", search)
        if (status === 200) {
          const calls = (admitting.get(service) ?? 0) + 1
          assert.isAtMost(calls, 1 + (performance.now() - begun) / 50_000)
          admitting.set(service, calls)
        } else {
          assert.strictEqual(status, 429)
          if (!admitting.has(service) || retryAfter > 50) informed.add(service)
        }
        yield* Effect.sleep(50)
      }
    }).pipe(Effect.scoped)
  )
})
