/** Findings in OpenSearch are complete and correct, whatever happens at the same time or is interrupted. */
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { eventIndexer } from "@threat-exposure/service/opensearch/events/EventIndexer"
import { prepareEvent } from "@threat-exposure/service/events/PreparedEvent"
import { assetOf, IdentifierStore } from "@threat-exposure/service/identifiers/Identifiers"
import { creationIndex, IdentifierStoreOpenSearch } from "@threat-exposure/service/opensearch/IdentifierStoreOpenSearch"
import { eventIndex, findingIndex } from "@threat-exposure/service/opensearch/events/EventIndex"
import { eventIdOf, findingIdOf } from "@threat-exposure/service/opensearch/events/SealedEvent"
import type { Cluster } from "@threat-exposure/service/opensearch/cluster/Cluster"
import { KeyedCluster } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { StoreUnavailable } from "@threat-exposure/service/requests/StoreUnavailable"
import { Context, Effect, Exit, Layer } from "effect"

const node = await openSearchNode()

const now = "2026-01-01T00:00:00Z"
const replacing = { keep: false, strict: false, now }

const eventOf = (uid: string, content: string) => ({
  event_type: "chat_message",
  metadata: { uid, severity: "low", estimated_created_at: now },
  data: { content, posted_at: now, actor: { name: "nobody" }, context: { conversation_name: "room" } }
})

/** The actions of the tests on this cluster, until the scope closes. */
const actors = Effect.fnUntraced(function* (cluster: Cluster["Service"]) {
  const { vault } = (yield* KeyedCluster).now
  const keyed = { now: { cluster, vault } }
  const services = yield* Layer.build(
    Layer.fresh(IdentifierStoreOpenSearch).pipe(Layer.provide(Layer.succeed(KeyedCluster, keyed)))
  )
  const store = Context.get(services, IdentifierStore)
  const indexer = eventIndexer(keyed)
  return {
    watch: (keyword: string) =>
      Effect.map(
        store.insert({
          tenantId: 1,
          asset: assetOf({ name: keyword, type: "keyword", data: {} }, "00000000-0000-4000-8000-000000000000", now)
        }),
        ({ id }) => id
      ),
    store: (events: ReadonlyArray<ReturnType<typeof eventOf>>, options = replacing) =>
      indexer.write(
        events.map((event) => prepareEvent(vault, event)),
        { ...options, keyId: vault.keyId }
      )
  }
})

const findings = Effect.fnUntraced(function* (cluster: Cluster["Service"], identifiers: ReadonlyArray<number>) {
  yield* cluster.refresh(findingIndex)
  const hits = yield* cluster.all(findingIndex, {
    query: { terms: { identifier: identifiers } },
    sort: [{ created_at: "asc" }, { uid_order: "asc" }, { identifier: "asc" }]
  })
  return hits.map(({ id }) => id).toSorted()
})

/** Repeating a killed load stores the findings that it left out. */
const repeatedLoads = Effect.gen(function* () {
  const { cluster } = (yield* KeyedCluster).now
  const { store, watch } = yield* actors(cluster)
  const id = yield* watch("vpn")
  const killed = yield* actors({
    ...cluster,
    write: (operations, options) =>
      operations.some(({ index }) => index === findingIndex)
        ? Effect.die(new StoreUnavailable({ reason: "the process was killed" }))
        : cluster.write(operations, options)
  })
  const events = [eventOf("a", "vpn access"), eventOf("b", "shop access")]
  assert.isTrue(Exit.isFailure(yield* Effect.exit(killed.store(events))))
  assert.isDefined(yield* cluster.get(eventIndex, eventIdOf("a")))
  const later = { ...replacing, now: "2026-02-01T00:00:00Z" }
  assert.deepStrictEqual(yield* store(events, later), { added: 0, replaced: 0, unchanged: 2 })
  assert.deepStrictEqual(yield* findings(cluster, [id]), [findingIdOf(id, eventIdOf("a"))])
  const finding = yield* cluster.get(findingIndex, findingIdOf(id, eventIdOf("a")))
  assert.strictEqual(finding?.document.loaded_at, now)
  assert.deepStrictEqual(yield* store([]), { added: 0, replaced: 0, unchanged: 0 })
}).pipe(Effect.scoped)

/** Another start completes a creation that was interrupted between two of its writes. */
const killedCreations = Effect.gen(function* () {
  const { cluster } = (yield* KeyedCluster).now
  const { store } = yield* actors(cluster)
  const events = Array.from({ length: 700 }, (_, at) => eventOf(`many/${at}`, "bastion access"))
  yield* store(events)
  let writes = 0
  const { watch } = yield* actors({
    ...cluster,
    write: (operations, options) =>
      operations.some(({ index }) => index === findingIndex) && (writes += 1) > 1
        ? Effect.die(new StoreUnavailable({ reason: "the process was killed" }))
        : cluster.write(operations, options)
  })
  assert.isTrue(Exit.isFailure(yield* Effect.exit(watch("bastion"))))
  const id = (yield* cluster.nextNumber("identifiers")) - 1
  // The first write may be that of a recovery, which finds the creation between its note and its matching, and may still
  // be running.
  while ((yield* findings(cluster, [id])).length < 500);

  const begun = Effect.andThen(cluster.refresh(creationIndex), cluster.count(creationIndex, { match_all: {} }))
  // Two services complete the creation at the same time.
  yield* Layer.build(Layer.fresh(IdentifierStoreOpenSearch))
  while ((yield* begun) > 0);
  const expected = events.map(({ metadata }) => findingIdOf(id, eventIdOf(metadata.uid))).toSorted()
  assert.deepStrictEqual(yield* findings(cluster, [id]), expected)
  const finding = yield* cluster.get(findingIndex, expected[0] ?? "")
  assert.strictEqual(finding?.document.matched_at, now)
}).pipe(Effect.scoped)

/** Findings of a replaced event are removed, also those of an identifier that was being created. */
const replacedEvents = Effect.gen(function* () {
  const { cluster } = (yield* KeyedCluster).now
  const { store } = yield* actors(cluster)
  yield* store([eventOf("c", "proxy access"), eventOf("d", "proxy again")])
  let isReplaced = false
  const { watch } = yield* actors({
    ...cluster,
    // Replaces one event after the creation has read it, and before its finding is stored.
    search: (index, search) =>
      Effect.tap(cluster.search(index, search), () => {
        if (index.name !== eventIndex.name || isReplaced) return Effect.void
        isReplaced = true
        return store([eventOf("c", "shop access")])
      })
  })
  const id = yield* watch("proxy")
  assert.isTrue(isReplaced)
  assert.deepStrictEqual(yield* findings(cluster, [id]), [findingIdOf(id, eventIdOf("d"))])
}).pipe(Effect.scoped)

/** Concurrent loads and creations store every match exactly once. */
const concurrentLoads = Effect.gen(function* () {
  const { cluster } = (yield* KeyedCluster).now
  const services = yield* Effect.forEach([1, 2, 3], () => actors(cluster))
  const word = (number: number) => `word${number % 10}x`
  const loads = Effect.forEach(
    Array.from({ length: 9 }, (_, batch) => batch),
    (batch) =>
      services[batch % 3]?.store(
        Array.from({ length: 20 }, (_, at) =>
          eventOf(`${batch}/${at}`, `${word(at)} and ${word(at + batch)} and ${word(at * batch)}`)
        )
      ) ?? Effect.void,
    { concurrency: 3 }
  )
  const creations = Effect.forEach(
    Array.from({ length: 9 }, (_, number) => number),
    (number) => services[number % 3]?.watch(word(number)) ?? Effect.succeed(0),
    { concurrency: 3 }
  )
  const [ids] = yield* Effect.all([creations, loads], { concurrency: 2 })
  const expected = ids.flatMap((id, number) =>
    Array.from({ length: 180 }, (_, event) => ({ batch: Math.floor(event / 20), at: event % 20 }))
      .filter(({ at, batch }) => [at, at + batch, at * batch].some((one) => word(one) === word(number)))
      .map(({ at, batch }) => findingIdOf(id, eventIdOf(`${batch}/${at}`)))
  )
  assert.deepStrictEqual(yield* findings(cluster, ids), expected.toSorted())
}).pipe(Effect.scoped)

describe.skipIf("missing" in node)("missing" in node ? node.missing : "findings in OpenSearch", () => {
  const url = "missing" in node ? "" : node.url

  it.live("lead to every match and to no other, whatever is interrupted or happens at the same time", () =>
    Effect.gen(function* () {
      yield* repeatedLoads.pipe(
        Effect.andThen(killedCreations),
        Effect.andThen(replacedEvents),
        Effect.andThen(concurrentLoads),
        Effect.provide(openSearch(yield* emptyCluster(url)))
      )
    }).pipe(Effect.scoped)
  )
})
