/**
 * Finds what would let the service read less than it stored, or something else: a role or an alias that hides documents or
 * fields, an alias that has moved, a second index behind one, an index that was closed, deleted, replaced or given settings that
 * restrict or process what it answers.
 *
 * It is asked at the start, while a service runs, and before and after each copy.
 */
import { setTimeout as sleep } from "node:timers/promises"
import * as Schema from "effect/Schema"
import { StoreUnavailable } from "../../requests/StoreUnavailable.ts"
import type { ClusterClient } from "./ClusterClient.ts"
import { type PresentIndex, presentIndices } from "./ClusterIndices.ts"
import { answerDecoder } from "./ClusterJson.ts"
import { ClusterRefusal, ErrorJson, isFiltering, noPermission, permanentFault } from "./ClusterRefusal.ts"
import { aliasOf, indexNameOf, type IndexShape } from "./IndexDefinition.ts"
import { isEveryShard, notWhole, ShardsJson } from "./SearchAnswer.ts"
import { monotonicNow } from "../../MonotonicTime.ts"

/** An index and the alias, or the name, by which the service reads it. */
export interface ReadIndex {
  readonly alias: string
  readonly index: string
}

/** A check that is repeated while a service runs. It fails with the latest result, and does not wait long for a new one. */
export class RepeatedCheck {
  readonly #check: () => Promise<unknown>
  #running: Promise<void> | undefined
  #failure: unknown
  #validUntil = Number.NEGATIVE_INFINITY

  constructor(check: () => Promise<unknown>) {
    this.#check = check
  }

  async result(): Promise<void> {
    if (monotonicNow() >= this.#validUntil) {
      this.#running ??= this.#check()
        .then(
          () => void (this.#failure = undefined),
          (cause: unknown) => void (this.#failure = cause)
        )
        .finally(() => {
          this.#running = undefined
          if (this.#failure === undefined) this.#validUntil = monotonicNow() + checkInterval
        })
      await Promise.race([this.#running, sleep(maxCheckWait)])
    }
    if (this.#failure !== undefined) throw this.#failure
  }
}

// In milliseconds.
const checkInterval = 5_000
const maxCheckWait = 1_000

/** The UUIDs of indices by their names. */
export type KnownIndices = Readonly<Record<string, string>>

/** Gives the indices that are there. Rejects with {@link StoreUnavailable}, whose reason says what to do. */
export const checkIndices = async (
  client: ClusterClient,
  prefix: string,
  shapes: ReadonlyArray<IndexShape>,
  known: KnownIndices = {}
): Promise<KnownIndices> => {
  const found = behindAliases(prefix, shapes, await presentIndices(client, prefix, shapes), known)
  await checkReading(client, found)
  return Object.fromEntries(found.map(({ index, uuid }) => [index, uuid]))
}

/** Rejects unless the service reads every document of these indices, with every field. */
export const checkReading = async (client: ClusterClient, indices: ReadonlyArray<ReadIndex>): Promise<void> => {
  if (indices.length === 0) return
  await checkFields(client, indices)
  const different = await differentCounts(client, indices)
  if (different.length === 0) return
  // A search finds what was written once it is refreshed.
  const path = `/${different.map(({ index }) => index).join()}/_refresh`
  await client.call({ method: "POST", path })
  const [still] = await differentCounts(client, different)
  if (still === undefined) return
  const { alias, found, stored } = still
  throw makeRefusal(
    `${alias} has ${stored} documents, and a search finds ${found}: a role or an alias hides documents or shows others. Give the user a role without document-level security`
  )
}

/**
 * The index behind each alias. Throws if one cannot be used, or is another one than what is known. If all of them are others,
 * a whole backup was restored.
 */
export const behindAliases = (
  prefix: string,
  shapes: ReadonlyArray<IndexShape>,
  there: ReadonlyArray<PresentIndex>,
  formerly: KnownIndices = {}
): ReadonlyArray<ReadIndex & { readonly uuid: string }> => {
  const known = there.some(({ index, uuid }) => formerly[index] === uuid) ? formerly : {}
  return shapes.flatMap((shape) => {
    const alias = aliasOf(prefix, shape)
    const behind = there.filter(({ aliases }) => aliases.includes(alias))
    const ofShape = there.filter(({ generation, name }) => name === shape.name && generation === shape.generation)
    const closed = [...behind, ...ofShape].find(({ isClosed }) => isClosed)
    if (closed !== undefined) {
      throw makeRefusal(`the index ${closed.index} is closed: open it with POST /${closed.index}/_open`)
    }
    if (behind.length > 1 || behind.some(({ name }) => name !== shape.name)) {
      const names = behind.map(({ index }) => index).join(" and ")
      throw makeRefusal(`the alias ${alias} stands for ${names}: remove it from what this program did not create`)
    }
    const [used] = behind
    if (used === undefined) {
      const lost = indexNameOf(prefix, shape)
      if (known[lost] === undefined) return []
      throw makeRefusal(
        ofShape.some(({ index }) => index === lost)
          ? `the index ${lost} has lost its alias ${alias}: add it again`
          : `the index ${lost} was deleted: restore a backup under another --index-prefix`
      )
    }
    const { index, uuid } = used
    if (used.filtered.includes(alias)) {
      throw makeRefusal(
        `the alias ${alias} has a filter or a routing, which hides documents: replace it by one without`
      )
    }
    if (used.disturbingSetting !== undefined) {
      throw makeRefusal(
        `the index ${index} has the setting ${used.disturbingSetting}: remove it with PUT /${index}/_settings`
      )
    }
    if (known[index] !== undefined && known[index] !== uuid) {
      throw makeRefusal(
        `the index ${index} is another one than this program used before: restore a whole backup, not one index of it`
      )
    }
    return [{ alias, index, uuid }]
  })
}

const makeRefusal = (reason: string) => new StoreUnavailable({ reason })

/**
 * The security plugin refuses to update a document if the user's role hides or masks a part of the index. No document has the
 * id.
 */
const checkFields = async (client: ClusterClient, indices: ReadonlyArray<ReadIndex>): Promise<void> => {
  const call = {
    method: "POST",
    path: "/_bulk?filter_path=items.*.status,items.*.error.type,items.*.error.reason",
    body: indices
      .map(({ alias, index }) => {
        const update = { _index: alias, _id: "guard", require_alias: alias !== index }
        return `${JSON.stringify({ update })}\n{"doc":{}}\n`
      })
      .join("")
  } as const
  const { text } = await client.call(call).catch((cause: unknown) => {
    throw cause instanceof ClusterRefusal && cause.isFiltering ? hides("an index") : cause
  })
  const { items } = decodeUpdates(text)
  if (items.length !== indices.length) throw notWhole()
  for (const [at, { update }] of items.entries()) {
    const { alias = "" } = indices[at] ?? {}
    const { error, status } = update
    if (error?.type !== noPermission) continue
    throw isFiltering(error)
      ? hides(alias)
      : (permanentFault({ ...call, path: `/${alias}/_update` }, status, error) ?? notWhole())
  }
}

const hides = (index: string) =>
  makeRefusal(
    `the role of its user hides or masks documents or fields of ${index}: give it one without document-level security, field-level security and masked fields`
  )

const decodeUpdates = answerDecoder(
  "a bulk request",
  Schema.Struct({
    items: Schema.Array(
      Schema.Struct({
        update: Schema.Struct({ status: Schema.Int, error: Schema.optionalKey(ErrorJson) })
      })
    )
  })
)

interface DifferentCount extends ReadIndex {
  readonly stored: number
  readonly found: number
}

/**
 * Compares the statistics with what a search finds. Documents may be written meanwhile: each one that is deleted between two
 * looks at the statistics may be counted or not.
 */
const differentCounts = async (
  client: ClusterClient,
  indices: ReadonlyArray<ReadIndex>
): Promise<ReadonlyArray<DifferentCount>> => {
  const names = indices.map(({ index }) => index)
  const before = await statistics(client, names)
  const counts = await countBySearch(client, indices)
  const after = await statistics(client, names)
  return indices.flatMap(({ alias, index }, at) => {
    const [first, last, found] = [before[index], after[index], counts[at]]
    if (first === undefined || last === undefined || found === undefined) throw notWhole()
    const stored = last.primaries.docs.count
    const deleted = Math.max(0, last.primaries.indexing.delete_total - first.primaries.indexing.delete_total)
    const isPossible = found >= first.primaries.docs.count - deleted && found <= stored + deleted
    return isPossible ? [] : [{ alias, index, found, stored }]
  })
}

/** An index with documents, if there is one. */
export const findFilled = async (
  client: ClusterClient,
  indices: ReadonlyArray<string>
): Promise<string | undefined> => {
  const found = await statistics(client, indices)
  return indices.find((index) => (found[index]?.primaries.docs.count ?? 0) > 0)
}

const statistics = async (client: ClusterClient, indices: ReadonlyArray<string>) => {
  const { text } = await client.call({
    method: "GET",
    path: `/${indices.join()}/_stats/docs,indexing?filter_path=${membersOfStatistics}`
  })
  const { _shards, indices: found } = decodeStatistics(text)
  if (_shards.failed > 0) throw notWhole()
  return found
}

const membersOfStatistics = "_shards,indices.*.primaries.docs.count,indices.*.primaries.indexing.delete_total"

const decodeStatistics = answerDecoder(
  "a request for statistics",
  Schema.Struct({
    _shards: ShardsJson,
    indices: Schema.Record(
      Schema.String,
      Schema.Struct({
        primaries: Schema.Struct({
          docs: Schema.Struct({ count: Schema.Int }),
          indexing: Schema.Struct({ delete_total: Schema.Int })
        })
      })
    )
  })
)

/** In the order of the indices. */
const countBySearch = async (client: ClusterClient, indices: ReadonlyArray<ReadIndex>) => {
  const search = JSON.stringify({ size: 0, track_total_hits: true, query: { match_all: {} } })
  const call = {
    method: "POST",
    path: "/_msearch",
    body: indices.map(({ alias }) => `{"index":"${alias}","allow_partial_search_results":false}\n${search}\n`).join("")
  } as const
  const { text } = await client.call(call)
  return decodeCounts(text).responses.map(({ _shards, error, hits, status, timed_out }, at) => {
    if (error !== undefined) {
      throw permanentFault({ ...call, path: `/${indices[at]?.alias}/_search` }, status, error) ?? notWhole()
    }
    if (_shards === undefined || !isEveryShard(_shards) || timed_out !== false || hits === undefined) throw notWhole()
    return hits.total.value
  })
}

const decodeCounts = answerDecoder(
  "a group of searches",
  Schema.Struct({
    responses: Schema.Array(
      Schema.Struct({
        status: Schema.Int,
        error: Schema.optionalKey(ErrorJson),
        timed_out: Schema.optionalKey(Schema.Boolean),
        _shards: Schema.optionalKey(ShardsJson),
        hits: Schema.optionalKey(Schema.Struct({ total: Schema.Struct({ value: Schema.Int }) }))
      })
    )
  })
)
