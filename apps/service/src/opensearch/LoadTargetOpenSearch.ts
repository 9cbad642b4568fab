import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import type { Vault } from "../crypto/Vault.ts"
import { KeyedCluster } from "./cluster/ClusterStart.ts"
import { StrictLoad } from "./cluster/StrictLoad.ts"
import { requireKey } from "../requests/StoreUnavailable.ts"
import {
  type LoadOptions,
  type LoadTarget,
  LoadTargets,
  type OpenTarget,
  type Prepared,
  type WriteCounts
} from "../load/LoadTarget.ts"
import type { RecordChunk } from "../load/RecordChunks.ts"

/** How records of one kind are written to OpenSearch. */
export interface RecordIndexer<Item> {
  /** The columns that identify a CSV file of these records. Absent if CSV is not accepted. */
  readonly csvColumns?: ReadonlyArray<string>
  prepare(vault: Vault, chunk: RecordChunk): Prepared<ReadonlyArray<Item>>
  /** The number of records that are published together. Records are visible before they are reported as loaded. */
  readonly publishedTogether: number
  /** If items have the same id, the last of a load wins, or the first with `keep`. */
  idOf(item: Item): string
  equal(one: Item, other: Item): boolean
  /** Writes items with distinct ids. They need not be visible yet. `keyId` is that of the vault passed to `prepare`. */
  write(
    items: ReadonlyArray<Item>,
    options: LoadOptions & { readonly keyId: number }
  ): Effect.Effect<Readonly<WriteCounts>>
  /** Makes all written items visible. */
  readonly publish: Effect.Effect<void>
  /** Runs after the written items have become visible. */
  readonly published?: Effect.Effect<void>
}

interface RecordIndexers<Credential, Event, Recommendation> {
  readonly credentials: RecordIndexer<Credential>
  readonly events: RecordIndexer<Event>
  readonly recommendations: (tenantId: number) => RecordIndexer<Recommendation>
}

/** The load targets in OpenSearch, which use the indexers that `make` provides. */
export const loadTargetsOpenSearch = <Credential, Event, Recommendation, R>(
  make: Effect.Effect<(keyed: KeyedCluster["Service"]) => RecordIndexers<Credential, Event, Recommendation>, never, R>
) =>
  Layer.effect(
    LoadTargets,
    Effect.gen(function* () {
      const stores = { current: yield* CurrentVault, keyed: yield* KeyedCluster, strictLoad: yield* StrictLoad }
      const indexers = yield* make
      return LoadTargets.of({
        credentials: openTarget(stores, (keyed) => indexers(keyed).credentials),
        events: openTarget(stores, (keyed) => indexers(keyed).events),
        recommendations: (tenantId) => openTarget(stores, (keyed) => indexers(keyed).recommendations(tenantId)),
        // The next load removes what a killed load left behind.
        recover: Effect.void,
        // The cluster merges its segments itself.
        mergeIndex: Effect.succeed(false),
        alone: stores.strictLoad.lock
      })
    })
  )

interface LoadStores {
  readonly current: CurrentVault["Service"]
  readonly keyed: KeyedCluster["Service"]
  readonly strictLoad: StrictLoad["Service"]
}

const openTarget =
  <Item>(
    { current, keyed, strictLoad }: LoadStores,
    indexerOf: (keyed: KeyedCluster["Service"]) => RecordIndexer<Item>
  ): OpenTarget<unknown> =>
  (options) =>
    Effect.sync((): LoadTarget<ReadonlyArray<Item>> => {
      const indexer = indexerOf(keyed)
      const { published = Effect.void } = indexer
      return {
        csvColumns: indexer.csvColumns,
        publishedTogether: indexer.publishedTogether,
        // The thread that prepares records also sends them.
        preparedAhead: 0,
        stagedBeside: join(tmpdir(), "threat-exposure"),
        prepare: async (chunk) => indexer.prepare(current.vault, chunk),
        groupSize: () => indexer.publishedTogether,
        publisher: Effect.gen(function* () {
          const load = options.strict ? yield* strictLoad.begin : undefined
          if (load === undefined) yield* strictLoad.settled
          const publisher = yield* makePublisher(load === undefined ? indexer : indexerOf(load.keyed), options, current)
          const publish = Effect.map(publisher.publish, (visible) =>
            Effect.all([visible, load?.publish ?? Effect.void, published], { discard: true })
          )
          return { ...publisher, publish }
        })
      }
    })

const writesAtOnce = 3

const makePublisher = <Item>(indexer: RecordIndexer<Item>, options: LoadOptions, current: CurrentVault["Service"]) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const permits = yield* Semaphore.make(writesAtOnce)
    let counts: WriteCounts = { added: 0, replaced: 0, unchanged: 0 }
    /** The writes in progress, and the ids of their items. */
    let running: Array<Fiber.Fiber<void>> = []
    let ids = new Set<string>()

    const settled = Effect.suspend(() => {
      const fibers = running
      running = []
      ids = new Set()
      return Effect.flatMap(Fiber.awaitAll(fibers), (exits) =>
        Effect.forEach(exits, (exit) => (Exit.isFailure(exit) ? Effect.failCause(exit.cause) : Effect.void), {
          discard: true
        })
      )
    })

    return {
      counts: () => counts,
      write: Effect.fnUntraced(function* ({ batch, keyId }: Prepared<ReadonlyArray<Item>>) {
        requireKey(current, keyId)
        const items = new Map<string, Item>()
        for (const item of batch) {
          const id = indexer.idOf(item)
          const earlier = items.get(id)
          if (earlier !== undefined) {
            if (options.keep || indexer.equal(earlier, item)) counts.unchanged += 1
            else counts.replaced += 1
          }
          if (earlier === undefined || !options.keep) items.set(id, item)
        }
        // Concurrent writes have no order, so a repeated id waits for the earlier write.
        if ([...items.keys()].some((id) => ids.has(id))) yield* settled
        for (const id of items.keys()) ids.add(id)
        yield* permits.take(1)
        const write = Effect.map(
          indexer.write([...items.values()], { ...options, keyId }),
          ({ added, replaced, unchanged }) => {
            counts.added += added
            counts.replaced += replaced
            counts.unchanged += unchanged
          }
        )
        running.push(yield* Effect.forkIn(Effect.ensuring(write, permits.release(1)), scope))
      }),
      flush: settled,
      publish: Effect.map(settled, () => {
        counts = { added: 0, replaced: 0, unchanged: 0 }
        return indexer.publish
      })
    }
  })
