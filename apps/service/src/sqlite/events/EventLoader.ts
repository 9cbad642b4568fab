import * as Schema from "effect/Schema"
import { prepareChunk } from "../../events/EventReader.ts"
import { uidForOrder } from "../../events/EventStore.ts"
import type { PreparedEvent } from "../../events/PreparedEvent.ts"
import type { WriteCounts } from "../../load/LoadTarget.ts"
import type { RecordChunk } from "../../load/RecordChunks.ts"
import { fields, type Matchable } from "../../search/SearchDocument.ts"
import { type Connection, query } from "../database/Connection.ts"
import { type OpenDatabase, procedure } from "../database/Procedure.ts"
import { currentPercolator, learnIdentifiers } from "../IdentifierPercolator.ts"
import { publishedLoader } from "../Publication.ts"
import type { RecordWriter, WriteOptions } from "../RecordLoader.ts"
import { versionRemoval } from "../VersionRemoval.ts"
import { reserveArrivals } from "./Arrivals.ts"
import { newEventId } from "./EventOrder.ts"

export const prepareEvents = procedure("events.prepare", ({ vault }, chunk: RecordChunk) => prepareChunk(vault, chunk))

export const eventLoader = publishedLoader<ReadonlyArray<PreparedEvent>>(
  {
    dataSet: "events",
    warmUp: learnIdentifiers,
    writer: eventWriter,
    ...versionRemoval("events", { key: "id", atOnce: 100, remove: ({ connection }, id) => deleteEvent(connection, id) })
  },
  { prepare: prepareEvents, publishedTogether: 5_000 }
)

function eventWriter(database: OpenDatabase, options: WriteOptions): RecordWriter<ReadonlyArray<PreparedEvent>> {
  const counts: WriteCounts = { added: 0, replaced: 0, unchanged: 0 }
  return {
    counts,
    *write(events) {
      for (const group of groupsOf(inTimeOrder(events))) {
        writeEvents(database, group, options, counts)
        yield
      }
    },
    *flush() {
      yield
    }
  }
}

/** The full-text index takes ascending ids twice as fast. The last of several events with one uid must win. */
const inTimeOrder = (events: ReadonlyArray<PreparedEvent>): ReadonlyArray<PreparedEvent> =>
  new Set(events.map(({ uid }) => uid)).size === events.length
    ? events.toSorted((a, b) => a.createdAt - b.createdAt)
    : events

/** The full-text index collects inserted rows until a statement with triggers follows. A uid occurs once in a group. */
function* groupsOf(events: ReadonlyArray<PreparedEvent>): Generator<ReadonlyArray<PreparedEvent>> {
  let group: Array<PreparedEvent> = []
  let uids = new Set<string>()
  let characters = 0
  for (const event of events) {
    if (group.length === maxGroup || characters >= maxCharacters || uids.has(event.uid)) {
      yield group
      group = []
      uids = new Set()
      characters = 0
    }
    group.push(event)
    uids.add(event.uid)
    for (const words of event.words) characters += words.length
  }
  if (group.length > 0) yield group
}

const maxGroup = 100
/** Maximum characters of words per group, because others wait for the write lock meanwhile. */
const maxCharacters = 100_000

const writeEvents = (
  database: OpenDatabase,
  group: ReadonlyArray<PreparedEvent>,
  { generation, keep, now }: WriteOptions,
  counts: WriteCounts
): void => {
  const { connection } = database
  const versions = Map.groupBy(
    connection.all(versionsOfUids, JSON.stringify(group.map(({ uid }) => uid))),
    ({ uid }) => uid
  )
  const replaced: Array<string> = []
  const changed = group.filter(({ digest, uid }) => {
    const stored = versions.get(uid) ?? []
    const current =
      stored.find(({ added_in }) => added_in === generation) ?? stored.find(({ removed_in }) => removed_in === null)
    if (current !== undefined && (keep || Buffer.from(current.digest).equals(digest))) {
      counts.unchanged += 1
      return false
    }
    if (current?.added_in === generation) deleteEvent(connection, current.id)
    else if (current !== undefined) replaced.push(current.id)
    counts[current === undefined ? "added" : "replaced"] += 1
    return true
  })
  if (replaced.length > 0) connection.run(replaceEvents, generation, JSON.stringify(replaced))
  const percolator = currentPercolator(database)
  const matched: Array<{ id: string; isNew: boolean; identifiers: ReadonlyArray<number> }> = []
  for (const event of changed) {
    const id = insertEvent(connection, event, generation, now)
    const identifiers = percolator.match(matchableOf(event))
    if (identifiers.length > 0) matched.push({ id: String(id), isNew: !versions.has(event.uid), identifiers })
  }
  if (matched.length > 0) {
    const firstArrival = reserveArrivals(connection, generation, matched.length)
    connection.run(insertMatches, now, firstArrival, firstArrival, JSON.stringify(matched))
  }
}

const insertEvent = (
  connection: Connection,
  { analysis, createdAt, digest, encrypted, severity, tokens, type, uid, words }: PreparedEvent,
  generation: number,
  now: string
): bigint => {
  const id = newEventId(connection, createdAt)
  connection.insert("events", {
    id,
    added_in: generation,
    uid,
    uid_order: uidForOrder(uid),
    type,
    severity,
    created_at: createdAt,
    loaded_at: now,
    digest,
    document: encrypted,
    analysis
  })
  connection.run(insertInto("event_index"), id, ...words, tokens)
  return id
}

const matchableOf = ({ terms, words }: PreparedEvent): Matchable => ({
  terms,
  texts: fields.map((field, index) => ({
    field,
    words: (words[index] ?? "").split(" ").map((text) => ({ text }))
  }))
})

const replaceEvents = `UPDATE events SET removed_in = ? WHERE id IN (SELECT CAST(value AS INTEGER) FROM json_each(?))`

/** A version has the arrival of the version that it replaces, if that matched an identifier of the same tenant. */
const insertMatches = `
  INSERT INTO identifier_events (identifier_id, event_id, matched_at, tenant_id, arrival)
  SELECT i.id, e.id, ?, i.tenant_id,
    iif(j.value ->> 'isNew', ? + j.key, coalesce(
      (SELECT o.arrival FROM events v CROSS JOIN identifier_events o INDEXED BY events_of_tenant
         ON o.event_id = v.id AND o.tenant_id = i.tenant_id
       WHERE v.uid = e.uid AND v.id <> e.id LIMIT 1),
      ? + j.key))
  FROM json_each(?) j CROSS JOIN events e ON e.id = CAST(j.value ->> 'id' AS INTEGER)
    CROSS JOIN json_each(j.value, '$.identifiers') k CROSS JOIN identifiers i ON i.id = k.value`

/** Deletes an event. A foreign key deletes its matches. */
export const deleteEvent = (connection: Connection, id: bigint | string): void => {
  connection.run("DELETE FROM event_index WHERE rowid = CAST(? AS INTEGER)", id)
  connection.run("DELETE FROM events WHERE id = CAST(? AS INTEGER)", id)
}

const versionsOfUids = query(
  Schema.Struct({
    id: Schema.String,
    uid: Schema.String,
    added_in: Schema.Int,
    removed_in: Schema.NullOr(Schema.Int),
    digest: Schema.Uint8Array
  }),
  `SELECT CAST(e.id AS TEXT) AS id, e.uid, e.added_in, e.removed_in, e.digest
   FROM json_each(?) j CROSS JOIN events e ON e.uid = j.value`
)

/** The statement that inserts a row into a full-text index: the rowid, the words of each field, the tokens. */
export const insertInto = (index: string): string =>
  `INSERT INTO ${index} (rowid, ${fields.join(", ")}, terms) VALUES (?${", ?".repeat(fields.length + 1)})`
