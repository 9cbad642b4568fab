/**
 * Strict loads: everything that a load writes becomes visible in one moment, or never. Each load has a number, which it
 * writes to every document that it adds. A document that it replaces is kept under another id, marked as replaced by
 * this number. Readers exclude unpublished documents (`StrictLoadState.ts`), so one write to the state publishes a
 * load. The next load undoes a load that was killed.
 */
import { isDeepStrictEqual } from "node:util"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { StoreUnavailable } from "../../requests/StoreUnavailable.ts"
import { Cluster, type Query, type WriteOutcome } from "./Cluster.ts"
import { decodeDocument } from "./EncodedDocuments.ts"
import { changeState, ClusterState, KeyedCluster, type KeyedIndices, stateId, stateIndex } from "./ClusterStart.ts"
import { hasStrictLoads, type IndexShape, strictLoadFields } from "./IndexDefinition.ts"
import { copyId, noStrictLoads, type StrictLoads, strictLoadsOf } from "./StrictLoadState.ts"
import type { Revision, WriteOperation } from "./WriteOperation.ts"

export class StrictLoad extends Context.Service<
  StrictLoad,
  {
    /**
     * Waits until no strict load is running, and removes what a killed one left behind. Run it before a load writes.
     */
    readonly settled: Effect.Effect<void>
    /** Makes strict loads of every process wait until the scope closes. */
    readonly lock: Effect.Effect<void, never, Scope.Scope>
    /** Begins a load. It is undone when the scope closes, unless it was published. */
    readonly begin: Effect.Effect<BegunLoad, never, Scope.Scope>
  }
>()("@threat-exposure/service/opensearch/cluster/StrictLoad") {
  static readonly layer = (indices: ReadonlyArray<IndexShape>) => Layer.effect(StrictLoad, make(indices))
}

export interface BegunLoad {
  /** Reads as if the load were published, and writes under its number. */
  readonly keyed: KeyedCluster["Service"]
  readonly publish: Effect.Effect<void>
}

const make = Effect.fnUntraced(function* (indices: ReadonlyArray<IndexShape>) {
  const cluster = yield* Cluster
  const keyed = yield* KeyedCluster
  const state = yield* ClusterState
  const written = indices.filter(hasStrictLoads)

  const read = Effect.map(cluster.get(stateIndex, stateId), (stored) => stored?.document.strict_loads ?? noStrictLoads)
  /** Changes the state of strict loads. Returns undefined, and changes nothing, if `changed` returns undefined. */
  const change = (changed: (loads: StrictLoads) => StrictLoads | undefined) =>
    changeState(cluster, (state) => {
      const strict_loads = changed(state.strict_loads ?? noStrictLoads)
      return strict_loads === undefined ? undefined : { ...state, strict_loads }
    }).pipe(Effect.tap(() => state.revision))
  const ifPending = (number: number, changed: (loads: StrictLoads) => StrictLoads | undefined) =>
    change((loads) => (loads.pending?.number === number ? changed(loads) : undefined))

  const keepBeating = (number: number) =>
    ifPending(number, (loads) => ({
      ...loads,
      pending: { ...loads.pending, number, beat: (loads.pending?.beat ?? 0) + 1 }
    })).pipe(
      // A failed heartbeat is ignored: the load itself reports that the cluster is unavailable.
      Effect.ignoreCause,
      Effect.repeat(Schedule.spaced(beatInterval)),
      Effect.forkScoped
    )

  const undo = Effect.fnUntraced(function* (number: number) {
    yield* keepBeating(number)
    const everything = keyed.now.cluster.withLoads(undefined)
    yield* Effect.forEach(written, (index) => undoIn(everything, index, number), { discard: true })
    yield* ifPending(number, (loads) => ({ ...loads, pending: null, undone: [...loads.undone, number] }))
  }, Effect.scoped)

  /** Removes documents that published loads have replaced. */
  const removeReplaced = Effect.fnUntraced(function* ({ last, undone }: StrictLoads) {
    const replaced = {
      bool: { filter: [{ range: { replaced_by: { lte: last } } }], must_not: [{ terms: { replaced_by: undone } }] }
    }
    const everything = keyed.now.cluster.withLoads(undefined)
    yield* Effect.forEach(written, (index) => everything.removeAll(index, replaced), { discard: true })
  })

  /** Undoes a killed load, in one process at a time. */
  const undoKilled = Effect.fnUntraced(function* ({
    beat,
    number
  }: {
    readonly beat: number
    readonly number: number
  }) {
    const taken = yield* ifPending(number, (loads) =>
      loads.pending?.beat === beat ? { ...loads, pending: { ...loads.pending, beat: beat + 1 } } : undefined
    )
    if (taken === undefined) return
    yield* Effect.logWarning("A strict load was killed: what it wrote is removed")
    yield* undo(number)
  })

  const settled = Effect.gen(function* () {
    let seen: StrictLoads["pending"] = null
    let polls = 0
    for (;;) {
      const loads = yield* read
      const { pending } = loads
      if (pending === null) return loads.last === 0 ? undefined : yield* removeReplaced(loads)
      polls = isDeepStrictEqual(pending, seen) ? polls + 1 : 0
      if (seen === null) yield* Effect.logInfo("A strict load is under way: waiting for its end")
      seen = pending
      if (polls === pollsUntilKilled) yield* undoKilled(pending)
      else yield* Effect.sleep(pollInterval)
    }
  })

  const begin = Effect.fnUntraced(function* (isLock: boolean) {
    let number: number | undefined
    while (number === undefined) {
      yield* settled
      const begun = yield* change((loads) =>
        loads.pending === null
          ? { ...loads, last: loads.last + 1, pending: { number: loads.last + 1, beat: 0, isLock } }
          : undefined
      )
      number = begun?.strict_loads?.last
    }
    return number
  })

  return StrictLoad.of({
    settled,
    lock: Effect.gen(function* () {
      const number = yield* Effect.acquireRelease(
        begin(true),
        (number) => Effect.ignoreCause(ifPending(number, (loads) => ({ ...loads, pending: null }))),
        { interruptible: true }
      )
      yield* keepBeating(number)
    }),
    begin: Effect.gen(function* () {
      let isPublished = false
      const number = yield* Effect.acquireRelease(
        begin(false),
        // If this fails, the next load undoes this one.
        (number) => (isPublished ? Effect.void : Effect.ignoreCause(undo(number))),
        { interruptible: true }
      )
      yield* keepBeating(number)
      const loads = yield* read
      const view = { ...loads, last: number, pending: null }
      return {
        keyed: {
          get now(): KeyedIndices {
            const { cluster, vault } = keyed.now
            const own = cluster.withLoads(view)
            return { cluster: { ...own, write: writingUnder(number, own) }, vault }
          }
        },
        publish: Effect.flatMap(
          ifPending(number, (loads) => ({ ...loads, pending: null })),
          (published) => {
            isPublished = published !== undefined
            return isPublished ? Effect.void : Effect.die(new StoreUnavailable({ reason: overtaken }))
          }
        )
      }
    })
  })
})

const overtaken =
  "this load sent no heartbeat for ten seconds, and another load removed what it had written. Run it again"

const beatInterval = "1 second"

/** Interval at which a waiting process polls. */
const pollInterval = "500 millis"

/** Number of polls with the same beat after which a load counts as killed: 10 seconds. */
const pollsUntilKilled = 20

/** A document as it is currently stored, visible to readers or not. */
interface StoredDocument {
  readonly document: object
  readonly revision: Revision
  readonly addedBy: number | undefined
}

/** The stored documents by id. Refresh the index first. */
const readDocuments = (cluster: Cluster["Service"], index: IndexShape, query: Query) =>
  Effect.map(
    cluster.hits(index, {
      size: documentsAtOnce,
      seq_no_primary_term: true,
      docvalue_fields: Object.keys(strictLoadFields),
      query
    }),
    (hits) =>
      new Map(
        hits.map(({ _id, _primary_term = 0, _seq_no = 0, _source, fields = {} }) => {
          const { added_by: _added, replaced_by: _replaced, ...document } = decodeSource(_source)
          const stored: StoredDocument = {
            document,
            revision: { seqNo: _seq_no, primaryTerm: _primary_term },
            addedBy: strictLoadsOf(fields).added_by
          }
          return [_id, stored]
        })
      )
  )

const decodeSource = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))

const documentsAtOnce = 2_000

/** The `write` operation of a strict load. */
const writingUnder =
  (number: number, cluster: Cluster["Service"]): Cluster["Service"]["write"] =>
  (operations, options) =>
    Effect.gen(function* () {
      const outcome = { created: 0, updated: 0, kept: new Array<WriteOperation>(), removed: 0 }
      const add = ({ created, kept, removed, updated }: WriteOutcome) => {
        outcome.created += created
        outcome.updated += updated
        outcome.removed += removed
        for (const operation of kept) outcome.kept.push(operation)
      }
      for (const [index, ofIndex] of Map.groupBy(operations, ({ index }) => index)) {
        if (!hasStrictLoads(index)) {
          add(yield* cluster.write(ofIndex, options))
          continue
        }
        for (let start = 0; start < ofIndex.length; start += documentsAtOnce) {
          let left: ReadonlyArray<WriteOperation> = ofIndex.slice(start, start + documentsAtOnce)
          for (let isFirst = true; left.length > 0; isFirst = false) {
            const stored = yield* readDocuments(cluster, index, { ids: { values: left.map(({ id }) => id) } })
            const { copies, kept, writes } = writesUnder(number, left, { stored, isFirst })
            // A document is replaced only after its copy was written.
            yield* cluster.write(copies, { refresh: false })
            const { kept: overtaken, ...done } = yield* cluster.write([...writes.values()], { refresh: false })
            add({ ...done, kept })
            // The document was written by another process, or by this load a moment ago.
            const again = new Set(overtaken.map(({ id }) => id))
            left = left.filter(({ id }) => again.has(id))
            if (left.length > 0) yield* cluster.refresh(index)
          }
        }
        if (options?.refresh !== false) yield* cluster.refresh(index)
      }
      return outcome
    })

/** Each write applies only to the document as it is currently stored. */
const writesUnder = (
  number: number,
  operations: ReadonlyArray<WriteOperation>,
  { isFirst, stored }: { readonly stored: ReadonlyMap<string, StoredDocument>; readonly isFirst: boolean }
) => {
  const copies: Array<WriteOperation> = []
  const kept: Array<WriteOperation> = []
  const writes = new Map<string, WriteOperation>()
  for (const operation of operations) {
    const { id, index } = operation
    const former = stored.get(id)
    const write = { index, id }
    const document = "remove" in operation ? undefined : { ...decodeDocument(operation.document), added_by: number }
    const copied = { index, id: copyId(number, id), routing: id }
    if (former === undefined) {
      // The document was deleted after it was copied.
      if (!isFirst) copies.push({ ...copied, remove: true })
      if (document !== undefined) writes.set(id, { ...write, document, keep: true })
    } else if ("keep" in operation) {
      kept.push(operation)
    } else {
      const { addedBy, document: replaced, revision } = former
      const copy = { ...replaced, added_by: addedBy, replaced_by: number }
      if (addedBy !== number) copies.push({ ...copied, document: copy })
      writes.set(id, document === undefined ? { ...write, remove: true, revision } : { ...write, document, revision })
    }
  }
  return { copies, kept, writes }
}

/** Restores what a load replaced or removed, and removes what it added. Idempotent. */
const undoIn = Effect.fnUntraced(function* (cluster: Cluster["Service"], index: IndexShape, number: number) {
  yield* cluster.refresh(index)
  for (;;) {
    const copies = yield* readDocuments(cluster, index, { term: { replaced_by: number } })
    if (copies.size === 0) break
    const originals = new Map(Array.from(copies, ([id, copy]) => [id.slice(copyId(number, "").length), copy]))
    const stored = yield* readDocuments(cluster, index, { ids: { values: [...originals.keys()] } })
    const restored = Array.from(originals).flatMap(([id, { addedBy, document }]): ReadonlyArray<WriteOperation> => {
      const present = stored.get(id)
      const operation = { index, id, document: { ...document, added_by: addedBy } }
      if (present === undefined) return [{ ...operation, keep: true }]
      // Another load may have replaced the document since.
      return present.addedBy === number ? [{ ...operation, revision: present.revision }] : []
    })
    const { kept } = yield* cluster.write(restored)
    // Documents with a conflicting write are checked again.
    for (const { id } of kept) originals.delete(id)
    yield* cluster.write(
      Array.from(originals.keys(), (id) => ({ index, id: copyId(number, id), routing: id, remove: true }))
    )
  }
  yield* cluster.removeAll(index, { term: { added_by: number } })
})
