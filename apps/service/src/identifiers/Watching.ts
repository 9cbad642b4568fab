/**
 * Which identifiers an event matches, for all tenants at once.
 *
 * What an identifier matches is its own expression (EventQueries.ts) and, for each policy assigned to it, one of the
 * policy's keywords. Most identifiers ask for one exact value: those are looked up by the values that the event has, and
 * only the others are tried one by one.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Vault } from "../crypto/Vault.ts"
import { expressionOfIdentifier, type Watched, words } from "../search/EventQueries.ts"
import { all, any, type Expression, holds, nothing } from "../search/Expression.ts"
import { type Searchable, termKey } from "../search/IndexedEvent.ts"
import { type Connection, query } from "../sqlite/Connection.ts"
import type { JobRoom } from "../sqlite/Job.ts"

export const identifiersThatMatch = (
  { connection, vault }: JobRoom,
  event: Searchable & { readonly terms: { readonly keys: () => Iterable<string> } }
): ReadonlyArray<number> => {
  const { byTerm, others } = watchersIn(connection, vault)
  if (byTerm.size === 0 && others.length === 0) return []
  const tried = new Set(others)
  for (const key of event.terms.keys()) for (const watcher of byTerm.get(key) ?? []) tried.add(watcher)
  return [...tried].filter(({ expression }) => holds(expression, event)).map(({ id }) => id)
}

/** What an identifier matches at present: its own expression, narrowed by every policy assigned to it. */
export const watchedBy = (room: JobRoom, id: number, watched: Watched): Expression =>
  narrowed(
    room.vault,
    watched,
    room.connection.all(policiesOfIdentifier, id).map(({ value }) => value)
  )

/** A policy keeps events with one of its keywords; one of a kind that this version does not know keeps all. */
export const keptBy = (vault: Vault, value: typeof PolicyValue.Type): Expression | undefined =>
  value.keywords === undefined ? undefined : any(...value.keywords.map((keyword) => words(vault, keyword)))

export const PolicyValue = Schema.Struct({ keywords: Schema.optionalKey(Schema.Array(Schema.String)) })

/** The part of an identifier's `asset` that decides what it matches. */
export const WatchedAsset = Schema.fromJsonString(
  Schema.Struct({
    name: Schema.String,
    type: Schema.String,
    data: Schema.Record(Schema.String, Schema.Unknown),
    search_types: Schema.Array(Schema.String)
  })
)

interface Watcher {
  readonly id: number
  readonly expression: Expression
}

interface Watchers {
  readonly revision: number
  /** By a term that the event must have. */
  readonly byTerm: ReadonlyMap<string, ReadonlyArray<Watcher>>
  readonly others: ReadonlyArray<Watcher>
}

const watchersIn = (connection: Connection, vault: Vault): Watchers => {
  const revision = connection.first(currentRevision)?.revision ?? 0
  const known = learned.get(connection)
  if (known?.revision === revision) return known

  const policies = Map.groupBy(connection.all(everyPolicy), ({ identifier_id }) => identifier_id)
  const byTerm = new Map<string, Array<Watcher>>()
  const others: Array<Watcher> = []
  for (const { asset, id } of connection.all(everyIdentifier)) {
    const expression = narrowed(
      vault,
      decodeAsset(vault.unseal(asset)),
      (policies.get(id) ?? []).map(({ value }) => value)
    )
    if (expression._tag === "Nothing") continue
    const key = neededTerm(expression)
    if (key === undefined) others.push({ id, expression })
    else {
      const watchers = byTerm.get(key)
      if (watchers === undefined) byTerm.set(key, [{ id, expression }])
      else watchers.push({ id, expression })
    }
  }
  const watchers = { revision, byTerm, others }
  learned.set(connection, watchers)
  return watchers
}

const learned = new WeakMap<Connection, Watchers>()

const narrowed = (vault: Vault, watched: Watched, policies: ReadonlyArray<typeof PolicyValue.Type>): Expression =>
  all(
    Result.getOrElse(expressionOfIdentifier(vault, watched), () => nothing),
    ...policies.flatMap((value) => keptBy(vault, value) ?? [])
  )

/** A term without which the expression cannot hold, and which few events have. */
const neededTerm = (expression: Expression): string | undefined => {
  if (expression._tag === "All") {
    for (const each of expression.of) {
      const key = neededTerm(each)
      if (key !== undefined) return key
    }
    return undefined
  }
  if (expression._tag !== "Exact") return undefined
  const { kind } = expression.term
  return kind === "type" || kind === "severity" ? undefined : termKey(expression.term)
}

const decodeAsset = Schema.decodeSync(WatchedAsset)

const currentRevision = query(Schema.Struct({ revision: Schema.Int }), "SELECT revision FROM matching_revision")

const everyIdentifier = query(
  Schema.Struct({ id: Schema.Int, asset: Schema.Uint8Array }),
  "SELECT id, asset FROM identifiers ORDER BY id"
)

const everyPolicy = query(
  Schema.Struct({ identifier_id: Schema.Int, value: Schema.fromJsonString(PolicyValue) }),
  "SELECT identifier_id, value FROM policy_assignments JOIN matching_policies ON uuid = policy_uuid"
)

const policiesOfIdentifier = query(
  Schema.Struct({ value: Schema.fromJsonString(PolicyValue) }),
  "SELECT value FROM policy_assignments JOIN matching_policies ON uuid = policy_uuid WHERE identifier_id = ?"
)
