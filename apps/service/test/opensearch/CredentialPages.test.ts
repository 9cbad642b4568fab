/** Large pages of credentials, which a thread of their own reads. */
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { KeyedCluster } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { credentialIndex } from "@threat-exposure/service/opensearch/CredentialIndex"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { LoadTargets } from "@threat-exposure/service/load/LoadTarget"
import { Effect, Layer } from "effect"
import { loadForTest, ServiceForTest } from "../ServiceForTest.ts"

const node = await openSearchNode()

describe.skipIf("missing" in node)("missing" in node ? node.missing : "a large page", () => {
  const stores = Layer.unwrap(Effect.map(emptyCluster("missing" in node ? "" : node.url), openSearch))

  it.live("has the items of the small ones, and is not decrypted on the thread that answers requests", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const { credentials } = yield* LoadTargets
      const { cluster, vault } = (yield* KeyedCluster).now
      const total = 1_200
      const records = Array.from({ length: total }, (_, id) => ({
        id,
        identity_name: `person${id}@example.com`,
        imported_at: new Date(Date.UTC(2026, 0, 1) + (id % 7) * 3_600_000).toISOString(),
        hash: `planted-${id}`
      }))
      yield* loadForTest(credentials, records)
      const planted = { id: 7_777, imported_at: 1_767_225_600_000_000, digest: "", document: "AAAA" }
      const [first] = yield* cluster.hits(credentialIndex, { size: 1, query: { match_all: {} } })
      yield* cluster.write([
        { index: credentialIndex, id: "7777", document: { ...Object(first?._source), ...planted } }
      ])
      const search = (size: number, from?: string) =>
        call(1, "POST", "/v4/credentials/global/_search", {
          query: { type: "domain", fqdn: "example.com" },
          size,
          ...(from === undefined ? {} : { from })
        })
      const small: Array<unknown> = []
      for (let from: string | undefined; ;) {
        const { body } = yield* search(100, from)
        small.push(...body.items)
        if (body.next === null) break
        from = body.next
      }
      assert.lengthOf(small, total)
      const decrypt = vault.decryptToBytes.bind(vault)
      let decrypted = 0
      vault.decryptToBytes = (...sealed) => {
        decrypted += 1
        return decrypt(...sealed)
      }
      const whole = (yield* search(10_000)).body
      assert.deepStrictEqual([whole.items, whole.next], [small, null])
      const part = (yield* search(700)).body
      assert.deepStrictEqual(part.items, small.slice(0, part.items.length))
      assert.isAtLeast(part.items.length, 699)
      const rest = (yield* search(700, part.next)).body
      assert.deepStrictEqual([...part.items, ...rest.items], small)
      // The quota decrypts a value of its own.
      assert.isBelow(decrypted, 10)
      assert.deepStrictEqual(cluster.foreign.names, [`7777 in ${cluster.nameOf(credentialIndex)}`])
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})
