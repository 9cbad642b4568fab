import * as Effect from "effect/Effect"
import { flow } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { tenantText } from "../requests/TenantText.ts"
import { assetContext } from "../matching/IdentifierExpression.ts"
import { criteriaOf, expressionOfStored, IdentifierRow, noteChange } from "./IdentifierPercolator.ts"
import { column, type Connection, query } from "./database/Connection.ts"
import { fullTextQuery } from "./database/FullTextQuery.ts"
import { type OpenDatabase, procedure } from "./database/Procedure.ts"
import { storeLayer } from "./database/StoreMethods.ts"
import { storeMatches } from "./events/Arrivals.ts"
import { maxEventId, minEventId, removeMatches } from "./events/MatchRemoval.ts"
import { countMatches, identifierOf, pageOfIdentifiers } from "./IdentifierPages.ts"
import { complete, recoveryLayer } from "./UnfinishedWork.ts"
import { NotFound } from "@threat-exposure/core/domain/Failures"
import { orNotFound, requireFound } from "../requests/NotFound.ts"
import { changeIdentifier } from "../identifiers/Asset.ts"
import {
  type CreatedIdentifier,
  GroupMissing,
  type IdentifierChange,
  IdentifierStore
} from "../identifiers/Identifiers.ts"

/**
 * The identifier is stored first, so that loads match their events against it from then on. Stored events are then
 * matched in short transactions, so that several services may complete one change.
 */
const store = storeLayer(IdentifierStore)(({ read, write }, { fork, ...calls }) => {
  const beginIn = write("beginInGroup", (database, identifier: CreatedIdentifier) =>
    hasGroup(database.connection, identifier.tenantId, identifier.groupId ?? null)
      ? beginCreation.run(database, identifier)
      : undefined
  )
  const count = read("countMatches", ({ connection }, id: number) => countMatches(connection, id))
  const begin = write("beginChange", beginChange)
  const remove = flow(write("beginDeletion", beginDeletion), requireFound)
  return {
    insert: Effect.fnUntraced(function* (identifier) {
      const id = yield* beginIn(identifier)
      if (id === undefined) return yield* new GroupMissing()
      yield* complete(calls.write, matchNext, id)
      return { id, count: yield* count(id) }
    }),
    page: read("page", pageOfIdentifiers),
    find: flow(read("find", identifierOf), orNotFound),
    update: Effect.fnUntraced(function* (change) {
      const outcome = yield* begin(change)
      if (outcome === "identifier missing") return yield* Effect.fail(new NotFound())
      if (outcome === "group missing") return yield* new GroupMissing()
      yield* complete(calls.write, matchNext, change.id)
    }),
    delete: (tenantId, id) => Effect.andThen(remove(tenantId, id), fork(complete(calls.write, deleteNext, id)))
  }
})

export const IdentifierStoreSqlite = Layer.merge(
  store,
  recoveryLayer((connection) => [
    ...connection.all(changes).map((id) => [matchNext, id] as const),
    ...connection.all(deletions).map((id) => [deleteNext, id] as const)
  ])
)

export const beginCreation = procedure(
  "IdentifierStore.beginCreation",
  (
    { connection, vault },
    { asset, groupId = null, tenantId }: Pick<CreatedIdentifier, "asset" | "groupId" | "tenantId">
  ): number => {
    // The ciphertext is bound to the id, which only the insert assigns.
    const row = { tenant_id: tenantId, asset: new Uint8Array(), group_id: groupId }
    const id = connection.insertNumbered("identifiers", row)
    connection.run(
      "UPDATE identifiers SET asset = ? WHERE id = ?",
      vault.encrypt(tenantText(tenantId, asset), assetContext(id)),
      id
    )
    connection.insert("identifier_creations", {
      identifier_id: id,
      matched_at: asset.created_at,
      matched_to: minEventId
    })
    return id
  }
)

/** Stores the changed identifier. Its former matches are kept until all new ones are stored. */
function beginChange(
  database: OpenDatabase,
  { id, tenantId, update, updatedAt }: IdentifierChange
): "changed" | "group missing" | "identifier missing" {
  const { connection, vault } = database
  const stored = identifierOf(database, tenantId, id)
  if (stored === undefined) return "identifier missing"
  const { asset, groupId, isDisabled, isMatchedAgain } = changeIdentifier(stored, update, updatedAt)
  if (groupId !== stored.groupId && !hasGroup(connection, tenantId, groupId)) return "group missing"
  connection.run(
    "UPDATE identifiers SET asset = ?, group_id = ?, is_disabled = ? WHERE id = ?",
    vault.encrypt(tenantText(tenantId, asset), assetContext(id)),
    groupId,
    isDisabled ? 1 : 0,
    id
  )
  noteChange(connection, id)
  if (isDisabled) connection.run("DELETE FROM identifier_creations WHERE identifier_id = ?", id)
  if (isMatchedAgain) {
    connection.replace("identifier_creations", {
      identifier_id: id,
      matched_at: updatedAt,
      matched_to: minEventId,
      removed_to: minEventId
    })
  }
  return "changed"
}

function beginDeletion({ connection }: OpenDatabase, tenantId: number, id: number): boolean {
  const marked = "UPDATE identifiers SET tenant_id = 0, group_id = NULL WHERE id = ? AND tenant_id = ?"
  if (connection.run(marked, id, tenantId).changes === 0) return false
  noteChange(connection, id)
  connection.run("DELETE FROM policy_assignments WHERE identifier_id = ?", id)
  connection.run("DELETE FROM identifier_creations WHERE identifier_id = ?", id)
  return true
}

/** Returns true when the identifier and all of its matches are removed. */
const deleteNext = procedure("IdentifierStore.deleteNext", ({ connection }, id: number): boolean => {
  const { changes } = connection.run(
    `DELETE FROM identifier_events WHERE identifier_id = ? AND event_id IN (
       SELECT event_id FROM identifier_events WHERE identifier_id = ? LIMIT ?)`,
    id,
    id,
    eventsAtOnce
  )
  if (changes === eventsAtOnce) return false
  connection.run("DELETE FROM identifiers WHERE id = ? AND tenant_id = 0", id)
  return true
})

export const hasGroup = (connection: Connection, tenantId: number, groupId: number | null): boolean =>
  groupId === null || connection.has("FROM identifier_groups WHERE tenant_id = ? AND id = ?", tenantId, groupId)

/**
 * Returns true after the last match. Events that a load has not published yet are matched too, and need no second match
 * when they become visible.
 */
export const matchNext = procedure("IdentifierStore.matchNext", (database, id: number): boolean => {
  const { connection, vault } = database
  const creation = connection.first(creationOf, id)
  // Another service has completed the change, or the identifier was deleted.
  if (creation === undefined) return true
  const { matched_at, matched_to, removed_to } = creation
  const match = fullTextQuery(vault, expressionOfStored(database, id, criteriaOf(vault, creation)))
  if (matched_to === maxEventId) return removeNext(connection, id, match, removed_to ?? maxEventId)
  const events = connection.all(nextMatches, match, matched_to, eventsAtOnce)
  // A load may already have stored some of these matches.
  storeMatches(connection, id, events, matched_at)
  const last = events.length < eventsAtOnce ? undefined : events.at(-1)
  if (last === undefined && removed_to === null) {
    connection.run("DELETE FROM identifier_creations WHERE identifier_id = ?", id)
    return true
  }
  connection.run(
    "UPDATE identifier_creations SET matched_to = CAST(? AS INTEGER) WHERE identifier_id = ?",
    last ?? maxEventId,
    id
  )
  return false
})

const removeNext = (connection: Connection, id: number, match: string, after: string): boolean => {
  const end = connection.first(endOfMatches, id, after, eventsAtOnce)
  removeMatches(connection, [id], match, [after, end])
  if (end === undefined) connection.run("DELETE FROM identifier_creations WHERE identifier_id = ?", id)
  else {
    connection.run("UPDATE identifier_creations SET removed_to = CAST(? AS INTEGER) WHERE identifier_id = ?", end, id)
  }
  return end === undefined
}

/** Events per transaction. Storing as many matches takes some hundredths of a second. */
const eventsAtOnce = 10_000

const creationOf = query(
  Schema.Struct({
    ...IdentifierRow.fields,
    matched_at: Schema.String,
    matched_to: Schema.String,
    removed_to: Schema.NullOr(Schema.String)
  }),
  `SELECT i.id, i.tenant_id, i.asset, c.matched_at, CAST(c.matched_to AS TEXT) AS matched_to, CAST(c.removed_to AS TEXT) AS removed_to
   FROM identifier_creations c JOIN identifiers i ON i.id = c.identifier_id WHERE c.identifier_id = ?`
)

const nextMatches = column(
  Schema.String,
  `SELECT CAST(rowid AS TEXT) FROM event_index
   WHERE event_index MATCH ? AND rowid > CAST(? AS INTEGER) ORDER BY rowid LIMIT ?`
)

const endOfMatches = column(
  Schema.String,
  `SELECT CAST(event_id AS TEXT) FROM identifier_events
   WHERE identifier_id = ? AND event_id > CAST(? AS INTEGER) ORDER BY event_id LIMIT 1 OFFSET ? + 0`
)

const changes = column(Schema.Int, "SELECT identifier_id FROM identifier_creations")

const deletions = column(Schema.Int, "SELECT id FROM identifiers WHERE tenant_id = 0")
