import { assert, describe, it } from "@effect/vitest"
import type { EventListing, StoredEvent } from "@threat-exposure/service/events/EventStore"
import { loadEventsJob } from "@threat-exposure/service/testing/PublishedRecords"
import { compareEvents, firstIdOf, newEventId, slotOf } from "@threat-exposure/service/sqlite/events/EventOrder"
import {
  type SelectedEvent,
  selectEvents,
  type SelectionProgress
} from "@threat-exposure/service/sqlite/events/EventSelection"
import { assetOf } from "@threat-exposure/service/identifiers/Identifiers"
import { beginCreation } from "@threat-exposure/service/sqlite/IdentifierStoreSqlite"
import { keywordExpression } from "@threat-exposure/service/matching/EventQueries"
import { Connection } from "@threat-exposure/service/sqlite/database/Connection"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { microsecondsOf } from "@threat-exposure/service/requests/Microseconds"
import { Effect } from "effect"
import * as fc from "fast-check"
import { DatabaseForTest } from "../../DatabaseForTest.ts"

const now = "2026-02-01T00:00:00Z"

/** Includes pairs of uids whose order differs between UTF-16 and UTF-8. */
const uid = fc
  .tuple(fc.constantFrom("a", "b", "B", "é", "\u{1F600}", "\uFFFD", "\uE000", "\u{10FFFF}"), fc.nat({ max: 12 }))
  .map(([letter, number]) => `t/${letter}/${number}`)
const time = fc.constantFrom(
  "2026-01-01T00:00:00Z",
  "2026-01-01T00:00:00.000001Z",
  "2026-01-01T00:00:00.999999Z",
  "2026-01-01T00:00:01Z",
  "2026-01-01T00:00:05Z",
  "1600-01-01T00:00:00Z"
)
const event = fc
  .record({ uid, time, word: fc.constantFrom("red", "red green", "green"), extra: fc.nat({ max: 1_000 }) })
  .map(({ extra, time, uid, word }): StoredEvent => ({
    event_type: "paste",
    metadata: { uid, severity: "low", estimated_created_at: time },
    data: { content: `${word} ${extra}` }
  }))
const batch = fc.array(event, { maxLength: 12 })

const keyOf = ({ metadata }: StoredEvent) => ({
  uid: metadata.uid,
  at: microsecondsOf(metadata.estimated_created_at) ?? 0
})

describe("EventOrder", () => {
  it.effect("pages stably by time and uid while events are loaded and replaced", () =>
    Effect.gen(function* () {
      const { connection, vault } = yield* Database
      const database = { connection, vault }
      const load = (events: ReadonlyArray<StoredEvent>) =>
        connection.transaction(() => loadEventsJob.run(database, { events, now }))
      const watching = connection.transaction(() =>
        beginCreation.run(database, { tenantId: 1, asset: assetOf({ name: "red" }, "red", now) })
      )
      /** Reads a page in slices that are as short as possible. */
      const pageOf = (input: EventListing, firstRange: number): ReadonlyArray<SelectedEvent> => {
        let progress: SelectionProgress | undefined
        for (;;) {
          const slice = connection.snapshot(() => selectEvents(database, { input, progress, time: 0 }, { firstRange }))
          if (slice.isDone) return slice.output
          ;({ progress } = slice)
        }
      }
      let unmoved = 0
      fc.assert(
        fc.property(
          fc.record({
            first: fc.array(event, { minLength: 20, maxLength: 60 }),
            batches: fc.array(batch, { minLength: 1, maxLength: 8 }),
            order: fc.constantFrom("asc" as const, "desc" as const),
            size: fc.integer({ min: 1, max: 10 }),
            ofIdentifier: fc.boolean(),
            firstRange: fc.integer({ min: 1, max: 100 }),
            query: fc.constantFrom(undefined, { type: "keyword" as const, keyword: "red" })
          }),
          ({ batches, first, firstRange, ofIdentifier, order, query, size }) => {
            connection.transaction(() => {
              connection.run("DELETE FROM event_index")
              connection.run("DELETE FROM events")
            })
            const stored = new Map<string, StoredEvent>()
            /** The events that were in the listing all the time, with an unchanged key. */
            const constant = new Map<string, ReturnType<typeof keyOf>>()
            const isListed = ({ data }: StoredEvent) =>
              (!ofIdentifier && query === undefined) || JSON.stringify(data).includes("red")
            const store = (events: ReadonlyArray<StoredEvent>) => {
              load(events)
              for (const event of events) stored.set(event.metadata.uid, event)
            }
            store(first)
            for (const event of stored.values()) if (isListed(event)) constant.set(event.metadata.uid, keyOf(event))

            const listed: Array<SelectedEvent> = []
            const listing: Omit<EventListing, "after"> = {
              tenantId: 1,
              matchedTo: ofIdentifier ? watching : undefined,
              expression: query && keywordExpression(vault, query.keyword),
              keyId: vault.keyId,
              filters: {
                types: undefined,
                severities: undefined,
                since: undefined,
                until: undefined,
                arrivedSince: undefined,
                arrivedUntil: undefined,
                tags: undefined,
                statuses: undefined
              },
              order,
              size
            }
            for (let page = 0; ; page += 1) {
              const last = listed.at(-1)
              const selected = pageOf({ ...listing, after: last }, firstRange)
              listed.push(...selected.slice(0, size))
              if (selected.length <= size) break
              const events = batches[page % batches.length] ?? []
              store(page < 40 ? events : [])
              for (const [uid, key] of constant) {
                const event = stored.get(uid)
                if (event === undefined || !isListed(event) || compareEvents(keyOf(event), key) !== 0) {
                  constant.delete(uid)
                }
              }
            }
            const direction = order === "asc" ? 1 : -1
            for (const [at, key] of listed.entries()) {
              const before = listed[at - 1]
              if (before !== undefined) assert.isAbove(compareEvents(key, before) * direction, 0)
            }
            for (const [uid, { at }] of constant) {
              assert.lengthOf(
                listed.filter((key) => key.uid === uid && key.at === at),
                1,
                uid
              )
            }
            unmoved += constant.size
          }
        ),
        { seed: 3, numRuns: 150 }
      )
      assert.isAbove(unmoved, 1_000)
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it("gives every event of a slot a unique id within the slot, however full the slot is", () => {
    using connection = new Connection(":memory:")
    connection.exec("CREATE TABLE events (id INTEGER PRIMARY KEY)")
    const insert = (id: bigint) => connection.run("INSERT INTO events VALUES (?)", id)
    const ids = new Set<bigint>()
    const slot = slotOf(1_700_000_000_000_000)
    const lastMicrosecond = Number(((slot + 1n) << 20n) - 1n)
    // The last id of the slot is taken, so ids can no longer ascend.
    insert(firstIdOf(slot + 1n) - 1n)
    insert(firstIdOf(slot + 1n) - 3n)
    for (let number = 0; number < 50; number += 1) {
      const id = newEventId(connection, lastMicrosecond)
      assert.strictEqual(id >= firstIdOf(slot) && id < firstIdOf(slot + 1n), true)
      ids.add(id)
      insert(id)
    }
    assert.strictEqual(ids.size, 50)
  })
})
