/**
 * Upgrades indices of an earlier version: copies each to a new index, and moves all aliases in one step at the end.
 * Meanwhile searches continue, and writes to these indices are refused, so that no write is lost.
 */
import * as Effect from "effect/Effect"
import type { ClusterOptions } from "../../../ClusterEngine.ts"
import { Vault } from "../../../crypto/Vault.ts"
import { type Cluster, makeCluster } from "../Cluster.ts"
import {
  allowWrites,
  copyIndices,
  type CopyProgress,
  type IndexCopy,
  refuseWrites,
  refuseWritesBetweenBatches,
  removeIndices
} from "./ClusterCopy.ts"
import { batchIndex } from "../BulkUpdate.ts"
import { checkIndices } from "../ClusterGuard.ts"
import { createIndices, creationTimeLimit, findIndices, prepareIndices, waitUntilUsable } from "../ClusterIndices.ts"
import { allIndices, changeState, clusterWithData, generationIn, keyOf, stateIndex } from "../ClusterStart.ts"
import { attempt, clusterUnusable } from "../ClusterUnusable.ts"
import { aliasOf, indexNameOf, type IndexShape, ofGeneration } from "../IndexDefinition.ts"

export interface Upgrade<E, R> {
  readonly options: ClusterOptions
  /** The indices of every store. */
  readonly indices: ReadonlyArray<IndexShape>
  /** Asks whether to continue with a plan that deletes something. Fails if the answer is no. */
  readonly confirm: (plan: string) => Effect.Effect<void, E, R>
  readonly progress: (progress: CopyProgress) => Effect.Effect<void>
}

/** Returns the names of the indices that were upgraded. */
export const upgradeIndices = Effect.fn("upgradeIndices")(function* <E, R>({
  confirm,
  indices,
  options,
  progress
}: Upgrade<E, R>) {
  const { keyFile, prefix } = options
  const { client, state } = yield* clusterWithData(options)
  const cluster = makeCluster(client, prefix)
  if (state.next_generation !== undefined) {
    return yield* clusterUnusable("a rotation of its key is not finished. Run rotate-key first")
  }
  const shapes = allIndices(indices, options, generationIn(state))
  const vault = new Vault(yield* attempt(async () => keyOf(keyFile, state)))
  const there = yield* attempt(() => findIndices(client, prefix, shapes))
  yield* attempt(() => checkIndices(client, prefix, shapes, state.indices))
  const usedOf = (shape: IndexShape) =>
    there.find(({ aliases, name }) => name === shape.name && aliases.includes(aliasOf(prefix, shape)))
  const copied = shapes.flatMap((shape): ReadonlyArray<IndexCopy> => {
    const used = usedOf(shape)
    return used !== undefined && used.version < shape.version
      ? [{ from: used.index, to: shape, rewriting: shape.upgrade }]
      : []
  })
  if (copied.length === 0) return []
  const formers = copied.map(({ from }) => from)
  const targets = copied.map(({ to }) => indexNameOf(prefix, to))
  const removeUnused = Effect.gen(function* () {
    const unused = (yield* attempt(() => findIndices(client, prefix, shapes)))
      .filter(({ aliases, index }) => targets.includes(index) && aliases.length === 0)
      .map(({ index }) => index)
    yield* removeIndices(cluster, unused)
    return unused
  })
  const left = there.filter(({ index }) => targets.includes(index)).map(({ index }) => index)
  if (left.length > 0) {
    yield* confirm(
      `This deletes what an interrupted upgrade has left: ${left.join(", ")}. Continue only if none is running.`
    )
    // Keeps indices that another upgrade has put into use in the meantime.
    yield* removeUnused
  }

  // The upgrade is noted in the state, whose index may lack the fields of this version if no service of it has been
  // started.
  yield* attempt(() => prepareIndices(client, prefix, [stateIndex]))
  const created = copied.map(({ to }) => to)
  if (!(yield* attempt(() => createIndices(client, prefix, created, { withAliases: false })))) {
    return yield* clusterUnusable("another upgrade of it is running or has ended. Run upgrade again")
  }
  yield* Effect.gen(function* () {
    yield* attempt(() => waitUntilUsable(client, prefix))
    const named = (index: IndexShape) => {
      const shape = ofGeneration(index, generationIn(state))
      return { ...shape, version: usedOf(shape)?.version ?? shape.version }
    }
    const services = makeCluster(client, prefix, { named, strictLoads: state.strict_loads, vault })
    yield* usedOf(named(batchIndex)) === undefined
      ? refuseWrites(cluster, formers)
      : refuseWritesBetweenBatches(services, shapes, formers)
    yield* copyIndices(makeCluster(client, prefix, { concrete: true }), { client, copies: copied, progress, vault })
    yield* moveAliases(cluster, copied)
    const now = yield* attempt(() => findIndices(client, prefix, shapes))
    const unused = targets.find((target) => now.every(({ aliases, index }) => index !== target || aliases.length === 0))
    if (unused !== undefined) {
      return yield* clusterUnusable(`the index ${unused} did not get its alias. Run upgrade again`)
    }
  }).pipe(
    Effect.onError(() =>
      Effect.ignoreCause(
        Effect.gen(function* () {
          if ((yield* removeUnused).length === 0) return
          yield* changeState(cluster, (present) => ({ ...present, upgraded: state.upgraded }))
          yield* allowWrites(cluster, formers)
        })
      )
    )
  )
  return copied.map(({ to }) => to.name)
}, Effect.scoped)

const moveAliases = Effect.fnUntraced(function* (cluster: Cluster["Service"], copied: ReadonlyArray<IndexCopy>) {
  // Written first: running services of the former version read it before the aliases move, and must not use the new
  // indices.
  const upgraded = Object.fromEntries(copied.map(({ to }) => [to.name, to.version]))
  // The state may still know an index of this name from before the cluster was reset.
  const moved = new Set(copied.flatMap(({ from, to }) => [from, indexNameOf(cluster.prefix, to)]))
  const noted = yield* changeState(cluster, (state) => ({
    ...state,
    indices: Object.fromEntries(Object.entries(state.indices ?? {}).filter(([index]) => !moved.has(index))),
    upgraded: { ...state.upgraded, ...upgraded }
  }))
  if (noted === undefined) return yield* clusterUnusable("its indices were deleted")
  yield* cluster.call({
    method: "POST",
    path: "/_aliases",
    body: JSON.stringify({
      actions: copied.flatMap(({ from, to }) => [
        { remove_index: { index: from } },
        { add: { alias: aliasOf(cluster.prefix, to), index: indexNameOf(cluster.prefix, to), is_write_index: true } }
      ])
    }),
    // A lost answer: an earlier attempt has already deleted the former indices.
    accepted: [404],
    timeLimit: creationTimeLimit
  })
})
