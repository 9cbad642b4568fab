import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import type { Vault } from "../crypto/Vault.ts"
import { requireKey } from "../requests/StoreUnavailable.ts"
import { type LoadOptions, LoadTargets, type OpenTarget } from "./LoadTarget.ts"
import type { RecordChunk } from "./RecordChunks.ts"
import type { Prepared, WriteCounts } from "./RecordLoader.ts"

/** How records of one kind get into OpenSearch. */
export interface RecordIndexer<Item> {
  /** The columns that tell a CSV file of these records. Absent where CSV is not accepted. */
  readonly csvColumns?: ReadonlyArray<string>
  prepare(vault: Vault, chunk: RecordChunk): Prepared<ReadonlyArray<Item>>
  /** Of items with the same id, the last of a load wins, or the first with `keep`. */
  idOf(item: Item): string
  equal(one: Item, other: Item): boolean
  /** Writes items, each with another id. They need not be visible yet. */
  write(items: ReadonlyArray<Item>, options: LoadOptions): Effect.Effect<Readonly<WriteCounts>>
  /** Makes visible what was written. */
  readonly publish: Effect.Effect<void>
}

/** The targets in OpenSearch of the records that the indexers write. */
export const loadTargetsOpenSearch = <Credential, Event, Recommendation, R>(
  make: Effect.Effect<
    {
      readonly credentials: RecordIndexer<Credential>
      readonly events: RecordIndexer<Event>
      readonly recommendations: (tenantId: number) => RecordIndexer<Recommendation>
    },
    never,
    R
  >
) =>
  Layer.effect(
    LoadTargets,
    Effect.gen(function* () {
      const current = yield* CurrentVault
      const { credentials, events, recommendations } = yield* make
      const opened =
        <Item>(indexer: RecordIndexer<Item>): OpenTarget<unknown> =>
        (options) =>
          Effect.provideService(openSearchTarget(indexer)(options), CurrentVault, current)
      return LoadTargets.of({
        credentials: opened(credentials),
        events: opened(events),
        recommendations: (tenantId) => opened(recommendations(tenantId)),
        // What a load wrote stays: the same load is run again.
        recover: Effect.void
      })
    })
  )

export const openSearchTarget =
  <Item>(indexer: RecordIndexer<Item>): OpenTarget<ReadonlyArray<Item>, CurrentVault> =>
  (options) =>
    Effect.map(CurrentVault, (current) => ({
      csvColumns: indexer.csvColumns,
      publishedTogether: groupSize,
      stagedBeside: join(tmpdir(), "threat-exposure"),
      prepare: async (chunk) => indexer.prepare(current.vault, chunk),
      groupSize: () => groupSize,
      publisher: makePublisher(indexer, options, current)
    }))

/** Records. What they are written with is done before they are reported as loaded. */
const groupSize = 20_000

const writesAtOnce = 3

const makePublisher = <Item>(indexer: RecordIndexer<Item>, options: LoadOptions, current: CurrentVault["Service"]) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const permits = yield* Semaphore.make(writesAtOnce)
    let counts: WriteCounts = { added: 0, replaced: 0, unchanged: 0 }
    /** Ids and the writes that are under way. */
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
        // Writes at the same time have no order.
        if ([...items.keys()].some((id) => ids.has(id))) yield* settled
        for (const id of items.keys()) ids.add(id)
        yield* permits.take(1)
        const write = Effect.map(indexer.write([...items.values()], options), ({ added, replaced, unchanged }) => {
          counts.added += added
          counts.replaced += replaced
          counts.unchanged += unchanged
        })
        running.push(yield* Effect.forkIn(Effect.ensuring(write, permits.release(1)), scope))
      }),
      flush: settled,
      publish: Effect.andThen(
        settled,
        Effect.tap(indexer.publish, () =>
          Effect.sync(() => {
            counts = { added: 0, replaced: 0, unchanged: 0 }
          })
        )
      )
    }
  })
