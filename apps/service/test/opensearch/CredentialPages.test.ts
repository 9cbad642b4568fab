/** Large pages of credentials, which are decrypted on the thread that answers all tenants. */
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { KeyedCluster } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { LoadTargets } from "@threat-exposure/service/load/LoadTarget"
import { Effect, Layer } from "effect"
import { loadForTest, ServiceForTest } from "../ServiceForTest.ts"

const node = await openSearchNode()

describe.skipIf("missing" in node)("missing" in node ? node.missing : "a large page", () => {
  const stores = Layer.unwrap(Effect.map(emptyCluster("missing" in node ? "" : node.url), openSearch))

  it.live("leaves the thread to other requests while it is decrypted", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const { credentials } = yield* LoadTargets
      const { vault } = (yield* KeyedCluster).now
      const size = 1_200
      const records = Array.from({ length: size }, (_, id) => ({
        id,
        identity_name: `person${id}@example.com`,
        imported_at: "2026-01-01T00:00:00Z",
        hash: `planted-${id}`
      }))
      yield* loadForTest(credentials, records)
      const decrypt = vault.decryptToBytes.bind(vault)
      let decrypted = 0
      let most = 0
      vault.decryptToBytes = (...sealed) => {
        if (decrypted === 0) setImmediate(() => (decrypted = 0))
        decrypted += 1
        most = Math.max(most, decrypted)
        return decrypt(...sealed)
      }
      const query = { type: "domain", fqdn: "example.com" }
      const { body } = yield* call(1, "POST", "/v4/credentials/global/_search", { query, size })
      assert.lengthOf(body.items, size)
      assert.isAtLeast(most, 1)
      assert.isBelow(most, size / 2)
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})
