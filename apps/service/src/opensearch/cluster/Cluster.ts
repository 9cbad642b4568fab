/**
 * The cluster as the stores use it: documents by id, searches, bulk writes.
 *
 * Each operation accepts only complete results. A failure is a defect: {@link StoreUnavailable} if a later attempt may
 * succeed. Writes are visible to every request that starts after them.
 */
import { randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Vault } from "../../crypto/Vault.ts"
import { StoreUnavailable } from "../../requests/StoreUnavailable.ts"
import type { ClusterAnswer, ClusterCall } from "./ClusterCall.ts"
import { answerDecoder } from "./ClusterJson.ts"
import type { ClusterClient } from "./ClusterClient.ts"
import { isSealed, seal } from "./DocumentSeal.ts"
import { ErrorJson, permanentFault } from "./ClusterRefusal.ts"
import { ForeignRecords, maxForeign, RecordForeign, refuseListing } from "../../requests/ForeignRecords.ts"
import {
  aliasOf,
  hasStrictLoads,
  type IndexDefinition,
  indexNameOf,
  type IndexShape,
  writeIdField
} from "./IndexDefinition.ts"
import { type HitJson, hitsIn, hitsOf, isEveryShard, notWhole, ShardsJson, wholeResults } from "./SearchAnswer.ts"
import { reads } from "./ClusterNode.ts"
import { SharedRun } from "./SharedRun.ts"
import { type StrictLoads, excludeUnpublished } from "./StrictLoadState.ts"
import { bulkBody, type Revision, type WriteOperation } from "./WriteOperation.ts"

export class Cluster extends Context.Service<Cluster, ClusterOperations>()(
  "@threat-exposure/service/opensearch/cluster/Cluster"
) {}

export interface ClusterOperations {
  /** The prefix of every index, without the hyphen that follows it. */
  readonly prefix: string
  /**
   * The name of the index itself, as reads use it in a path: an alias could get a filter, or be moved to another index.
   */
  nameOf(index: IndexShape): string
  /** The alias through which an index is written, as used in a path. */
  writtenName(index: IndexShape): string
  /** Conditions that select the documents which readers must not see, in an index that strict loads write. */
  readonly unpublished: ReadonlyArray<Query>
  /** Undefined for a reader that sees all documents, also unpublished ones. */
  readonly strictLoads: StrictLoads | undefined
  /** The same cluster for a reader that sees the state after other strict loads; with `undefined`, all documents. */
  withLoads(strictLoads: StrictLoads | undefined): ClusterOperations
  readonly foreign: ForeignRecords
  /** Shared by all states of a cluster: see `Materialization.ts`. */
  readonly materializing: SharedRun<ClusterOperations>
  /** False for a document of a sealed index without its seal. The methods that decode documents check it. */
  isAuthentic(index: IndexShape, id: string, source: unknown): boolean
  /** A request for which the operations below are not enough. */
  call(call: ClusterCall): Effect.Effect<ClusterAnswer>
  /**
   * Reads in real time, without a refresh. The id may be any text from a request. Dies with {@link RecordForeign} for a
   * document that is not authentic, whose id is logged.
   */
  get<Document>(index: IndexDefinition<Document>, id: string): Effect.Effect<Stored<Document> | undefined>
  /**
   * Replaces the document. Returns false if the condition does not hold: the document is `absent`, or still has this
   * revision.
   */
  put<Document>(
    index: IndexDefinition<Document>,
    id: string,
    document: Document,
    condition?: "absent" | Revision
  ): Effect.Effect<boolean>
  /** Reads, changes and writes a document; retries after a conflicting write. Undefined leaves it unchanged. */
  update<Document>(
    index: IndexDefinition<Document>,
    id: string,
    change: (document: Document | undefined) => Document | undefined
  ): Effect.Effect<Document | undefined>
  /** Returns false if there is no such document. */
  remove(index: IndexShape, id: string): Effect.Effect<boolean>
  /**
   * One page of at most 10,000 documents. Documents that cannot be decoded or are not authentic are left out, and their
   * ids are logged.
   */
  search<Document>(
    index: IndexDefinition<Document>,
    search: ClusterSearch,
    isAuthentic?: (hit: Hit<Document>) => boolean
  ): Effect.Effect<ReadonlyArray<Hit<Document>>>
  /** The hits of any search. The caller decodes the documents and leaves out what readers must not see. */
  hits(index: IndexShape, body: object, routing?: string): Effect.Effect<ReadonlyArray<HitJson>>
  /** The hits of a search that takes a node a few milliseconds. It may be sent together with other searches. */
  quickHits(index: IndexShape, body: object): Effect.Effect<ReadonlyArray<HitJson>>
  /** Selected fields, such as `["digest"]`, of the existing documents, by id. In real time, like {@link get}. */
  fields<Fields>(
    index: IndexShape,
    ids: ReadonlyArray<string>,
    names: ReadonlyArray<string>,
    decode: (source: unknown) => Option.Option<Fields>
  ): Effect.Effect<ReadonlyMap<string, Fields>>
  /** Every document that the query matches, in pages; `sort` must be unique. */
  all<Document>(
    index: IndexDefinition<Document>,
    search: Omit<ClusterSearch, "size" | "search_after">,
    isAuthentic?: (hit: Hit<Document>) => boolean
  ): Effect.Effect<ReadonlyArray<Hit<Document>>>
  count(index: IndexShape, query: Query): Effect.Effect<number>
  /**
   * Writes documents, and repeats each write until it succeeds. The documents are visible afterwards unless `refresh`
   * is false.
   */
  write(
    operations: ReadonlyArray<WriteOperation>,
    options?: { readonly refresh?: boolean }
  ): Effect.Effect<WriteOutcome>
  /**
   * Returns the number of deleted documents. If an answer was lost, this is the number of documents that matched at
   * first.
   */
  removeAll(index: IndexShape, query: Query): Effect.Effect<number>
  /** Makes all writes so far visible. */
  refresh(index: IndexShape): Effect.Effect<void>
  /** A unique number. Gaps are possible. */
  nextNumber(counter: string): Effect.Effect<number>
  /** Makes the counter return only numbers above this one, which must be at least 1. */
  passNumber(counter: string, number: number): Effect.Effect<void>
}

export interface Stored<Document> {
  readonly document: Document
  readonly revision: Revision
}

/** The query language of OpenSearch. Never put a user's text into `query_string`. */
export type Query = Readonly<Record<string, unknown>>

export interface ClusterSearch {
  readonly query: Query
  readonly sort: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly size?: number
  readonly search_after?: SortValues | undefined
  readonly routing?: string
  /** The maximum time that a node searches, as in `5000ms`. */
  readonly timeout?: string
}

export type SortValues = ReadonlyArray<string | number | null>

export interface Hit<Document> {
  readonly id: string
  readonly document: Document
  readonly sort: SortValues
}

/** The numbers of documents that were created, replaced and removed. */
export interface WriteOutcome {
  readonly created: number
  readonly updated: number
  /** Skipped operations: the id was taken, or the document had another revision. */
  readonly kept: ReadonlyArray<WriteOperation>
  readonly removed: number
}

/** The counters of `nextNumber`: a counter's value is the version number of its document. */
export const counters: IndexDefinition<unknown> = {
  name: "counters",
  version: 1,
  properties: {},
  document: Schema.Unknown
}

/**
 * With `concrete`, indices are used by their own names, because they have no aliases yet. `named` returns the index of
 * the current generation of the key.
 */
export const makeCluster = (
  client: ClusterClient,
  prefix: string,
  {
    concrete = false,
    foreign = new ForeignRecords(),
    materializing = new SharedRun(),
    named = (index) => index,
    strictLoads,
    vault
  }: {
    readonly concrete?: boolean
    readonly foreign?: ForeignRecords
    readonly materializing?: SharedRun<ClusterOperations>
    readonly named?: (index: IndexShape) => IndexShape
    readonly strictLoads?: StrictLoads | undefined
    /** Seals the documents of sealed indices, and checks their seals. */
    readonly vault?: Vault | undefined
  } = {}
): ClusterOperations => {
  const nameOf = (index: IndexShape) => indexNameOf(prefix, named(index))
  // Without an alias, a write to an index that was deleted would create it again.
  const writtenName = concrete ? nameOf : (index: IndexShape) => aliasOf(prefix, named(index))
  const throughAlias = `require_alias=${String(!concrete)}`
  const call = (call: ClusterCall) =>
    Effect.callback<ClusterAnswer>((resume, signal) => {
      // Only reads are cancelled by an interruption. A cancelled write would leave unknown whether it was done.
      client.call(reads(call) ? { ...call, signal } : call).then(
        (answer) => resume(Effect.succeed(answer)),
        (cause: unknown) => resume(Effect.die(cause))
      )
    })
  const path = (name: string, id: string) => `/${name}/_doc/${encodeURIComponent(id)}`

  const isAuthentic = (index: IndexShape, id: string, source: unknown) =>
    index.isSealed !== true || vault === undefined || isSealed(vault, index, id, source)
  const documentIn = <Document>(index: IndexDefinition<Document>, id: string, source: unknown) =>
    isAuthentic(index, id, source) ? Schema.decodeUnknownOption(index.document)(source) : Option.none()
  /** A strict load copies documents with their seals, which stay as they are. */
  const sealedDocument = (index: IndexShape, id: string, document: unknown) =>
    index.isSealed !== true || vault === undefined || !Predicate.isObject(document) || "seal" in document
      ? document
      : seal(vault, index, id, document)

  const get = <Document>(index: IndexDefinition<Document>, id: string) => {
    if (id === "" || Buffer.byteLength(id) > maxIdLength) return Effect.undefined
    return Effect.flatMap(
      call({ method: "GET", path: path(nameOf(index), id), accepted: [404] }),
      (answer): Effect.Effect<Stored<Document> | undefined> => {
        if (isAbsent(answer)) return Effect.undefined
        const { _primary_term, _seq_no, _source } = decodeStored(answer.text)
        const revision = { seqNo: _seq_no, primaryTerm: _primary_term }
        return Option.match(documentIn(index, id, _source), {
          onNone: () =>
            Effect.andThen(foreign.leaveOut(nameOf(index), [id]), Effect.die(new RecordForeign(nameOf(index), id))),
          onSome: (document) => Effect.succeed({ document, revision })
        })
      }
    )
  }

  const put = Effect.fnUntraced(function* <Document>(
    index: IndexDefinition<Document>,
    id: string,
    document: Document,
    condition?: "absent" | Revision
  ) {
    const writeId = yield* Effect.sync(() => randomUUID())
    const { status, text } = yield* call({
      method: "PUT",
      path: `${path(writtenName(index), id)}?refresh=true&${throughAlias}${conditionOf(condition)}`,
      body: JSON.stringify(Object.assign({}, sealedDocument(index, id, document), { [writeIdField]: writeId })),
      accepted: [409]
    })
    if (status !== 409) {
      decodePut(text)
      return true
    }
    // An earlier attempt, whose answer was lost, may have written the document.
    const stored = yield* call({ method: "GET", path: path(nameOf(index), id), accepted: [404] })
    return !isAbsent(stored) && decodeStored(stored.text)._source[writeIdField] === writeId
  })

  const update = Effect.fnUntraced(function* <Document>(
    index: IndexDefinition<Document>,
    id: string,
    change: (document: Document | undefined) => Document | undefined
  ) {
    for (;;) {
      const stored = yield* get(index, id)
      const changed = change(stored?.document)
      if (changed === undefined) return undefined
      if (yield* put(index, id, changed, stored?.revision ?? "absent")) return changed
    }
  })

  const unpublished = strictLoads === undefined ? [] : excludeUnpublished(strictLoads)
  const restrictToPublished = (index: IndexShape, query: Query): Query =>
    hasStrictLoads(index) && unpublished.length > 0 ? { bool: { filter: [query], must_not: unpublished } } : query

  const bodyOf = (body: object) => JSON.stringify({ track_total_hits: false, ...body })
  const hits = (index: IndexShape, body: object, routing?: string) => {
    const route = routing === undefined ? "" : `&routing=${encodeURIComponent(routing)}`
    const search: ClusterCall = {
      method: "POST",
      path: `/${nameOf(index)}/_search?${wholeResults}${route}`,
      body: bodyOf(body)
    }
    return Effect.map(call(search), ({ text }) => hitsOf(text))
  }

  const search = Effect.fnUntraced(function* <Document>(
    index: IndexDefinition<Document>,
    { query, routing, ...body }: ClusterSearch,
    isOwn: (hit: Hit<Document>) => boolean = () => true
  ) {
    const foreignIds: Array<string> = []
    for (;;) {
      const native = restrictToPublished(index, query)
      const left =
        foreignIds.length === 0 ? native : { bool: { filter: [native], must_not: [{ ids: { values: foreignIds } }] } }
      const found = yield* hits(index, { query: left, ...body }, routing)
      const own = found.flatMap(({ _id, _source, sort = [] }): ReadonlyArray<Hit<Document>> => {
        const document = documentIn(index, _id, _source)
        const hit = Option.isSome(document) ? { id: _id, document: document.value, sort } : undefined
        if (hit !== undefined && isOwn(hit)) return [hit]
        foreignIds.push(_id)
        return []
      })
      if (own.length === found.length) return own
      yield* foreign.leaveOut(nameOf(index), foreignIds)
      if (foreignIds.length > maxForeign) return yield* Effect.die(refuseListing(nameOf(index)))
      // Search again without the foreign documents, so that the page is as long as usual.
    }
  })

  /** Repeats until every copy is refreshed: a copy that was not is still searched, without the latest writes. */
  const refresh = Effect.fnUntraced(function* (index: IndexShape) {
    for (let attempt = 0; ; attempt += 1) {
      const { text } = yield* call({ method: "POST", path: `/${nameOf(index)}/_refresh` })
      const { failed, successful } = decodeRefresh(text)._shards
      if (failed === 0 && successful > 0) return
      if (attempt === maxRepetitions) return yield* Effect.die(notWhole())
      yield* Effect.sleep(pauseAfter(attempt))
    }
  })

  const countOf = Effect.fnUntraced(function* (index: IndexShape, query: Query) {
    const { text } = yield* call({
      method: "POST",
      path: `/${nameOf(index)}/_count`,
      body: JSON.stringify({ query })
    })
    const { _shards, count } = decodeCount(text)
    if (!isEveryShard(_shards)) return yield* Effect.die(notWhole())
    return count
  })

  const write = Effect.fnUntraced(function* (
    operations: ReadonlyArray<WriteOperation>,
    { refresh: isVisible = true }: { readonly refresh?: boolean } = {}
  ) {
    const kept: Array<WriteOperation> = []
    const outcome = { created: 0, updated: 0, kept, removed: 0 }
    let left = operations
    for (let attempt = 0; ; attempt += 1) {
      const [first] = left
      if (first === undefined) break
      // Most calls write to a single index.
      const index = writtenName(first.index)
      const bulk: ClusterCall = {
        method: "POST",
        path: `/${index}/_bulk?filter_path=${membersOfBulk}&${throughAlias}`,
        body: bulkBody(
          left.map((operation) =>
            "remove" in operation
              ? operation
              : { ...operation, document: sealedDocument(operation.index, operation.id, operation.document) }
          ),
          (operation) => {
            const own = writtenName(operation.index)
            return own === index ? undefined : own
          }
        )
      }
      const { text } = yield* call(bulk)
      const { items } = decodeBulk(text)
      if (items.length !== left.length) return yield* Effect.die(notWhole())
      const again: Array<WriteOperation> = []
      for (const [at, operation] of left.entries()) {
        const [item] = Object.values(items[at] ?? {})
        if (item === undefined) return yield* Effect.die(notWhole())
        const { error, result, status } = item
        if (result === "created") outcome.created += 1
        else if (result === "updated") outcome.updated += 1
        else if (result === "deleted") outcome.removed += 1
        else if (status === 409 && ("keep" in operation || "revision" in operation)) kept.push(operation)
        else if (result !== "not_found") {
          const fault = permanentFault({ ...bulk, path: `/${writtenName(operation.index)}/_bulk` }, status, error)
          if (fault !== undefined) return yield* Effect.die(fault)
          again.push(operation)
        }
      }
      if (again.length > 0) {
        if (attempt === maxRepetitions) {
          return yield* Effect.die(new StoreUnavailable({ reason: "OpenSearch does not take more writes at present" }))
        }
        yield* Effect.sleep(pauseAfter(attempt))
      }
      left = again
    }
    if (isVisible) {
      const written = new Map(operations.map(({ index }) => [index.name, index]))
      yield* Effect.forEach(written.values(), refresh, { concurrency: 4 })
    }
    return outcome
  })

  return Cluster.of({
    prefix,
    nameOf,
    writtenName,
    unpublished,
    strictLoads,
    foreign,
    materializing,
    withLoads: (others) =>
      makeCluster(client, prefix, { concrete, foreign, materializing, named, strictLoads: others, vault }),
    isAuthentic,
    call,
    get,
    put,
    update,
    search,
    hits,
    quickHits: (index, body) =>
      Effect.callback((resume) => {
        client.searches.search({ index: nameOf(index), body: bodyOf(body) }).then(
          (answer) => resume(Effect.sync(() => hitsIn(answer))),
          (cause: unknown) => resume(Effect.die(cause))
        )
      }),
    write,
    refresh,
    remove: Effect.fnUntraced(function* (index, id) {
      const { text } = yield* call({
        method: "DELETE",
        path: `${path(nameOf(index), id)}?refresh=true`,
        accepted: [404]
      })
      const { error, result } = decodeRemoval(text)
      if (result !== undefined) return result === "deleted"
      return yield* Effect.die(
        permanentFault({ method: "DELETE", path: `/${nameOf(index)}/_doc` }, 404, error) ?? notWhole()
      )
    }),
    all: Effect.fnUntraced(function* (index, given, isAuthentic) {
      const found = []
      let after: SortValues | undefined
      do {
        const next = after === undefined ? {} : { search_after: after }
        const page = yield* search(index, { ...given, size: hitsAtOnce, ...next }, isAuthentic)
        for (const hit of page) found.push(hit)
        after = page.length < hitsAtOnce ? undefined : page.at(-1)?.sort
      } while (after !== undefined)
      return found
    }),
    fields: Effect.fnUntraced(function* <Fields>(
      index: IndexShape,
      ids: ReadonlyArray<string>,
      names: ReadonlyArray<string>,
      decode: (source: unknown) => Option.Option<Fields>
    ) {
      const found = new Map<string, Fields>()
      if (ids.length === 0) return found
      const many: ClusterCall = {
        method: "POST",
        // A seal covers all fields, as they were written.
        path: `/${nameOf(index)}/_mget?_source=${index.isSealed === true ? "true" : names.join()}&filter_path=${membersOfMany}`,
        body: JSON.stringify({ ids })
      }
      const { text } = yield* call(many)
      const { docs } = decodeMany(text)
      if (docs.length !== ids.length) return yield* Effect.die(notWhole())
      for (const { _id, _source, error, found: isFound } of docs) {
        // A document whose shard is unavailable must not count as missing.
        if (isFound === undefined) return yield* Effect.die(permanentFault(many, statusOfPart, error) ?? notWhole())
        if (!isFound) continue
        const fields = isAuthentic(index, _id, _source) ? decode(_source ?? {}) : Option.none()
        if (Option.isSome(fields)) found.set(_id, fields.value)
        else yield* foreign.leaveOut(nameOf(index), [_id])
      }
      return found
    }),
    count: (index, query) => countOf(index, restrictToPublished(index, query)),
    removeAll: Effect.fnUntraced(function* (index, query) {
      yield* refresh(index)
      // This count includes unpublished documents.
      const found = yield* countOf(index, query)
      let removed = 0
      let wasRepeated = false
      if (found === 0) return 0
      for (let failed = 0; ;) {
        const { isRepeated, text } = yield* call({
          method: "POST",
          path: `/${nameOf(index)}/_delete_by_query?refresh=true&conflicts=proceed&scroll_size=2000&max_docs=${maxDeleted}`,
          body: JSON.stringify({ query }),
          timeLimit: maxDeletionTime
        })
        const { deleted, failures, timed_out, total } = decodeDeletion(text)
        removed += deleted
        wasRepeated ||= isRepeated
        if (failures.length === 0 && !timed_out && deleted === total && total < maxDeleted) break
        if (deleted === maxDeleted) continue
        // Documents with a conflicting write are checked again.
        if (failed === maxRepetitions) {
          return yield* Effect.die(new StoreUnavailable({ reason: "OpenSearch could not delete all of it" }))
        }
        failed += 1
        yield* refresh(index)
      }
      // Deletions of an attempt whose answer was lost are in no answer.
      return wasRepeated ? Math.max(removed, found) : removed
    }),
    nextNumber: (counter) =>
      Effect.map(
        call({ method: "PUT", path: `${path(writtenName(counters), counter)}?${throughAlias}`, body: "{}" }),
        ({ text }) => decodeVersion(text)._version
      ),
    passNumber: (counter, number) =>
      Effect.asVoid(
        call({
          method: "PUT",
          path: `${path(writtenName(counters), counter)}?${throughAlias}&version=${number}&version_type=external_gte`,
          body: "{}",
          // 409: the counter is already past the number.
          accepted: [409]
        })
      )
  })
}

/** Bytes. OpenSearch stores no document under an empty or a longer id. */
const maxIdLength = 512

/** Hits of one call: their decoding takes milliseconds of the thread that answers everybody. */
const hitsAtOnce = 1_000

/** Together with the pauses, some seconds. */
const maxRepetitions = 8

/** Milliseconds. */
const pauseAfter = (attempt: number): number => Math.min(1_000, 50 * 2 ** attempt)

/** The maximum number of documents per call, because a call that exceeds its time limit is sent again. */
const maxDeleted = 10_000

/** Milliseconds. */
const maxDeletionTime = 600_000

const conditionOf = (condition: "absent" | Revision | undefined): string => {
  if (condition === undefined) return ""
  return condition === "absent"
    ? "&op_type=create"
    : `&if_seq_no=${condition.seqNo}&if_primary_term=${condition.primaryTerm}`
}

const Source = Schema.Record(Schema.String, Schema.Unknown)

const decodeStored = answerDecoder(
  "a read of a document",
  Schema.Struct({ _seq_no: Schema.Int, _primary_term: Schema.Int, _source: Source })
)

/** Whether the document does not exist. Any other answer with this status, such as one of a proxy, is an error. */
export const isAbsent = ({ status, text }: ClusterAnswer): boolean => {
  if (status !== 404) return false
  const { error, found } = decodeMissing(text)
  const fault = error === undefined ? undefined : permanentFault({ method: "GET", path: "" }, status, error)
  if (fault !== undefined) throw fault
  if (found !== false) throw notWhole()
  return true
}

const decodeMissing = answerDecoder(
  "a read of a document",
  Schema.Struct({ error: Schema.optionalKey(ErrorJson), found: Schema.optionalKey(Schema.Boolean) })
)

const decodePut = answerDecoder("a write", Schema.Struct({ result: Schema.Literals(["created", "updated"]) }))

const decodeRemoval = answerDecoder(
  "a deletion",
  Schema.Struct({
    error: Schema.optionalKey(ErrorJson),
    result: Schema.optionalKey(Schema.Literals(["deleted", "not_found"]))
  })
)

const membersOfMany = [
  "docs._id",
  "docs.found",
  "docs._source",
  "docs.error.type",
  "docs.error.reason",
  "docs.error.index"
].join()

/** A part that failed has no status, so only the type of its error can make the failure permanent. */
const statusOfPart = 500

const decodeMany = answerDecoder(
  "a read of documents",
  Schema.Struct({
    docs: Schema.Array(
      Schema.Struct({
        _id: Schema.String,
        /** Absent if the document could not be read. */
        found: Schema.optionalKey(Schema.Boolean),
        error: Schema.optionalKey(ErrorJson),
        _source: Schema.optionalKey(Schema.Unknown)
      })
    )
  })
)

const membersOfBulk = ["status", "result", "error.type", "error.reason", "error.index"]
  .map((member) => `items.*.${member}`)
  .join()

const decodeBulk = answerDecoder(
  "a bulk request",
  Schema.Struct({
    items: Schema.Array(
      Schema.Record(
        Schema.String,
        Schema.Struct({
          status: Schema.Int,
          result: Schema.optionalKey(Schema.String),
          error: Schema.optionalKey(ErrorJson)
        })
      )
    )
  })
)

/** A copy that is not assigned to a node is not counted as successful. */
const decodeRefresh = answerDecoder("a refresh", Schema.Struct({ _shards: ShardsJson }))

const decodeCount = answerDecoder("a count", Schema.Struct({ count: Schema.Int, _shards: ShardsJson }))

const decodeDeletion = answerDecoder(
  "a deletion",
  Schema.Struct({
    total: Schema.Int,
    deleted: Schema.Int,
    timed_out: Schema.Boolean,
    failures: Schema.Array(Schema.Unknown)
  })
)

const decodeVersion = answerDecoder("a count", Schema.Struct({ _version: Schema.Int }))
