import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { termText } from "@threat-exposure/service/opensearch/CredentialIndex"
import { termsSought } from "@threat-exposure/service/credentials/CredentialTerm"
import { keyCheckIn, readKeyFile } from "@threat-exposure/service/crypto/KeyFile"
import { Vault } from "@threat-exposure/service/crypto/Vault"
import { prepareEvent, documentContext } from "@threat-exposure/service/events/PreparedEvent"
import { wordsToIndex } from "@threat-exposure/service/opensearch/cluster/ExpressionQuery"
import { rotateClusterKey } from "@threat-exposure/service/opensearch/OpenSearch"
import { fields } from "@threat-exposure/service/search/SearchDocument"
import { Cause, Effect, Exit, Fiber } from "effect"
import { call, folder, killedAt, line, run, serving } from "./Command.ts"

const node = await openSearchNode()

const vaultOf = (keyFile: string) => {
  const [key, ...others] = readKeyFile(keyFile) ?? []
  assert.deepStrictEqual(others, [])
  return new Vault(key ?? assert.fail())
}

describe.skipIf("missing" in node)("missing" in node ? node.missing : "rotate-key on OpenSearch", () => {
  const { prefix, url } = "missing" in node ? { prefix: "", url: "" } : node

  it.live(
    "changes no answer and leaves nothing under the former key, whether it is killed, fails or runs twice",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const keyFile = join(directory, "key")
        const copy = join(directory, "copy-of-key")
        const on = (key = keyFile, cluster = url) => [
          "--opensearch",
          cluster,
          "--index-prefix",
          prefix,
          "--key-file",
          key
        ]
        const service = yield* serving(directory, ...on(), "--sample")
        const token = /^token: (.*)$/mu.exec(service.text.out)?.[1] ?? ""
        const ask = (method: string, path: string, body?: unknown) => call(service.url, token, method, path, body)
        copyFileSync(keyFile, copy)
        const elsewhere = yield* serving(directory, ...on(copy))
        const former = vaultOf(keyFile)

        const many = Array.from({ length: 2_500 }, (_, at) => line(1_000_000 + at, { hash: `many ${at % 7}` }))
        writeFileSync(join(directory, "many.ndjson"), many.join(""))
        const load = (...places: ReadonlyArray<string>) =>
          run(directory, "load", "credentials", "many.ndjson", ...places)
        assert.strictEqual((yield* load(...on())).code, 0)
        const asked = yield* ask("POST", "/v4/threat_flow/intel/requests", { question: "Who sells access?" })
        assert.strictEqual(asked.status, 200, asked.text)

        const credentials = "/v4/credentials/global/_search"
        const ofDomain = { query: { type: "domain", fqdn: "example.com" }, size: 500 }
        const searches: ReadonlyArray<readonly [method: string, path: string, body?: object]> = [
          ["POST", credentials, ofDomain],
          ...[
            { type: "secret", secret: "many 3" },
            { type: "email", email: "a1000007@example.com" }
          ].map((query) => ["POST", credentials, { query, size: 500, include: ["urls", "auth_domains"] }] as const),
          ...[
            { type: "keyword", keyword: "example" },
            { type: "domain", fqdn: "example.com" },
            { type: "query_string", query_string: "vpn OR citr*" }
          ].map((query) => ["POST", "/v4/events/global/_search", { query, size: 10 }] as const),
          ...Array.from({ length: 11 }, (_, at) => [
            ["POST", `/v4/events/identifiers/${at + 1}/_search`, { size: 10 }] as const,
            ["GET", `/v4/matching-policies/by_identifier_id/${at + 1}`] as const
          ]).flat()
        ]
        const answers = Effect.forEach(searches, ([method, path, body]) =>
          Effect.map(ask(method, path, body), ({ status, text }) => {
            assert.strictEqual(status, 200, text)
            // Cursors are signed with the key.
            return text.replaceAll(/"next":"[^"]*"/gu, '"next":"cursor"')
          })
        )
        const before = yield* answers
        const { text: page } = yield* ask("POST", credentials, ofDomain)
        const cursor = /"next":"([^"]+)"/u.exec(page)?.[1] ?? assert.fail()
        const createIdentifier = (name: string) => ask("POST", "/v2/assets/", { name, type: "keyword" })

        /**
         * All ciphertexts, all digests, the ids of the keys, and the number of encrypted documents. The index terms of
         * events are compared with those that the key produces.
         */
        const storedUnder = (vault: Vault) =>
          Effect.promise(async () => {
            const texts = new Set<string>()
            const keyIds = new Set<number>()
            let documents = 0
            const response = await fetch(`${url}/${prefix}-*/_search?size=10000`)
            const { hits }: any = await response.json()
            for (const { _source } of hits.hits) {
              const { analysis, asset, digest, document, finding_seal, permissions, question, seal, terms, uid } =
                _source
              const encrypted = [analysis, asset, document, finding_seal, question, seal].filter(
                (text) => text !== undefined
              )
              if (encrypted.length === 0) continue
              documents += 1
              for (const sealed of encrypted) {
                texts.add(sealed)
                keyIds.add(Buffer.from(sealed, "base64")[0] ?? 0)
              }
              // The digest of an API key does not depend on a key.
              if (digest !== undefined && permissions === undefined) texts.add(digest)
              if (uid === undefined) continue
              const event = JSON.parse(vault.decrypt(document, documentContext(uid)))
              const { tokens, words } = prepareEvent(vault, event)
              assert.strictEqual(terms.join(" "), tokens)
              for (const [at, field] of fields.entries())
                assert.strictEqual(_source[field], wordsToIndex(words[at] ?? ""))
            }
            return { documents, texts, keyIds }
          })
        const indices = Effect.promise(async () => {
          const response = await fetch(`${url}/_cat/indices/${prefix}-*?format=json&h=index`)
          const found: ReadonlyArray<{ readonly index: string }> = JSON.parse(await response.text())
          return found.map(({ index }) => index.slice(prefix.length + 1)).toSorted()
        })
        const [storedBefore, indicesBefore] = yield* Effect.all([storedUnder(former), indices])
        assert.isAbove(storedBefore.texts.size, 3_000)

        // Killed halfway, the rotation leaves the former state, but writes are refused.
        yield* killedAt(
          url,
          (_, path) => path.includes("-findings-v2/_search?preference=_shards:1"),
          directory,
          (cluster) => ["rotate-key", ...on(keyFile, cluster), "--yes"]
        )
        assert.deepStrictEqual(yield* answers, before)
        const refused = yield* createIdentifier("vpn")
        assert.strictEqual(refused.status, 503, refused.text)
        assert.isNotNull(refused.retryAfter)
        writeFileSync(join(directory, "one.ndjson"), line(1))
        const [stopped, upgrading, unconfirmed] = yield* Effect.all(
          [
            run(directory, "load", "credentials", "one.ndjson", ...on()),
            run(directory, "upgrade", ...on()),
            run(directory, "rotate-key", ...on())
          ],
          { concurrency: 3 }
        )
        assert.strictEqual(stopped.code, 1)
        assert.include(stopped.err, "a rotation of its key is not finished")
        assert.include(upgrading.err, "a rotation of its key is not finished. Run rotate-key first")
        assert.strictEqual(unconfirmed.code, 1)
        assert.include(unconfirmed.out, "This deletes what an interrupted rotation has left")

        // A rotation that fails changes nothing.
        const rotate = <E>(confirm: Effect.Effect<void, E>, most = Number.POSITIVE_INFINITY) =>
          Effect.map(
            Effect.exit(
              rotateClusterKey({
                options: { urls: [url], prefix, keyFile },
                confirm: () => confirm,
                progress: ({ done }) => (done > most ? Effect.die(new Error("not this one")) : Effect.void)
              })
            ),
            (exit) => (Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "")
          )
        assert.include(yield* rotate(Effect.void, 1_000), "not this one")
        assert.deepStrictEqual(yield* indices, indicesBefore)
        assert.deepStrictEqual(yield* answers, before)
        assert.include((yield* load(...on())).out, "loaded 0 credentials, 2,500 were there already")

        // Services answer as before in the meantime. While one run asks for confirmation, another one ends.
        const searching = yield* Effect.forkChild(
          Effect.forever(
            Effect.gen(function* () {
              const at = Math.floor(Math.random() * 6)
              const [method, path, body] = searches[at] ?? assert.fail()
              const { retryAfter, status, text } = yield* ask(method, path, body)
              if (status === 503) return assert.isNotNull(retryAfter)
              assert.strictEqual(text.replaceAll(/"next":"[^"]*"/gu, '"next":"cursor"'), before[at])
              yield* Effect.sleep(20)
            })
          )
        )
        const outs: Array<string> = []
        const overtaken = yield* rotate(
          Effect.map(run(directory, "rotate-key", ...on(), "--yes"), ({ code, err, out }) => {
            assert.strictEqual(code, 0, err)
            outs.push(out)
          })
        )
        assert.include(overtaken, "another rotation of its key began or ended")
        assert.isUndefined(searching.pollUnsafe())
        yield* Fiber.interrupt(searching)

        const [retired = "", ...others] = readdirSync(directory).filter((name) => name.startsWith("key.retired-"))
        assert.deepStrictEqual(others, [])
        assert.strictEqual(readFileSync(join(directory, retired), "utf8"), readFileSync(copy, "utf8"))
        assert.include(outs[0], `The former key is in ${join(directory, retired)}`)
        assert.deepStrictEqual(yield* answers, before)
        const next = vaultOf(keyFile)
        const storedAfter = yield* storedUnder(next)
        assert.strictEqual(storedAfter.documents, storedBefore.documents)
        assert.deepStrictEqual([...storedAfter.keyIds], [next.keyId])
        assert.deepStrictEqual(
          [...storedAfter.texts].filter((text) => storedBefore.texts.has(text)),
          []
        )
        const digests = [former, next].map((vault) =>
          termsSought(vault, { type: "email", email: "a1000007@example.com" }).map(termText)
        )
        const counted = yield* Effect.forEach(digests, (terms) =>
          Effect.promise(async () => {
            const response = await fetch(`${url}/${prefix}-credentials*/_count?q=terms:(${terms.join()})`)
            const { count }: { readonly count: number } = JSON.parse(await response.text())
            return count
          })
        )
        assert.deepStrictEqual(counted, [0, 1])
        // An earlier version takes it for the check of another key, and refuses to start.
        const state = yield* Effect.promise(async () => (await fetch(`${url}/${prefix}-state/_doc/state`)).text())
        assert.match(state, new RegExp(`"key_check":"${keyCheckIn(next)}/[0-9a-f]{12}"`, "u"))
        const indicesAfter = yield* indices
        assert.deepStrictEqual(
          indicesAfter.map((index) => index.replace(/(-v\d+)-[0-9a-f]{12}$/u, "$1")),
          indicesBefore
        )
        assert.deepStrictEqual(
          indicesAfter.filter((index) => indicesBefore.includes(index)).map((index) => index.replace(/-v\d+$/u, "")),
          ["counters", "keys", "paid-searches", "quota-use", "rates", "state"]
        )
        assert.strictEqual((yield* ask("POST", credentials, { ...ofDomain, from: cursor })).status, 422)

        // Everything works with the new key, and a service without it reports so.
        const created = yield* createIdentifier("vpn")
        assert.strictEqual(created.status, 200, created.text)
        const asksElsewhere = call(elsewhere.url, token, "POST", credentials, ofDomain)
        const withoutKey = yield* asksElsewhere
        assert.strictEqual(withoutKey.status, 503, withoutKey.text)
        assert.isNotNull(withoutKey.retryAfter)
        assert.include(
          (yield* run(directory, "keys", "list", ...on(copy))).err,
          "the key was rotated since it was copied from another machine"
        )
        copyFileSync(keyFile, copy)
        assert.strictEqual((yield* asksElsewhere).text.replaceAll(/"next":"[^"]*"/gu, '"next":"cursor"'), before[0])
        const again = yield* load(...on())
        assert.include(again.out, "loaded 0 credentials, 2,500 were there already", again.err)
        const id = /"id":(\d+)/u.exec(created.text)?.[1]
        const event = {
          event_type: "chat_message",
          metadata: { uid: "after", severity: "low", estimated_created_at: new Date().toISOString() },
          data: { content: "vpn access", posted_at: "2026-01-01T00:00:00Z", actor: { name: "nobody" } }
        }
        writeFileSync(join(directory, "events.ndjson"), JSON.stringify(event))
        assert.include((yield* run(directory, "load", "events", "events.ndjson", ...on())).out, "loaded 1 event")
        assert.include((yield* ask("POST", `/v4/events/identifiers/${id}/_search`, { size: 10 })).text, '"after"')

        // A second rotation follows the first one.
        const second = yield* run(directory, "rotate-key", ...on(), "--yes")
        assert.strictEqual(second.code, 0, second.err)
        assert.include((yield* load(...on())).out, "loaded 0 credentials, 2,500 were there already")
      }).pipe(Effect.scoped),
    1_800_000
  )
})
