import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { KeyedCluster } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import type { Cluster, Hit } from "@threat-exposure/service/opensearch/cluster/Cluster"
import { findingIndex } from "@threat-exposure/service/opensearch/events/EventIndex"
import type { FindingDocument } from "@threat-exposure/service/opensearch/events/SealedEvent"
import { materialize } from "@threat-exposure/service/opensearch/events/Materialization"
import { noStrictLoads } from "@threat-exposure/service/opensearch/cluster/StrictLoadState"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { call, createKey, folder, killedAt, serving } from "../../commands/Command.ts"
import { eventForTest, ServiceForTest } from "../../ServiceForTest.ts"

const node = await openSearchNode()

/** For each step, whether a load is killed at this call. `reserved` is the number of reservations before it. */
const steps: Readonly<Record<string, (reserved: number, method: string, path: string) => boolean>> = {
  "before times are reserved": (_, method, path) => isReservation(method, path),
  "before the times are stored": (reserved, _, path) => reserved === 1 && path.includes("-findings/_bulk"),
  "before the times are visible": (reserved, method, path) => reserved === 1 && isReservation(method, path)
}

const isReservation = (method: string, path: string) => method === "PUT" && path.includes("-materialization/_doc/")

describe.skipIf("missing" in node)("missing" in node ? node.missing : "a load that was killed", () => {
  const { url } = "missing" in node ? { url: "" } : node

  it.live("is completed by any service: all its events reach the tenant, later than those before", () =>
    Effect.gen(function* () {
      const there = yield* folder
      const { keyFile, prefix } = yield* emptyCluster(url)
      const place = ["--index-prefix", prefix, "--key-file", keyFile]
      const service = yield* serving(there, "--opensearch", url, ...place)
      const token = yield* createKey(there, "1", "read-tenant,write-tenant", "--opensearch", url, ...place)
      const created = yield* call(service.url, token, "POST", "/v2/assets/", { name: "common", type: "keyword" })
      assert.strictEqual(created.status, 200, created.text)
      const filters = { materialized_at: { gt: "2020-01-01" } }
      const arrivals = Effect.map(
        call(service.url, token, "POST", "/v4/events/tenant/_search", { filters, order: "asc" }),
        ({ text }) => {
          const items: ReadonlyArray<any> = JSON.parse(text).items
          return items.map(({ metadata }) => `${metadata.materialized_at} ${metadata.uid}`)
        }
      )
      let before: ReadonlyArray<string> = []
      for (const [number, [step, isLast]] of Object.entries(steps).entries()) {
        const events = [2 * number, 2 * number + 1].map((at) => eventForTest(at, "paste", { content: "common" }))
        writeFileSync(join(there, "events.ndjson"), events.map((event) => `${JSON.stringify(event)}\n`).join(""))
        let reserved = 0
        yield* killedAt(
          url,
          (method, path) => {
            if (isLast(reserved, method, path)) return true
            if (isReservation(method, path)) reserved += 1
            return false
          },
          there,
          (cluster) => ["load", "events", "events.ndjson", "--opensearch", cluster, ...place]
        )
        let after = yield* arrivals
        while (after.length < 2 * number + 2) {
          yield* Effect.sleep("100 millis")
          after = yield* arrivals
        }
        assert.deepStrictEqual(after.slice(0, before.length), before, step)
        assert.deepStrictEqual(after, after.toSorted(), step)
        before = after
      }
    }).pipe(Effect.scoped)
  )
})

describe.skipIf("missing" in node)("missing" in node ? node.missing : "requests that store findings at once", () => {
  const stores = Layer.unwrap(Effect.map(emptyCluster("missing" in node ? "" : node.url), openSearch))

  const storeFindings = Effect.fnUntraced(function* (identifiers: number) {
    const { call, loadEvents } = yield* ServiceForTest
    const { cluster } = (yield* KeyedCluster).now
    for (let at = 0; at < identifiers; at += 1) {
      yield* call(1, "POST", "/v2/assets/", { name: "common", type: "keyword" })
    }
    yield* loadEvents(...Array.from({ length: 20 }, (_, at) => eventForTest(at, "paste", { content: "common" })))
    const findings = cluster.all(findingIndex, {
      query: { match_all: {} },
      sort: [{ identifier: "asc" }, { uid_order: "asc" }]
    })
    return { cluster, findings }
  })
  const withoutTimes = (findings: ReadonlyArray<Hit<FindingDocument>>) =>
    findings.map(({ document: { materialized_at: _former, ...document }, id }) => ({
      index: findingIndex,
      id,
      document
    }))

  it.live("give each of them its time once", () =>
    Effect.gen(function* () {
      const { cluster, findings } = yield* storeFindings(1)
      const stored = yield* findings
      assert.lengthOf(stored, 20)
      yield* cluster.write(withoutTimes(stored))
      let written = 0
      const counting: Cluster["Service"] = {
        ...cluster,
        write: (operations, options) => {
          written += operations.length
          return cluster.write(operations, options)
        }
      }
      yield* Effect.all(
        Array.from({ length: 8 }, () => materialize(counting)),
        { concurrency: "unbounded", discard: true }
      )
      // Another program may have assigned times meanwhile.
      assert.isAtMost(written, stored.length)
      const times = (yield* findings).map(({ document }) => document.materialized_at)
      assert.strictEqual(new Set(times).size, stored.length)
      assert.notInclude(times, undefined)
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )

  it.live("share the reads, however many there are, also when one of them is cut off", () =>
    Effect.gen(function* () {
      const { cluster, findings } = yield* storeFindings(1)
      yield* cluster.write(withoutTimes(yield* findings))
      const calls = { refreshes: 0 }
      const counting: Cluster["Service"] = {
        ...cluster,
        refresh: (index) => {
          calls.refreshes += 1
          return cluster.refresh(index)
        }
      }
      const requests = yield* Effect.forEach(Array.from({ length: 16 }), () =>
        Effect.forkScoped(materialize(counting), { startImmediately: true })
      )
      const [first, second, ...others] = requests
      for (const cutOff of [first, second]) if (cutOff !== undefined) yield* Fiber.interrupt(cutOff)
      yield* Fiber.joinAll(others)
      // Two runs, each until every finding has a time.
      assert.isAtMost(calls.refreshes, 4)
      assert.notInclude(
        (yield* findings).map(({ document }) => document.materialized_at),
        undefined
      )
    }).pipe(Effect.scoped, Effect.provide(ServiceForTest.over(stores)))
  )

  it.live("read one finding of each event for its time, however many identifiers it matches", () =>
    Effect.gen(function* () {
      const { cluster, findings } = yield* storeFindings(6)
      const stored = yield* findings
      assert.lengthOf(stored, 6 * 20)
      yield* cluster.write(withoutTimes(stored.slice(-20)))
      let read = 0
      const note = <Hits extends ReadonlyArray<unknown>>(hits: Hits) => {
        read += hits.length
        return hits
      }
      yield* materialize({
        ...cluster,
        all: (...search) => Effect.map(cluster.all(...search), note),
        hits: (...search) => Effect.map(cluster.hits(...search), note)
      })
      assert.isAtMost(read, 2 * 20)
      const times = (findings: ReadonlyArray<Hit<FindingDocument>>) =>
        findings.map(({ document }) => [document.identifier, document.uid, document.materialized_at])
      assert.deepStrictEqual(times(yield* findings), times(stored))
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )

  it.live("wait for those of the same cluster, in whatever state, and of no other", () =>
    Effect.gen(function* () {
      const open = Effect.map(
        Layer.build(Layer.fresh(stores)),
        (context) => Context.get(context, KeyedCluster).now.cluster
      )
      const [one, other] = [yield* open, yield* open]
      const gate = yield* Deferred.make<void>()
      yield* Effect.forkScoped(one.materializing.join(one, Deferred.await(gate)), { startImmediately: true })
      const waiting = yield* Effect.forkScoped(materialize(one.withLoads({ ...noStrictLoads, last: 9 })), {
        startImmediately: true
      })
      yield* materialize(other)
      assert.isUndefined(waiting.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(waiting)
    }).pipe(Effect.scoped)
  )
})
