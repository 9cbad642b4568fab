/**
 * Finds causes for which the service would read fewer or other documents than it stored: a role or an alias that hides
 * documents or fields; an alias that was moved, or that points to a second index; an index that was closed, deleted,
 * replaced, or given settings or field parameters that restrict or change its answers.
 *
 * Runs at the start, periodically while a service is used, and before and after each copy.
 */
import { setTimeout as sleep } from "node:timers/promises"
import * as Schema from "effect/Schema"
import { StoreRefusal } from "../../requests/StoreUnavailable.ts"
import type { ClusterClient } from "./ClusterClient.ts"
import { changedField, type PresentIndex, presentIndices } from "./ClusterIndices.ts"
import { answerDecoder } from "./ClusterJson.ts"
import { ClusterRefusal, ErrorJson, isFiltering, noPermission, permanentFault } from "./ClusterRefusal.ts"
import { aliasOf, indexNameOf, type IndexShape } from "./IndexDefinition.ts"
import { isEveryShard, notWhole, ShardsJson } from "./SearchAnswer.ts"
import { monotonicNow } from "../../MonotonicTime.ts"

/** An index, and the alias through which the service writes to it. Both are equal if the index has no alias. */
export interface ReadIndex {
  readonly alias: string
  readonly index: string
}

/**
 * A check that is repeated while a service is used. It starts before the last result is too old, so that only the first
 * request after a pause waits for it.
 */
export class RepeatedCheck<Found> {
  readonly #check: () => Promise<Found>
  #running: Promise<void> | undefined
  #failure: unknown
  #endedAt = Number.NEGATIVE_INFINITY

  constructor(check: () => Promise<Found>) {
    this.#check = check
  }

  async run(): Promise<Found> {
    try {
      const found = await this.#check()
      this.#failure = undefined
      return found
    } catch (cause) {
      this.#failure = cause
      throw cause
    } finally {
      this.#endedAt = monotonicNow()
    }
  }

  /**
   * The failure of the latest check, if it failed. Only the first request after a pause waits for a new check, for at
   * most `maxCheckWait`.
   */
  async failure(): Promise<unknown> {
    const age = monotonicNow() - this.#endedAt
    if (this.#running === undefined && (this.#failure !== undefined || age >= checkInterval / 2)) {
      this.#running = this.run()
        .catch(() => {})
        .then(() => void (this.#running = undefined))
      if (age >= checkInterval) await Promise.race([this.#running, sleep(maxCheckWait)])
    }
    return this.#failure
  }
}

// In milliseconds.
const checkInterval = 5_000
const maxCheckWait = 1_000

/** The service would read fewer documents than it wrote, or others. */
export class OtherDocuments extends StoreRefusal {
  constructor(reason: string) {
    super("OpenSearch", reason)
  }
}

/** The UUIDs of indices by index name. */
export type KnownIndices = Readonly<Record<string, string>>

/** Returns the existing indices. Rejects with a {@link StoreRefusal} whose reason says what to do. */
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
  const names = indices.map(({ index }) => index)
  const different = await differentCounts(client, names, async () => {})
  if (different.length === 0) return
  // Compares again after a refresh: a search only finds what was written before the last refresh.
  const [still] = await differentCounts(
    client,
    different.map(({ index }) => index),
    (shown) => client.call({ method: "POST", path: `/${shown.join()}/_refresh` })
  )
  if (still === undefined) return
  const { found, index, stored } = still
  throw new OtherDocuments(
    `${index} has ${stored} documents, and a search finds ${found}: a role hides documents or shows others. Give the user a role without document-level security`
  )
}

/**
 * The index behind each alias. Throws if an index cannot be used or differs from the known one. If all indices differ,
 * a whole backup was restored, and all are accepted.
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
      throw new OtherDocuments(`the index ${closed.index} is closed: open it with POST /${closed.index}/_open`)
    }
    if (behind.length > 1 || behind.some(({ name }) => name !== shape.name)) {
      const names = behind.map(({ index }) => index).join(" and ")
      throw new OtherDocuments(
        `the alias ${alias} stands for ${names}: remove it from what this program did not create`
      )
    }
    const [used] = behind
    if (used === undefined) {
      const lost = indexNameOf(prefix, shape)
      if (known[lost] === undefined) return []
      throw new OtherDocuments(
        ofShape.some(({ index }) => index === lost)
          ? `the index ${lost} has lost its alias ${alias}: add it again`
          : `the index ${lost} was deleted: restore a backup under another --index-prefix`
      )
    }
    const { index, uuid } = used
    if (used.filtered.includes(alias)) {
      throw new OtherDocuments(
        `the alias ${alias} has a filter or a routing, which hides documents: replace it by one without`
      )
    }
    if (used.disturbingSetting !== undefined) {
      throw new OtherDocuments(
        `the index ${index} has the setting ${used.disturbingSetting}: remove it with PUT /${index}/_settings`
      )
    }
    const changed = used.version === shape.version ? changedField(used, shape) : undefined
    if (changed !== undefined) {
      throw new OtherDocuments(
        `the index ${index} has other fields than this version writes, such as ${changed}. Name another --index-prefix, or use the version that made it`
      )
    }
    if (known[index] !== undefined && known[index] !== uuid) {
      throw new OtherDocuments(
        `the index ${index} is another one than this program used before: restore a whole backup, not one index of it`
      )
    }
    return [{ alias, index, uuid }]
  })
}

/**
 * Throws if the user's role hides or masks a part of the index: the security plugin then refuses every update. The
 * update is for an id that no document has.
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
  new OtherDocuments(
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

interface DifferentCount {
  readonly index: string
  readonly stored: number
  readonly found: number
}

/**
 * Compares the statistics with the number of documents that a search finds. Documents may be written meanwhile, so each
 * document that is deleted between the two readings of the statistics may or may not be counted. With `refresh`, each
 * reading includes everything of the one before.
 */
const differentCounts = async (
  client: ClusterClient,
  indices: ReadonlyArray<string>,
  refresh: (indices: ReadonlyArray<string>) => Promise<unknown>
): Promise<ReadonlyArray<DifferentCount>> => {
  const beforeRefresh = await statistics(client, indices)
  await refresh(indices)
  const before = await statistics(client, indices)
  const counts = await countBySearch(client, indices)
  await refresh(indices)
  const after = await statistics(client, indices)
  return indices.flatMap((index, at) => {
    const [earliest, first, last, found] = [beforeRefresh[index], before[index], after[index], counts[at]]
    if (earliest === undefined || first === undefined || last === undefined || found === undefined) throw notWhole()
    const stored = last.primaries.docs.count
    // Deletions are counted at once, but they only change the number of documents at the next refresh.
    const deleted = Math.max(0, last.primaries.indexing.delete_total - earliest.primaries.indexing.delete_total)
    const isPossible = found >= first.primaries.docs.count - deleted && found <= stored + deleted
    return isPossible ? [] : [{ index, found, stored }]
  })
}

/** The first index that contains documents; undefined if all are empty. */
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

/** The counts have the order of the indices. */
const countBySearch = async (client: ClusterClient, indices: ReadonlyArray<string>) => {
  const search = JSON.stringify({ size: 0, track_total_hits: true, query: { match_all: {} } })
  const call = {
    method: "POST",
    path: "/_msearch",
    body: indices.map((index) => `{"index":"${index}","allow_partial_search_results":false}\n${search}\n`).join("")
  } as const
  const { text } = await client.call(call)
  return decodeCounts(text).responses.map(({ _shards, error, hits, status, timed_out }, at) => {
    if (error !== undefined) {
      throw permanentFault({ ...call, path: `/${indices[at]}/_search` }, status, error) ?? notWhole()
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
