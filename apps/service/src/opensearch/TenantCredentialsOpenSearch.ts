/** The credentials that a tenant's identifiers match, and the tenant's states of them. */
import { hash as digestOf } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Order } from "@threat-exposure/core/domain/Page"
import { type CredentialSelector, selectorsOf, usernamesIn } from "../credentials/CredentialSelector.ts"
import {
  type CredentialPage,
  type CredentialStateChange,
  itemWithState,
  type TenantCredentialListing
} from "../credentials/CredentialStore.ts"
import { credentialHashTerm } from "../credentials/CredentialTerm.ts"
import { changeState, open, type TriageState } from "../matching/TriageState.ts"
import { transferredCredentialStates } from "../transfer/TransferredTables.ts"
import { credentialIndex, itemsOf, keyOf, linesOf, rangesOf, termText } from "./CredentialIndex.ts"
import { criteriaIn, identifierIndex } from "./IdentifierIndex.ts"
import { updateMany } from "./cluster/BulkUpdate.ts"
import type { Query, SortValues } from "./cluster/Cluster.ts"
import type { KeyedIndices } from "./cluster/ClusterStart.ts"
import { defineTransfer } from "./cluster/ClusterTransfer.ts"
import { sealedIndex } from "./cluster/DocumentSeal.ts"
import { idOfTenant, keptOnly } from "./cluster/IndexDefinition.ts"
import type { HitJson } from "./cluster/SearchAnswer.ts"
import { requireNoneMissing } from "../requests/NotFound.ts"

export const pageOfTenant = Effect.fnUntraced(function* (
  { cluster, vault }: KeyedIndices,
  { after: first, order, size, tenantId }: TenantCredentialListing,
  timeout: string
) {
  const identifiers = yield* cluster.all(identifierIndex, {
    query: { bool: { filter: [{ term: { tenantId } }], must_not: [{ term: { isDisabled: true } }] } },
    sort: [{ id: "asc" }]
  })
  // The fiber yields to other requests between two of them.
  const selectors = (yield* Effect.forEach(identifiers, ({ document }) =>
    Effect.sync(() => {
      const rules = document.policies.map(({ value }) => value)
      return selectorsOf(vault, criteriaIn(vault, document), rules).map(({ terms, username }): Selector => {
        const [first, ...others] = terms
        return { terms: [termText(first), ...others.map((term) => termText(term))], username }
      })
    })
  )).flat()
  const ofTerms = Map.groupBy(selectors, ({ terms: [term] }) => term)
  const groups = groupsOf(selectors)
  const items: Array<Item> = []
  let after = first
  const bounds = { order, since: Number.MIN_SAFE_INTEGER, until: Number.MAX_SAFE_INTEGER }
  for (const { high, low } of selectors.length === 0 ? [] : rangesOf({ ...bounds, after })) {
    for (let isWhole = false; !isWhole && items.length <= size;) {
      const limit = Math.max(size + 1 - items.length, minRows)
      const range: Query = { range: { imported_at: { gte: low, lte: high } } }
      const search_after: SortValues | undefined = after === undefined ? undefined : [after.importedAt, after.id]
      const found = yield* Effect.forEach(
        groups,
        (group) =>
          cluster.hits(credentialIndex, {
            timeout,
            size: limit,
            query: { bool: { filter: [anyOf(group), range], must_not: cluster.unpublished } },
            sort: [{ imported_at: order }, { id: order }],
            search_after
          }),
        { concurrency: 2 }
      )
      const rows = mergeRows(found, order).slice(0, limit)
      for (const row of rows) {
        const { bytes, foreign } = itemsOf(vault, itemLines, [row])
        if (foreign.length > 0) {
          yield* cluster.foreign.leaveOut(cluster.nameOf(credentialIndex), foreign)
          continue
        }
        const json = bytes.toString().slice(1)
        if (isSelected(ofTerms, row, json)) items.push({ json, key: keyOf([row]) })
      }
      after = keyOf(rows) ?? after
      isWhole = rows.length < limit
    }
    if (items.length > size) break
  }
  const shown = items.slice(0, size)
  const hashes = shown.flatMap(({ json }) => decodeItem(json).credential_hash ?? [])
  const states = yield* cluster.fields(
    credentialStateIndex,
    hashes.map((hash) => stateIdOf(tenantId, hash)),
    ["ignoredAt", "remediatedAt"],
    decodeState
  )
  const page: CredentialPage = {
    items: shown.map(({ json }) => itemWithState(json, (hash) => states.get(stateIdOf(tenantId, hash)))).join(),
    count: shown.length,
    last: items.length > size ? shown.at(-1)?.key : undefined
  }
  return page
})

/** Changes all of the credentials, or none. Fails with the hashes that no credential has. */
export const actOnCredentials = Effect.fnUntraced(function* (
  { cluster, vault }: KeyedIndices,
  { action, hashes, now, tenantId }: CredentialStateChange
) {
  const known = yield* Effect.forEach(
    hashes,
    (hash) => cluster.count(credentialIndex, { term: { terms: termText(credentialHashTerm(vault, hash)) } }),
    { concurrency: 8 }
  )
  yield* requireNoneMissing(hashes.filter((_, at) => known[at] === 0))
  yield* updateMany(
    cluster,
    credentialStateIndex,
    tenantId,
    new Map(
      hashes.map((hash) => [
        stateIdOf(tenantId, hash),
        (stored) => {
          const state = changeState(stored === undefined ? open : stateIn(stored), action, now)
          return { tenantId, hash, ignoredAt: state.ignored_at, remediatedAt: state.remediated_at }
        }
      ])
    )
  )
})

/** As {@link CredentialSelector}, with the texts of the terms in the index. */
interface Selector extends Pick<CredentialSelector, "username"> {
  readonly terms: readonly [string, ...ReadonlyArray<string>]
}

interface Item {
  readonly json: string
  readonly key: CredentialPage["last"]
}

/** Minimum rows of a search, because each search has a fixed cost. */
const minRows = 50

const itemLines = linesOf([])

/** Selectors for one search each: OpenSearch limits the clauses of a query to 1,024, and its terms to 65,536. */
const groupsOf = (selectors: ReadonlyArray<Selector>): ReadonlyArray<ReadonlyArray<Selector>> => {
  const groups: Array<Array<Selector>> = []
  let left = 0
  for (const selector of selectors) {
    // Single terms share one clause.
    const clauses = selector.terms.length === 1 ? 1 / 50 : selector.terms.length
    if (clauses > left) {
      groups.push([])
      left = maxClauses
    }
    left -= clauses
    groups.at(-1)?.push(selector)
  }
  return groups
}

const maxClauses = 900

/** The rows of several searches, each once, in the order of the listing. */
const mergeRows = (found: ReadonlyArray<ReadonlyArray<HitJson>>, order: Order): ReadonlyArray<HitJson> => {
  const [only = [], ...others] = found
  if (others.length === 0) return only
  const distinct = [...new Map(found.flat().map((row) => [row._id, row])).values()]
  const direction = order === "asc" ? 1 : -1
  const compare = ({ sort: a = [] }: HitJson, { sort: b = [] }: HitJson) =>
    Number(a[0]) - Number(b[0]) || Number(a[1]) - Number(b[1])
  return distinct.toSorted((a, b) => direction * compare(a, b))
}

const anyOf = (selectors: ReadonlyArray<Selector>): Query => {
  const alone = selectors.filter(({ terms }) => terms.length === 1).map(({ terms }) => terms[0])
  return {
    bool: {
      should: [
        { terms: { terms: alone } },
        ...selectors
          .filter(({ terms }) => terms.length > 1)
          .map(({ terms }) => ({ bool: { filter: terms.map((term) => ({ term: { terms: term } })) } }))
      ],
      minimum_should_match: 1
    }
  }
}

/** `ofTerms` has the selectors by their first term. User names are compared in full: the term of one also finds others. */
const isSelected = (
  ofTerms: ReadonlyMap<string, ReadonlyArray<Selector>>,
  { _source }: HitJson,
  json: string
): boolean => {
  const has = new Set(decodeTerms(_source).terms)
  const names = usernamesIn(decodeItem(json).identity_name)
  const isMatching = ({ terms, username }: Selector) =>
    (username === undefined || names.includes(username)) && terms.every((term) => has.has(term))
  return [...has].some((term) => ofTerms.get(term)?.some(isMatching))
}

const decodeTerms = Schema.decodeUnknownSync(Schema.Struct({ terms: Schema.Array(Schema.String) }))

const decodeItem = Schema.decodeSync(
  Schema.fromJsonString(Schema.Struct({ identity_name: Schema.String, credential_hash: Schema.NullOr(Schema.String) }))
)

const StateFields = Schema.Struct({
  ignoredAt: Schema.NullOr(Schema.String),
  remediatedAt: Schema.NullOr(Schema.String)
})

const stateIn = ({ ignoredAt, remediatedAt }: typeof StateFields.Type): TriageState => ({
  ignored_at: ignoredAt,
  remediated_at: remediatedAt
})

const decodeFields = Schema.decodeUnknownOption(StateFields)

const decodeState = (source: unknown): Option.Option<TriageState> => Option.map(decodeFields(source), stateIn)

/** Uses a digest, because a hash may be longer than the maximum length of an id. */
const stateIdOf = (tenantId: number, hash: string): string => idOfTenant(tenantId, digestOf("sha256", hash, "hex"))

const CredentialState = Schema.Struct({ tenantId: Schema.Int, hash: Schema.String, ...StateFields.fields })

export const credentialStateIndex = sealedIndex<typeof CredentialState.Type>({
  name: "credential-states",
  version: 2,
  properties: { tenantId: { type: "long" }, hash: keptOnly, ignoredAt: keptOnly, remediatedAt: keptOnly },
  document: CredentialState
})

export const credentialStatesTransfer = defineTransfer({
  table: transferredCredentialStates,
  index: credentialStateIndex,
  toDocument: (document) => ({ id: stateIdOf(document.tenantId, document.hash), document })
})
