/**
 * Snapshots in a folder that each node can write to. A restore fills indices without aliases, which no service uses,
 * and adds all aliases in one step at the end.
 */
import { hash, randomInt, randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { ClusterOptions } from "../ClusterEngine.ts"
import { KeyFileUnusable } from "../crypto/KeyFile.ts"
import { type Cluster, makeCluster } from "./cluster/Cluster.ts"
import type { ClusterCall } from "./cluster/ClusterCall.ts"
import type { ClusterClient } from "./cluster/ClusterClient.ts"
import { checkReading } from "./cluster/ClusterGuard.ts"
import { ClusterRefusal } from "./cluster/ClusterRefusal.ts"
import { addAliases, createIndices, parseIndexName, findIndices } from "./cluster/ClusterIndices.ts"
import {
  allIndices,
  changeState,
  claimIndex,
  clusterClient,
  clusterLayer,
  ClusterState,
  clusterWithData,
  KeyedCluster,
  keyOf,
  stateId,
  stateIndex,
  type UsableVersions
} from "./cluster/ClusterStart.ts"
import { attempt, clusterUnusable } from "./cluster/ClusterUnusable.ts"
import { type IndexName, indexNameOf, type IndexShape } from "./cluster/IndexDefinition.ts"
import { BackupFailed, Backups, type Confirm, underAnotherKey } from "../backup/Backups.ts"

/** `indices` are those of every store. */
export const backupsOpenSearch = (options: ClusterOptions, indices: ReadonlyArray<IndexShape>) =>
  Layer.succeed(
    Backups,
    Backups.of({
      write: Effect.fnUntraced(
        function* <E, R>(folder: string, confirm: Confirm<E, R>) {
          const { cluster } = (yield* KeyedCluster).now
          // The layer has already checked the indices.
          const { check } = yield* ClusterState
          yield* withRepository(cluster, "backup", folder, (repository) =>
            writeSnapshot(cluster, { check, confirm, folder, repository, shapes: allIndices(indices, options) })
          )
        },
        Effect.provide(clusterLayer(options, indices)),
        // `clusterLayer` would create missing indices: fail first if the cluster has no data.
        (work) => Effect.andThen(Effect.scoped(clusterWithData(options)), work)
      ),
      restore: Effect.fnUntraced(function* <E, R>(folder: string, confirm: Confirm<E, R>) {
        const client = yield* clusterClient(options, versionsThatRestore)
        const cluster = makeCluster(client, options.prefix)
        const shapes = allIndices(indices, options)
        yield* withClaim(cluster, { client, confirm, folder, shapes }, (owned) =>
          withRepository(cluster, "restore", folder, (repository) =>
            restoreSnapshot(cluster, { client, folder, keyFile: options.keyFile, owned, repository, shapes })
          )
        )
      }, Effect.scoped)
    })
  )

/** 3.3 and 3.4 cannot restore an index with a sort order: https://github.com/opensearch-project/OpenSearch/issues/20073. */
const versionsThatRestore: UsableVersions = {
  include: (major, minor) => major > 3 || (major === 3 && minor !== 3 && minor !== 4),
  inWords: "versions 3.3 and 3.4 cannot restore a backup. Upgrade the nodes to 3.5 or later"
}

interface Backup<E, R> {
  readonly check: Effect.Effect<void>
  readonly confirm: Confirm<E, R>
  readonly folder: string
  /** The path of the repository, as in `/_snapshot/NAME`. */
  readonly repository: string
  readonly shapes: ReadonlyArray<IndexShape>
}

const writeSnapshot = Effect.fnUntraced(function* <E, R>(
  cluster: Cluster["Service"],
  { check, confirm, folder, repository, shapes }: Backup<E, R>
) {
  const makeFailure = (reason: string) => new BackupFailed({ file: folder, reason })
  const former = yield* snapshotsIn(cluster, repository)
  const last = former.findLast(isWhole)
  if (last !== undefined) {
    yield* confirm(
      `This replaces the backup of ${last.metadata.prefix} in ${folder}, from ${last.start_time}, by one of ${cluster.prefix} as of now.`
    )
  }
  const key_check = yield* keyCheck(cluster)
  const snapshot = `${repository}/${cluster.prefix}-${yield* Effect.sync(() => randomUUID())}`
  yield* Effect.gen(function* () {
    const begin: ClusterCall = {
      method: "PUT",
      path: snapshot,
      body: JSON.stringify({
        indices: shapes.map(cluster.nameOf).join(),
        include_global_state: false,
        metadata: { prefix: cluster.prefix, key_check }
      }),
      // A lost answer: an earlier attempt has already begun the snapshot.
      refusals: ["invalid_snapshot_name_exception"]
    }
    yield* callOrElse(cluster, begin, () => Effect.void)
    for (let poll = 0; ; poll += 1) {
      const { text } = yield* cluster.call({ method: "GET", path: snapshot, timeLimit })
      const [found] = backupsIn(text)
      if (found?.state === "SUCCESS") {
        if (found.indices.length < shapes.length) return yield* makeFailure("lacks an index: it was closed or deleted")
        break
      }
      if (found?.state !== "IN_PROGRESS") {
        return yield* makeFailure("cannot be written completely. The logs of the nodes say why")
      }
      yield* pause(poll)
    }
    yield* check
    if ((yield* keyCheck(cluster)) !== key_check) {
      return yield* makeFailure("is unusable: the key was rotated meanwhile. Run backup again")
    }
  }).pipe(Effect.onError(() => Effect.ignoreCause(remove(cluster, snapshot))))
  yield* Effect.forEach(former, ({ snapshot: name }) => remove(cluster, `${repository}/${name}`), { discard: true })
})

const claimId = "restore"

/** The existing indices of the stores. Fails if a service can use one of them. */
const findUnusedIndices = (client: ClusterClient, prefix: string, shapes: ReadonlyArray<IndexShape>) =>
  Effect.flatMap(
    attempt(() => findIndices(client, prefix, shapes)),
    (there) =>
      there.every(({ aliases }) => aliases.length === 0)
        ? Effect.succeed(there)
        : Effect.fail(
            clusterUnusable(
              `it holds data under the prefix ${prefix}, and a restore replaces nothing there. Name another --index-prefix, or delete the indices ${prefix}-* first`
            )
          )
  )

/**
 * Allows one restore of a prefix at a time. A killed restore leaves its claim, which the next one replaces after
 * confirmation. `owned` fails once another restore has replaced the claim, and otherwise prevents that.
 */
const withClaim = Effect.fnUntraced(function* <E, R, E2, R2>(
  cluster: Cluster["Service"],
  {
    client,
    confirm,
    folder,
    shapes
  }: Pick<Backup<E, R>, "confirm" | "folder" | "shapes"> & { readonly client: ClusterClient },
  use: (owned: Effect.Effect<void, BackupFailed>) => Effect.Effect<void, E2, R2>
) {
  const { prefix } = cluster
  const isRunning = new BackupFailed({ file: folder, reason: `must wait: another restore of ${prefix} is running` })
  const there = yield* findUnusedIndices(client, prefix, shapes)
  const [claimed] = yield* attempt(() => findIndices(client, prefix, [claimIndex]))
  const former = claimed === undefined ? undefined : yield* cluster.get(claimIndex, claimId)
  if (there.length > 0 || former !== undefined) {
    yield* confirm(
      `This deletes what an interrupted restore or migration has left: ${there.length} indices ${prefix}-*. Continue only if none is running.`
    )
    // Another restore may have ended in the meantime.
    yield* findUnusedIndices(client, prefix, shapes)
  }
  yield* attempt(() => createIndices(client, prefix, [claimIndex]))
  const run = yield* Effect.sync(() => randomUUID())
  yield* Effect.acquireUseRelease(
    cluster.put(claimIndex, claimId, { run }, former?.revision ?? "absent"),
    Effect.fnUntraced(function* (isFirst) {
      if (!isFirst) return yield* isRunning
      yield* use(
        Effect.gen(function* () {
          const claim = yield* cluster.get(claimIndex, claimId)
          const isOwn = claim?.document.run === run
          if (!isOwn || !(yield* cluster.put(claimIndex, claimId, { run }, claim.revision))) return yield* isRunning
        })
      )
    }),
    () =>
      Effect.ignoreCause(
        Effect.gen(function* () {
          if ((yield* cluster.get(claimIndex, claimId))?.document.run !== run) return
          yield* remove(cluster, `/${indexNameOf(prefix, claimIndex)}`)
        })
      )
  )
})

const restoreSnapshot = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  {
    client,
    folder,
    keyFile,
    owned,
    repository,
    shapes
  }: Omit<Backup<never, never>, "check" | "confirm"> & {
    readonly client: ClusterClient
    readonly keyFile: string
    readonly owned: Effect.Effect<void, BackupFailed>
  }
) {
  const { prefix } = cluster
  const makeFailure = (reason: string) => new BackupFailed({ file: folder, reason })
  const snapshot = (yield* snapshotsIn(cluster, repository)).findLast(isWhole)
  if (snapshot === undefined) return yield* makeFailure("cannot be used: the folder contains no complete backup")
  const { indices, metadata } = snapshot
  yield* Effect.try({
    try: () => keyOf(keyFile, metadata),
    catch: (cause) => (cause instanceof KeyFileUnusable ? underAnotherKey(folder, cause) : makeFailure(String(cause)))
  })
  const targets: Array<IndexName> = []
  for (const index of indices) {
    const defined = parseIndexName(metadata.prefix, index, shapes)
    if (
      defined === undefined ||
      shapes.some(({ name, version }) => name === defined.name && version < defined.version)
    ) {
      return yield* makeFailure("was made by a later version of this program")
    }
    targets.push(defined)
  }

  // No service has ever used an index without an alias.
  const removeUnused = Effect.gen(function* () {
    const there = yield* attempt(() => findIndices(client, prefix, shapes))
    const unused = there.filter(({ aliases }) => aliases.length === 0)
    if (unused.length > 0) yield* remove(cluster, `/${unused.map(({ index }) => index).join()}`)
  })
  yield* owned
  yield* removeUnused
  yield* Effect.gen(function* () {
    const begin: ClusterCall = {
      method: "POST",
      path: `${repository}/${snapshot.snapshot}/_restore`,
      body: JSON.stringify({
        indices: indices.join(),
        include_global_state: false,
        include_aliases: false,
        // An upgrade or a rotation that ran during the backup left this write block in the snapshot.
        ignore_index_settings: ["index.blocks.write"],
        rename_pattern: `^${metadata.prefix.replaceAll(".", "\\.")}-(.+)$`,
        rename_replacement: `${prefix}-$1`
      }),
      // A lost answer: an earlier attempt has already created the indices.
      refusals: ["snapshot_restore_exception"]
    }
    yield* callOrElse(cluster, begin, () => Effect.void)
    if (!(yield* isRestored(cluster, targets))) {
      return yield* makeFailure(
        "cannot be restored: it is damaged, or no node has room for it. The logs of the nodes say which"
      )
    }
    const restored = targets.map((target) => indexNameOf(prefix, target))
    yield* attempt(() =>
      checkReading(
        client,
        restored.map((index) => ({ alias: index, index }))
      )
    )
    yield* owned
    // A service that started in the meantime may have created its own indices.
    yield* findUnusedIndices(client, prefix, shapes)
    yield* addAliases(cluster, targets)
  }).pipe(Effect.onError(() => Effect.ignoreCause(Effect.andThen(owned, removeUnused))))
  // A new revision: running services must read the state again.
  yield* changeState(cluster, (state) => ({
    ...state,
    next_check: null,
    next_generation: undefined,
    revision: state.revision + randomInt(1, 2 ** 47)
  }))
})

/** Waits until each primary shard has its data; false if one cannot get it. */
const isRestored = Effect.fnUntraced(function* (cluster: Cluster["Service"], targets: ReadonlyArray<IndexName>) {
  const names = targets.map((target) => indexNameOf(cluster.prefix, target)).join()
  const columns = "prirep,state,unassigned.reason"
  for (let poll = 0, idle = 0; ; poll += 1) {
    const { status, text } = yield* cluster.call({
      method: "GET",
      path: `/_cat/shards/${names}?format=json&h=${columns}`,
      accepted: [404],
      timeLimit
    })
    if (status === 404) return false
    const primaries = decodeShards(text).filter(({ prirep }) => prirep === "p")
    if (primaries.every(({ state }) => state === "STARTED")) return true
    idle = primaries.some(({ state }) => state === "INITIALIZING") ? 0 : idle + 1
    const refused = primaries.some((shard) => shard["unassigned.reason"] === "ALLOCATION_FAILED")
    if (idle > (refused ? 1 : maxIdleTime)) return false
    yield* pause(poll)
  }
})

const keyCheck = (cluster: Cluster["Service"]) =>
  Effect.gen(function* () {
    const state = yield* cluster.get(stateIndex, stateId)
    return state === undefined ? yield* clusterUnusable("its indices were deleted") : state.document.key_check
  })

/**
 * Registers the folder as a repository while the effect runs. OpenSearch does not remove a repository that is in use,
 * so only one backup to a folder and one restore of a prefix run at a time, even if the command that started one was
 * killed.
 */
const withRepository = <A, E, R>(
  cluster: Cluster["Service"],
  purpose: "backup" | "restore",
  folder: string,
  use: (repository: string) => Effect.Effect<A, E, R>
) => {
  const which = purpose === "backup" ? `-${hash("sha256", folder, "hex").slice(0, 16)}` : ""
  const repository = `/_snapshot/${cluster.prefix}-${purpose}${which}`
  const makeFailure = (reason: string) => () => Effect.fail(new BackupFailed({ file: folder, reason }))
  const remove: ClusterCall = { ...removal(repository), refusals: ["illegal_state_exception"] }
  const register: ClusterCall = {
    method: "PUT",
    path: repository,
    body: JSON.stringify({ type: "fs", settings: { location: folder, readonly: purpose === "restore" } }),
    refusals: ["repository_exception", "repository_verification_exception"]
  }
  const unreachable =
    "cannot be used: OpenSearch reads and writes a folder only if each node has it, below one that path.repo in opensearch.yml names"
  return Effect.acquireUseRelease(
    callOrElse(cluster, remove, makeFailure(`must wait: another ${purpose} of ${cluster.prefix} is running`)),
    () => Effect.andThen(callOrElse(cluster, register, makeFailure(unreachable)), use(repository)),
    () => Effect.ignoreCause(cluster.call(remove))
  )
}

/** The backups in the folder, the oldest first. */
const snapshotsIn = (cluster: Cluster["Service"], repository: string) =>
  Effect.map(cluster.call({ method: "GET", path: `${repository}/_all`, timeLimit }), ({ text }) =>
    backupsIn(text).toSorted((a, b) => a.start_time_in_millis - b.start_time_in_millis)
  )

const removal = (path: string): ClusterCall => ({ method: "DELETE", path, accepted: [404], timeLimit })

const remove = (cluster: Cluster["Service"], path: string) => cluster.call(removal(path))

/** Runs `then` if OpenSearch refuses the call with one of its `refusals`. */
const callOrElse = <E, R>(cluster: Cluster["Service"], call: ClusterCall, then: () => Effect.Effect<void, E, R>) =>
  Effect.catchDefect(Effect.asVoid(cluster.call({ timeLimit, ...call })), (defect) =>
    defect instanceof ClusterRefusal && call.refusals?.some((refusal) => refusal === defect.type) === true
      ? then()
      : Effect.die(defect)
  )

const pause = (poll: number) => Effect.sleep(Math.min(2_000, 50 * 2 ** poll))

/** Number of successive polls, most of them two seconds apart, without a shard being restored. */
const maxIdleTime = 30

/** Milliseconds per call. The folder may be slow, for example a network drive. */
const timeLimit = 120_000

const Snapshot = Schema.Struct({
  snapshot: Schema.String,
  state: Schema.String,
  indices: Schema.Array(Schema.String),
  start_time: Schema.String,
  start_time_in_millis: Schema.Finite,
  metadata: Schema.Struct({
    prefix: Schema.String,
    key_check: Schema.String
  })
})

const isWhole = ({ state }: typeof Snapshot.Type): boolean => state === "SUCCESS"

/** The repository may also contain snapshots of other programs. */
const decodeSnapshots = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ snapshots: Schema.Array(Schema.Unknown) }))
)

const backupsIn = (text: string) => decodeSnapshots(text).snapshots.filter(Schema.is(Snapshot))

const decodeShards = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Array(
      Schema.Struct({
        prirep: Schema.String,
        state: Schema.String,
        "unassigned.reason": Schema.NullOr(Schema.String)
      })
    )
  )
)
