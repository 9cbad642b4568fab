/**
 * Writes events to SQLite as versions of a new generation, indexed and matched against the identifiers of every tenant, and
 * removes versions: see `sqlite/database/Generations.ts`.
 */
import * as Schema from "effect/Schema"
import type { WriteCounts } from "../../load/LoadTarget.ts"
import type { RecordWriter, WriteOptions } from "../RecordLoader.ts"
import { identifiersThatMatch } from "../IdentifierPercolator.ts"
import { fields } from "../../search/SearchDocument.ts"
import { type Connection, query } from "../database/Connection.ts"
import { generationsOf } from "../database/Generations.ts"
import type { OpenDatabase } from "../database/Procedure.ts"
import type { Steps } from "../database/Steps.ts"
import type { PreparedEvent } from "../../events/PreparedEvent.ts"
import { orderedUid } from "../../events/EventStore.ts"
import { newArrivals } from "./Arrivals.ts"
import { newEventId } from "./EventOrder.ts"

/** An event whose `uid` exists replaces the stored one, unless they are equal or the options say to keep it. */
export const eventWriter = (
  database: OpenDatabase,
  options: WriteOptions
): RecordWriter<ReadonlyArray<PreparedEvent>> => {
  const counts: WriteCounts = { added: 0, replaced: 0, unchanged: 0 }
  return {
    counts,
    *write(events) {
      for (const event of inTimeOrder(events)) {
        counts[writeEvent(database, event, options)] += 1
        yield
      }
    },
    *flush() {
      yield
    }
  }
}

/**
 * The full-text index takes ascending ids twice as fast as descending ones, and files are often newest first. Of several
 * events with one uid the last must win: their order stays.
 */
const inTimeOrder = (events: ReadonlyArray<PreparedEvent>): ReadonlyArray<PreparedEvent> =>
  new Set(events.map(({ uid }) => uid)).size === events.length
    ? events.toSorted((a, b) => a.createdAt - b.createdAt)
    : events

export function* deleteRemovedEvents({ connection }: OpenDatabase): Steps<void> {
  const { published } = generationsOf(connection, "events")
  for (;;) {
    const removed = connection.all(removedEvents, published)
    if (removed.length === 0) return
    for (const { id } of removed) deleteEvent(connection, id)
    yield
  }
}

export function* discardUnpublishedEvents({ connection }: OpenDatabase): Steps<void> {
  const { published } = generationsOf(connection, "events")
  connection.run("UPDATE events SET removed_in = NULL WHERE removed_in > ?", published)
  let last = String(-(2n ** 63n))
  for (;;) {
    yield
    // A range of ids at a time: no index has the generation.
    const end = connection.first(endOfRange, last)?.id
    for (const { id } of connection.all(unpublishedEvents, last, end ?? String(2n ** 63n - 1n), published)) {
      deleteEvent(connection, id)
    }
    if (end === undefined) return
    last = end
  }
}

const writeEvent = (
  database: OpenDatabase,
  event: PreparedEvent,
  { generation, keep, now }: WriteOptions
): keyof WriteCounts => {
  const { connection } = database
  const { analysis, createdAt, digest, encrypted, severity, terms, tokens, type, uid, words } = event
  const stored = connection.all(versionsOfUid, uid)
  const current =
    stored.find(({ added_in }) => added_in === generation) ?? stored.find(({ removed_in }) => removed_in === null)
  if (current !== undefined && (keep || Buffer.from(current.digest).equals(digest))) return "unchanged"
  if (current?.added_in === generation) deleteEvent(connection, current.id)
  else if (current !== undefined) {
    connection.run("UPDATE events SET removed_in = ? WHERE id = CAST(? AS INTEGER)", generation, current.id)
  }
  const id = newEventId(connection, createdAt)
  connection.run(
    `INSERT INTO events (id, added_in, uid, uid_order, type, severity, created_at, loaded_at, digest, document, analysis)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    generation,
    uid,
    orderedUid(uid),
    type,
    severity,
    createdAt,
    now,
    digest,
    encrypted,
    analysis
  )
  connection.run(insertInto("event_index"), id, ...words, tokens)
  const texts = fields.map((field, index) => ({
    field,
    words: (words[index] ?? "").split(" ").map((text) => ({ text }))
  }))
  const matching = identifiersThatMatch(database, { texts, terms })
  if (matching.length > 0) {
    const arrival = newArrivals(connection, generation, 1)
    const sql = stored.length === 0 ? insertMatch(undefined) : insertMatch(arrivalOfFormer)
    const ofFormer = stored.length === 0 ? [] : [uid, id]
    for (const identifier of matching) connection.run(sql, id, now, ...ofFormer, arrival, identifier)
  }
  return current === undefined ? "added" : "replaced"
}

const insertMatch = (arrival: string | undefined): string =>
  `INSERT INTO identifier_events (identifier_id, event_id, matched_at, tenant_id, arrival)
   SELECT i.id, ?, ?, i.tenant_id, ${arrival === undefined ? "?" : `coalesce(${arrival}, ?)`} FROM identifiers i WHERE i.id = ?`

/** A version has the arrival of the one that it replaces, if that matched an identifier of the same tenant. */
const arrivalOfFormer = `(
  SELECT o.arrival FROM events v CROSS JOIN identifier_events o ON o.event_id = v.id AND o.tenant_id = i.tenant_id
  WHERE v.uid = ? AND v.id <> ? LIMIT 1)`

/** With its matches, which belong to it. */
const deleteEvent = (connection: Connection, id: string): void => {
  connection.run("DELETE FROM event_index WHERE rowid = CAST(? AS INTEGER)", id)
  connection.run("DELETE FROM events WHERE id = CAST(? AS INTEGER)", id)
}

const versionsOfUid = query(
  Schema.Struct({
    id: Schema.String,
    added_in: Schema.Int,
    removed_in: Schema.NullOr(Schema.Int),
    digest: Schema.Uint8Array
  }),
  "SELECT CAST(id AS TEXT) AS id, added_in, removed_in, digest FROM events WHERE uid = ?"
)

const Id = Schema.Struct({ id: Schema.String })

const removedEvents = query(Id, "SELECT CAST(id AS TEXT) AS id FROM events WHERE removed_in <= ? LIMIT 100")

const endOfRange = query(
  Id,
  "SELECT CAST(id AS TEXT) AS id FROM events WHERE events.id > CAST(? AS INTEGER) ORDER BY events.id LIMIT 1 OFFSET 10000"
)

const unpublishedEvents = query(
  Id,
  `SELECT CAST(id AS TEXT) AS id FROM events
   WHERE events.id > CAST(? AS INTEGER) AND events.id <= CAST(? AS INTEGER) AND added_in > ?`
)

/** Inserts a row into a full-text index: the rowid, the words of each field, the tokens. */
export const insertInto = (index: string): string =>
  `INSERT INTO ${index} (rowid, ${fields.join(", ")}, terms) VALUES (?${", ?".repeat(fields.length + 1)})`
