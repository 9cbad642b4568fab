import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { ClusterState } from "@threat-exposure/service/opensearch/ClusterStart"
import { openSearch } from "@threat-exposure/service/OpenSearch"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { Context, Effect, Fiber, Layer } from "effect"

const node = await openSearchNode()

describe.skipIf("missing" in node)("missing" in node ? node.missing : "the state of a cluster", () => {
  const { url } = "missing" in node ? { url: "" } : node

  it.live("is known to every service as soon as a change is reported, however recently it asked", () =>
    Effect.gen(function* () {
      const options = yield* emptyCluster(url)
      const service = Effect.map(Layer.build(Layer.fresh(Layer.orDie(openSearch(options)))), Context.get(ClusterState))
      const [here, elsewhere] = [yield* service, yield* service]
      const known: Array<number> = []
      const reported: Array<number> = []
      let isRead = true
      const reading = yield* Effect.promise(() => new Promise(setImmediate)).pipe(
        Effect.andThen(Effect.suspend(() => here.recentRevision())),
        Effect.repeat({ while: () => isRead }),
        Effect.forkChild
      )
      for (let round = 0; round < 10; round += 1) {
        yield* elsewhere.advance
        known.push(yield* here.recentRevision())
        reported.push(yield* elsewhere.revision)
      }
      isRead = false
      yield* Fiber.join(reading)
      assert.deepStrictEqual(known, reported)
    }).pipe(Effect.scoped)
  )
})
