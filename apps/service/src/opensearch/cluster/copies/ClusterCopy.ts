/** Copies the documents of indices to new indices. They must not change meanwhile. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type { Vault } from "../../../crypto/Vault.ts"
import { batchIndex, completeBatches, findBatches } from "../BulkUpdate.ts"
import type { Cluster } from "../Cluster.ts"
import { hitsOf, isEveryShard, ShardsJson, wholeResults } from "../SearchAnswer.ts"
import { creationTimeLimit } from "../ClusterIndices.ts"
import type { ClusterClient } from "../ClusterClient.ts"
import { checkReading } from "../ClusterGuard.ts"
import { attempt, clusterUnusable, unusable } from "../ClusterUnusable.ts"
import {
  type FormerDocument,
  indexNameOf,
  type IndexShape,
  type Rewriting,
  strictLoadFields
} from "../IndexDefinition.ts"
import { strictLoadsOf } from "../StrictLoadState.ts"
import type { WriteOperation } from "../WriteOperation.ts"

export interface IndexCopy {
  /** The name of the index itself. */
  readonly from: string
  readonly to: IndexShape
  /** If undefined, documents are copied unchanged. */
  readonly rewriting: Rewriting | undefined
}

/** Counts documents. */
export interface CopyProgress {
  readonly done: number
  readonly total: number
}

/**
 * Fails if the user cannot read all documents of the former indices, or if the numbers of documents differ at the end.
 * `cluster` uses the new indices.
 */
export const copyIndices = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  {
    client,
    copies,
    progress,
    vault
  }: {
    readonly client: ClusterClient
    readonly copies: ReadonlyArray<IndexCopy>
    readonly progress: (progress: CopyProgress) => Effect.Effect<void>
    readonly vault: Vault
  }
) {
  const check = (names: ReadonlyArray<string>) =>
    attempt(() =>
      checkReading(
        client,
        names.map((index) => ({ alias: index, index }))
      )
    )
  const formers = copies.map(({ from }) => from)
  const counts = yield* Effect.forEach(formers, (from) => countOf(cluster, from))
  yield* check(formers)
  const total = counts.reduce((sum, count) => sum + count, 0)
  let done = 0
  for (const [at, copy] of copies.entries()) {
    const { from, rewriting, to } = copy
    const foreign: Array<string> = []
    const shards = yield* shardsOf(cluster, from)
    for (let shard = 0; shard < shards; shard += 1) {
      let after: number | undefined = -1
      while (after !== undefined) {
        yield* progress({ done, total })
        const hits: ReturnType<typeof hitsOf> = yield* hitsAfter(cluster, copy, shard, after)
        const operations = hits.flatMap(({ _id, _routing, _source, fields }): ReadonlyArray<WriteOperation> => {
          const former = { id: _id, source: _source, docValues: fields }
          const document = rewriting === undefined ? _source : rewrittenBy(rewriting, vault, former)
          if (document === undefined) {
            foreign.push(_id)
            return []
          }
          return [{ index: to, id: _id, ...(_routing === undefined ? {} : { routing: _routing }), document }]
        })
        yield* cluster.write(operations, { refresh: false })
        done += hits.length
        after = hits.length < pageSize ? undefined : Number(hits.at(-1)?.sort?.[0])
      }
    }
    if (foreign.length > 0) {
      return yield* clusterUnusable(
        `this program did not write ${foreign.length} documents of ${from}, such as ${foreign.slice(0, maxNamed).join(", ")}, or the key file has no key for them. Nothing was changed: delete them, and run the command again`
      )
    }
    yield* cluster.refresh(to)
    const count = yield* countOf(cluster, cluster.nameOf(to))
    if (count !== counts[at]) {
      return yield* clusterUnusable(
        `${count} of ${counts[at]} documents of ${from} were copied. Nothing was changed: run the command again`
      )
    }
  }
  // The user's role may have changed in the meantime.
  yield* check([...formers, ...copies.map(({ to }) => indexNameOf(cluster.prefix, to))])
})

/** Undefined if the former document is not authentic. */
const rewrittenBy = (rewriting: Rewriting, vault: Vault, former: FormerDocument): object | undefined => {
  try {
    return { ...rewriting.document(vault, former), ...strictLoadsOf(former.docValues ?? {}) }
  } catch {
    return undefined
  }
}

/** Maximum number of ids in a message. */
const maxNamed = 10

const pageSize = 1_000

/** Hits in the order of the sequence numbers of a shard, which all of its copies share. */
const hitsAfter = (cluster: Cluster["Service"], { from, rewriting }: IndexCopy, shard: number, after: number) =>
  Effect.map(
    cluster.call({
      method: "POST",
      path: `/${from}/_search?preference=_shards:${shard}&${wholeResults}`,
      body: JSON.stringify({
        size: pageSize,
        track_total_hits: false,
        query: { range: { _seq_no: { gt: after } } },
        sort: [{ _seq_no: "asc" }],
        docvalue_fields: rewriting === undefined ? [] : [...rewriting.docValues, ...Object.keys(strictLoadFields)]
      })
    }),
    ({ text }) => hitsOf(text)
  )

/** The primary shards of an index. */
export const shardsOf = (cluster: Cluster["Service"], index: string) =>
  Effect.map(settingOf(cluster, index, "index.number_of_shards"), ([shards]) => Number(shards))

/** The value of the setting in each of the indices. */
const settingOf = (cluster: Cluster["Service"], indices: string, setting: string) =>
  Effect.map(cluster.call({ method: "GET", path: `/${indices}/_settings/${setting}?flat_settings=true` }), ({ text }) =>
    Object.values(decodeSettings(text)).map(({ settings }) => settings[setting])
  )

const countOf = (cluster: Cluster["Service"], index: string) =>
  Effect.gen(function* () {
    yield* cluster.call({ method: "POST", path: `/${index}/_refresh` })
    const { text } = yield* cluster.call({ method: "GET", path: `/${index}/_count` })
    const { _shards, count } = decodeCount(text)
    if (isEveryShard(_shards)) return count
    return yield* clusterUnusable(`a part of ${index} cannot be read at present. Run the command again`)
  })

/**
 * Refuses writes when no batch is left, because a batch could not be completed in a copy. `services` uses the indices as
 * services do.
 */
export const refuseWritesBetweenBatches = Effect.fnUntraced(function* (
  services: Cluster["Service"],
  indices: ReadonlyArray<IndexShape>,
  names: ReadonlyArray<string>
) {
  for (let attempt = 1; ; attempt += 1) {
    // A command that was killed refused them.
    yield* allowWrites(services, names)
    const completion = yield* Effect.exit(completeBatches(services, indices))
    yield* refuseWrites(services, names)
    const left = yield* findBatches(services)
    if (left.length === 0) return
    if (attempt < maxAttempts) continue
    const { reason } = unusable(
      Exit.isFailure(completion) ? Cause.squash(completion.cause) : "services continue to write"
    )
    return yield* clusterUnusable(
      `the change ${left[0]?.id} in ${services.nameOf(batchIndex)} could not be completed: ${reason}. Nothing was copied: run the command again`
    )
  }
})

/** More batches can begin while batches are completed. */
const maxAttempts = 5

/** Completes when all writes in progress have ended. */
export const refuseWrites = (cluster: Cluster["Service"], indices: ReadonlyArray<string>) =>
  cluster.call({ method: "PUT", path: `/${indices.join()}/_block/write`, timeLimit: creationTimeLimit })

export const allowWrites = (cluster: Cluster["Service"], indices: ReadonlyArray<string>) =>
  cluster.call({
    method: "PUT",
    path: `/${indices.join()}/_settings`,
    body: JSON.stringify({ "index.blocks.write": null }),
    timeLimit: creationTimeLimit
  })

/** Whether all of the indices still refuse writes. */
export const areWritesRefused = (cluster: Cluster["Service"], indices: ReadonlyArray<string>) =>
  Effect.map(
    settingOf(cluster, indices.join(), "index.blocks.write"),
    (blocks) => blocks.length === indices.length && blocks.every((block) => block === "true")
  )

export const removeIndices = (cluster: Cluster["Service"], indices: ReadonlyArray<string>) =>
  indices.length === 0
    ? Effect.void
    : Effect.asVoid(
        cluster.call({ method: "DELETE", path: `/${indices.join()}`, accepted: [404], timeLimit: creationTimeLimit })
      )

const decodeSettings = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Record(Schema.String, Schema.Struct({ settings: Schema.Record(Schema.String, Schema.String) }))
  )
)

const decodeCount = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ count: Schema.Int, _shards: ShardsJson }))
)
