import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { Cluster } from "@threat-exposure/service/opensearch/cluster/Cluster"
import { changeState, ClusterState, stateLease } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { Context, Effect, Fiber, Layer } from "effect"

const node = await openSearchNode()

describe.skipIf("missing" in node)("missing" in node ? node.missing : "the state of a cluster", () => {
  const { url } = "missing" in node ? { url: "" } : node

  it.live("is known to every service once a change is reported, however recently the service asked", () =>
    Effect.gen(function* () {
      const options = yield* emptyCluster(url)
      const service = Layer.build(Layer.fresh(Layer.orDie(openSearch(options))))
      const [here, elsewhere] = [Context.get(yield* service, ClusterState), yield* service]
      const cluster = Context.get(elsewhere, Cluster)
      let writtenAt = Number.NaN
      const noting: Cluster["Service"] = {
        ...cluster,
        update: (index, id, change) =>
          Effect.tap(cluster.update(index, id, change), () => Effect.sync(() => (writtenAt = performance.now())))
      }
      const known: Array<number> = []
      const reported: Array<number | undefined> = []
      let isRead = true
      const reading = yield* Effect.promise(() => new Promise(setImmediate)).pipe(
        Effect.andThen(Effect.suspend(() => here.recentRevision())),
        Effect.repeat({ while: () => isRead }),
        Effect.forkChild
      )
      for (let round = 0; round < 10; round += 1) {
        const changed = yield* changeState(noting, (state) => ({ ...state, revision: state.revision + 1 }))
        // On a loaded machine, the write alone takes longer than a service reuses a state.
        assert.isAbove(performance.now() - writtenAt, stateLease)
        known.push(yield* here.recentRevision())
        reported.push(changed?.revision)
      }
      isRead = false
      yield* Fiber.join(reading)
      assert.deepStrictEqual(known, reported)
    }).pipe(Effect.scoped)
  )
})
