import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { assetContext } from "../matching/IdentifierExpression.ts"
import { criteriaOf, expressionOfStored } from "./IdentifierPercolator.ts"
import { query } from "./database/Connection.ts"
import { Database } from "./database/Database.ts"
import { fullTextQuery } from "./database/FullTextQuery.ts"
import { procedure } from "./database/Procedure.ts"
import { storeMatches } from "./events/Arrivals.ts"
import { IdentifierStore, type StoredIdentifier } from "../identifiers/Identifiers.ts"

/**
 * First the identifier is stored: from then on, loads match their events against it. Then the stored events are matched in
 * short transactions, each from where the last one ended, so that several services may complete one creation.
 */
export const IdentifierStoreSqlite = Layer.effect(
  IdentifierStore,
  Effect.gen(function* () {
    const { lookUp, read, write } = yield* Database
    const complete = Effect.fnUntraced(function* (id: number) {
      while (!(yield* write(matchNext, id))) yield* Effect.yieldNow
    })
    // Started by a service that was killed, or by an aborted request.
    yield* lookUp(({ connection }) => connection.all(creations)).pipe(
      Effect.flatMap((begun) => Effect.forEach(begun, ({ id }) => complete(id), { discard: true })),
      Effect.catchCause((cause) =>
        Effect.logWarning("The creation of an identifier could not be completed yet", cause)
      ),
      Effect.repeat(Schedule.spaced("5 seconds")),
      Effect.forkScoped
    )
    return IdentifierStore.of({
      insert: Effect.fnUntraced(function* (identifier) {
        const id = yield* write(beginCreation, identifier)
        yield* complete(id)
        return { id, count: yield* read(countMatches, id) }
      })
    })
  })
)

/** Stores the identifier, which has no matches yet. */
export const beginCreation = procedure(
  "IdentifierStore.beginCreation",
  ({ connection, vault }, { asset, tenantId }: Pick<StoredIdentifier, "asset" | "tenantId">): number => {
    // The ciphertext is bound to the id, which the insert gives.
    const { id } = connection.run("INSERT INTO identifiers (tenant_id, asset) VALUES (?, x'')", tenantId)
    connection.run(
      "UPDATE identifiers SET asset = ? WHERE id = ?",
      vault.encrypt(JSON.stringify(asset), assetContext(id)),
      id
    )
    connection.run(
      "INSERT INTO identifier_creations (identifier_id, matched_at, matched_to) VALUES (?, ?, ?)",
      id,
      asset.created_at,
      -(2n ** 63n)
    )
    return id
  }
)

/**
 * Stores the next matches of an identifier, and returns whether that were the last. Events that a load has not published yet
 * are matched too: they become visible without another match.
 */
export const matchNext = procedure("IdentifierStore.matchNext", (database, id: number): boolean => {
  const { connection, vault } = database
  const creation = connection.first(creationOf, id)
  // Completed by another service, or deleted with its identifier.
  if (creation === undefined) return true
  const { asset, matched_at, matched_to } = creation
  const expression = expressionOfStored(database, id, criteriaOf(vault, { id, asset }))
  const events = connection
    .all(nextMatches, fullTextQuery(vault, expression), matched_to, eventsAtOnce)
    .map(({ event }) => event)
  // A load may have matched some of them.
  storeMatches(connection, { identifier: id, events: JSON.stringify(events), matchedAt: matched_at })
  const last = events.length < eventsAtOnce ? undefined : events.at(-1)
  if (last === undefined) connection.run("DELETE FROM identifier_creations WHERE identifier_id = ?", id)
  else {
    connection.run("UPDATE identifier_creations SET matched_to = CAST(? AS INTEGER) WHERE identifier_id = ?", last, id)
  }
  return last === undefined
})

const countMatches = procedure(
  "IdentifierStore.countMatches",
  ({ connection }, id: number): number => connection.first(matchesOf, id)?.count ?? 0
)

/** A transaction with as many matches takes some hundredths of a second. */
const eventsAtOnce = 10_000

const creationOf = query(
  Schema.Struct({ asset: Schema.Uint8Array, matched_at: Schema.String, matched_to: Schema.String }),
  `SELECT i.asset, c.matched_at, CAST(c.matched_to AS TEXT) AS matched_to
   FROM identifier_creations c JOIN identifiers i ON i.id = c.identifier_id WHERE c.identifier_id = ?`
)

const nextMatches = query(
  Schema.Struct({ event: Schema.String }),
  `SELECT CAST(rowid AS TEXT) AS event FROM event_index
   WHERE event_index MATCH ? AND rowid > CAST(? AS INTEGER) ORDER BY rowid LIMIT ?`
)

const creations = query(Schema.Struct({ id: Schema.Int }), "SELECT identifier_id AS id FROM identifier_creations")

const matchesOf = query(Schema.Struct({ count: Schema.Int }), "SELECT count FROM event_counts WHERE identifier_id = ?")

export const identifierProcedures = [beginCreation, matchNext, countMatches]
