/**
 * Encrypts the data of a cluster with a new key. Each index, which refuses writes meanwhile, is copied to a new one.
 * One write to the state then makes services use the new key and indices. Until then they use the former ones, so a run
 * that fails or is killed loses nothing.
 */
import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import type { ClusterOptions } from "../../../ClusterEngine.ts"
import { keepOnlyKey, keyCheckOf, newKeyBeside, readKeyFile, replaceKeyFile } from "../../../crypto/KeyFile.ts"
import { Vault } from "../../../crypto/Vault.ts"
import { type Cluster, makeCluster } from "../Cluster.ts"
import {
  allowWrites,
  areWritesRefused,
  copyIndices,
  type CopyProgress,
  type IndexCopy,
  refuseWritesBetweenBatches,
  removeIndices,
  shardsOf
} from "./ClusterCopy.ts"
import { checkIndices } from "../ClusterGuard.ts"
import { createIndices, findIndices, prepareIndices, waitUntilUsable } from "../ClusterIndices.ts"
import {
  changeState,
  clusterWithData,
  generationIn,
  keyOf,
  readState,
  type State,
  stateIndex
} from "../ClusterStart.ts"
import { attempt, clusterUnusable } from "../ClusterUnusable.ts"
import { indexNameOf, type IndexShape, type KeyedIndex, ofGeneration, withShards } from "../IndexDefinition.ts"

export interface Rotation<E, R> {
  readonly options: ClusterOptions
  /** All indices whose data is encrypted or indexed with the key. */
  readonly keyedIndices: ReadonlyArray<KeyedIndex>
  /** Other indices that contain data sealed with the key. They are not copied. */
  readonly resealedIndices: ReadonlyArray<IndexShape>
  /** Seals the data of `resealedIndices` with the new key, after services have started to use it. */
  readonly reseal: (cluster: Cluster["Service"], vault: Vault) => Effect.Effect<void>
  /** Asks whether to continue. `isRepeated` is true if a former run was killed or is still running. */
  readonly confirm: (isRepeated: boolean) => Effect.Effect<void, E, R>
  readonly progress: (progress: CopyProgress) => Effect.Effect<void>
}

/** Returns the names of the files with the former keys. */
export const rotateKey = Effect.fn("rotateKey")(function* <E, R>({
  confirm,
  keyedIndices,
  options,
  progress,
  reseal,
  resealedIndices
}: Rotation<E, R>) {
  const { keyFile, prefix } = options
  const { client, state: former } = yield* clusterWithData(options)
  const cluster = makeCluster(client, prefix)
  const present = yield* attempt(async () => keyOf(keyFile, former))
  const formerGeneration = generationIn(former)
  yield* confirm(former.next_generation !== undefined)
  const overtaken = clusterUnusable("another rotation of its key began or ended meanwhile")
  const isFormer = (state: State | undefined) =>
    state?.key_check === former.key_check && state.next_generation === former.next_generation
  if (!isFormer(yield* attempt(() => readState(client, prefix)))) return yield* overtaken

  const keyed = keyedIndices.map(({ index }) => ofGeneration(withShards(index, options.shards), formerGeneration))
  // The indices may lack fields of this version if no service of it has been started.
  yield* attempt(() => prepareIndices(client, prefix, [...keyed, ...resealedIndices, stateIndex]))
  yield* attempt(() => checkIndices(client, prefix, keyed, former.indices))
  const keys = attempt(async () => readKeyFile(keyFile) ?? [])
  const others = (yield* keys).filter((key) => keyCheckOf(key) !== keyCheckOf(present))
  const next = others.find((key) => keyCheckOf(key) === former.next_check) ?? newKeyBeside([present, ...others])
  const generation = yield* Effect.sync(() => randomBytes(6).toString("hex"))
  const begun = yield* changeState(cluster, (state) =>
    isFormer(state) ? { ...state, next_check: keyCheckOf(next), next_generation: generation } : undefined
  )
  if (begun === undefined) return yield* overtaken

  const formers = keyed.map((index) => indexNameOf(prefix, index))
  const targets = keyed.map((index) => ofGeneration(index, generation))
  yield* Effect.gen(function* () {
    if (!others.includes(next)) yield* attempt(async () => replaceKeyFile(keyFile, [present, ...others, next]))
    const there = yield* attempt(() => findIndices(client, prefix, keyed))
    yield* removeIndices(
      cluster,
      there.filter(({ generation }) => generation !== formerGeneration).map(({ index }) => index)
    )
    const copies = yield* Effect.forEach(keyedIndices, ({ index, rewriting }) => {
      const from = indexNameOf(prefix, ofGeneration(index, formerGeneration))
      return Effect.map(shardsOf(cluster, from), (shards): IndexCopy => ({
        from,
        to: ofGeneration(withShards(index, shards), generation),
        rewriting
      }))
    })
    yield* attempt(() =>
      createIndices(
        client,
        prefix,
        copies.map(({ to }) => to)
      )
    )
    yield* attempt(() => waitUntilUsable(client, prefix))
    const services = makeCluster(client, prefix, {
      named: (index) => ofGeneration(index, formerGeneration),
      strictLoads: former.strict_loads,
      vault: new Vault(present)
    })
    yield* refuseWritesBetweenBatches(services, keyed, formers)
    yield* copyIndices(cluster, { client, copies, progress, vault: new Vault(next, [present]) })
    // Another run may have ended in the meantime and replaced the key in the file.
    const isKept = (yield* keys).some((key) => keyCheckOf(key) === keyCheckOf(next))
    if (!isKept || !(yield* areWritesRefused(cluster, formers))) {
      return yield* clusterUnusable("another command changed its indices or the key file meanwhile")
    }
    yield* changeState(cluster, ({ next_generation, ...state }) =>
      next_generation === generation
        ? { ...state, key_check: `${keyCheckOf(next)}/${generation}`, next_check: null, revision: state.revision + 1 }
        : undefined
    )
    if (generationIn(yield* attempt(() => readState(client, prefix))) !== generation) return yield* overtaken
  }).pipe(
    Effect.onError(() =>
      Effect.ignoreCause(
        Effect.gen(function* () {
          const ended = yield* changeState(cluster, (state) =>
            state.next_generation === generation ? { ...state, next_generation: undefined } : undefined
          )
          // Services already use the new indices, or another run has begun.
          if (ended === undefined) return
          yield* allowWrites(cluster, formers)
          yield* removeIndices(
            cluster,
            targets.map((target) => indexNameOf(prefix, target))
          )
        })
      )
    )
  )
  yield* reseal(cluster, new Vault(next, [present, ...others.filter((key) => key !== next)]))
  yield* removeIndices(cluster, formers)
  return yield* attempt(async () => keepOnlyKey(keyFile, keyCheckOf(next)))
}, Effect.scoped)
