/**
 * Snapshots in a folder that each node can write to. A restore fills indices without aliases, which no service uses, and adds
 * all aliases in one step at the end.
 */
import { hash, randomInt, randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { KeyFileUnusable } from "../crypto/KeyFile.ts"
import { Cluster, makeCluster } from "../opensearch/Cluster.ts"
import { type ClusterCall, type ClusterClient, ClusterRefusal } from "../opensearch/ClusterClient.ts"
import {
  addAliases,
  allIndices,
  attempt,
  clusterClient,
  clusterLayer,
  type ClusterOptions,
  ClusterUnusable,
  definedBy,
  existingIndices,
  keysOf,
  stateId,
  stateIndex
} from "../opensearch/ClusterStart.ts"
import { indexNameOf, type IndexShape } from "../opensearch/IndexDefinition.ts"
import { BackupFailed, Backups, type Confirm, underAnotherKey } from "./Backups.ts"

/** `indices` are those of every store. */
export const backupsOpenSearch = (options: ClusterOptions, indices: ReadonlyArray<IndexShape>) =>
  Layer.succeed(
    Backups,
    Backups.of({
      write: Effect.fnUntraced(
        function* <E, R>(folder: string, confirm: Confirm<E, R>) {
          const cluster = yield* Cluster
          yield* withRepository(cluster, "backup", folder, (repository) =>
            writeSnapshot(cluster, { confirm, folder, repository, shapes: allIndices(indices, options) })
          )
        },
        Effect.provide(clusterLayer(options, indices))
      ),
      restore: Effect.fnUntraced(function* <E, R>(folder: string, confirm: Confirm<E, R>) {
        const client = yield* clusterClient(options)
        const cluster = makeCluster(client, options.prefix)
        yield* withRepository(cluster, "restore", folder, (repository) =>
          restoreSnapshot(cluster, {
            client,
            confirm,
            folder,
            keyFile: options.keyFile,
            repository,
            shapes: allIndices(indices, options)
          })
        )
      }, Effect.scoped)
    })
  )

interface Backup<E, R> {
  readonly confirm: Confirm<E, R>
  readonly folder: string
  /** As it stands in a path. */
  readonly repository: string
  readonly shapes: ReadonlyArray<IndexShape>
}

const writeSnapshot = Effect.fnUntraced(function* <E, R>(
  cluster: Cluster["Service"],
  { confirm, folder, repository, shapes }: Backup<E, R>
) {
  const failed = (reason: string) => new BackupFailed({ file: folder, reason })
  const former = yield* snapshotsIn(cluster, repository)
  const last = former.findLast(isWhole)
  if (last !== undefined) {
    yield* confirm(
      `This replaces the backup of ${last.metadata.prefix} in ${folder}, from ${last.start_time}, by one of ${cluster.prefix} as of now.`
    )
  }
  const keys = yield* keyChecks(cluster)
  const snapshot = `${repository}/${cluster.prefix}-${yield* Effect.sync(() => randomUUID())}`
  yield* Effect.gen(function* () {
    const begin: ClusterCall = {
      method: "PUT",
      path: snapshot,
      body: JSON.stringify({
        indices: shapes.map(cluster.alias).join(),
        include_global_state: false,
        metadata: { prefix: cluster.prefix, ...keys }
      }),
      // By an earlier attempt, of which no answer came.
      refusals: ["invalid_snapshot_name_exception"]
    }
    yield* calling(cluster, begin, () => Effect.void)
    for (let poll = 0; ; poll += 1) {
      const { text } = yield* cluster.call({ method: "GET", path: snapshot, timeLimit })
      const [found] = backupsIn(text)
      if (found?.state === "SUCCESS") break
      if (found?.state !== "IN_PROGRESS") {
        return yield* failed("cannot be written whole. The logs of the nodes say why")
      }
      yield* pause(poll)
    }
    const { key_check, next_check } = yield* keyChecks(cluster)
    if (key_check !== keys.key_check || next_check !== keys.next_check) {
      return yield* failed("is of no use: a rotation of the key began or ended meanwhile. Run backup again")
    }
  }).pipe(Effect.onError(() => Effect.ignoreCause(remove(cluster, snapshot))))
  yield* Effect.forEach(former, ({ snapshot: name }) => remove(cluster, `${repository}/${name}`), { discard: true })
})

const restoreSnapshot = Effect.fnUntraced(function* <E, R>(
  cluster: Cluster["Service"],
  {
    client,
    confirm,
    folder,
    keyFile,
    repository,
    shapes
  }: Backup<E, R> & { readonly client: ClusterClient; readonly keyFile: string }
) {
  const { prefix } = cluster
  const failed = (reason: string) => new BackupFailed({ file: folder, reason })
  const snapshot = (yield* snapshotsIn(cluster, repository)).findLast(isWhole)
  if (snapshot === undefined) return yield* failed("cannot be used: the folder holds none that is whole")
  // Another restore may have registered its folder in the meantime, and this would be a backup there.
  const { text } = yield* cluster.call({ method: "GET", path: repository, timeLimit })
  if (!text.includes(JSON.stringify(folder))) return yield* failed(`must wait: another restore of ${prefix} is running`)
  const { indices, metadata } = snapshot
  yield* Effect.try({
    try: () => {
      const { next } = keysOf(keyFile, metadata)
      if (metadata.next_check !== null && next === undefined) {
        throw new KeyFileUnusable({
          keyFile,
          reason: "the backup was made during a rotation, and one of its keys is missing"
        })
      }
    },
    catch: (cause) => (cause instanceof KeyFileUnusable ? underAnotherKey(folder, cause) : failed(String(cause)))
  })
  const targets: Array<Pick<IndexShape, "name" | "version">> = []
  for (const index of indices) {
    const defined = definedBy(metadata.prefix, index, shapes)
    if (
      defined === undefined ||
      shapes.some(({ name, version }) => name === defined.name && version < defined.version)
    ) {
      return yield* failed("was made by a later version of this program")
    }
    targets.push(defined)
  }

  const there = yield* attempt(() => existingIndices(client, prefix, shapes))
  if (there.some(({ aliases }) => aliases.length > 0)) {
    return yield* new ClusterUnusable({
      reason: `it holds data under the prefix ${prefix}, and a restore replaces nothing there. Name another --index-prefix, or delete the indices ${prefix}-* first`
    })
  }
  // Whatever is without an alias: no service has ever used it.
  const removeUnused = Effect.gen(function* () {
    const unused = (yield* attempt(() => existingIndices(client, prefix, shapes))).filter(
      ({ aliases }) => aliases.length === 0
    )
    if (unused.length > 0) yield* remove(cluster, `/${unused.map(({ index }) => index).join()}`)
  })
  if (there.length > 0) {
    yield* confirm(
      `This deletes what a restore or a migration that was cut off has left: ${there.length} indices ${prefix}-*.`
    )
    yield* removeUnused
  }
  yield* Effect.gen(function* () {
    const begin: ClusterCall = {
      method: "POST",
      path: `${repository}/${snapshot.snapshot}/_restore`,
      body: JSON.stringify({
        indices: indices.join(),
        include_global_state: false,
        include_aliases: false,
        rename_pattern: `^${metadata.prefix.replaceAll(".", "\\.")}-(.+)$`,
        rename_replacement: `${prefix}-$1`
      }),
      // The indices are there by an earlier attempt, of which no answer came.
      refusals: ["snapshot_restore_exception"]
    }
    yield* calling(cluster, begin, () => Effect.void)
    if (!(yield* isRestored(cluster, targets))) {
      return yield* failed(
        "cannot be restored: it is damaged, or no node has room for it. The logs of the nodes say which"
      )
    }
    yield* addAliases(cluster, targets)
  }).pipe(Effect.onError(() => Effect.ignoreCause(removeUnused)))
  // Differs from every revision that a running service may know.
  yield* cluster.update(stateIndex, stateId, (state) =>
    state === undefined ? undefined : { ...state, revision: state.revision + randomInt(1, 2 ** 47) }
  )
})

/** Once each primary has its data; false if one cannot have it. */
const isRestored = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  targets: ReadonlyArray<Pick<IndexShape, "name" | "version">>
) {
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
    if (idle > (refused ? 1 : longestIdleness)) return false
    yield* pause(poll)
  }
})

const keyChecks = (cluster: Cluster["Service"]) =>
  Effect.gen(function* () {
    const state = yield* cluster.get(stateIndex, stateId)
    if (state === undefined) return yield* new ClusterUnusable({ reason: "its indices were deleted" })
    const { key_check, next_check } = state.document
    return { key_check, next_check }
  })

/**
 * Registers the folder while it is used. OpenSearch removes no repository that it is reading or writing, so there is one
 * backup to a folder and one restore of a prefix at a time, also after the command that began it was killed.
 */
const withRepository = <A, E, R>(
  cluster: Cluster["Service"],
  purpose: "backup" | "restore",
  folder: string,
  use: (repository: string) => Effect.Effect<A, E, R>
) => {
  const which = purpose === "backup" ? `-${hash("sha256", folder, "hex").slice(0, 16)}` : ""
  const repository = `/_snapshot/${cluster.prefix}-${purpose}${which}`
  const failed = (reason: string) => () => Effect.fail(new BackupFailed({ file: folder, reason }))
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
    calling(cluster, remove, failed(`must wait: another ${purpose} of ${cluster.prefix} is running`)),
    () => Effect.andThen(calling(cluster, register, failed(unreachable)), use(repository)),
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

/** `then` is done where OpenSearch refuses the call with one of its `refusals`. */
const calling = <E, R>(cluster: Cluster["Service"], call: ClusterCall, then: () => Effect.Effect<void, E, R>) =>
  Effect.catchDefect(Effect.asVoid(cluster.call({ timeLimit, ...call })), (defect) =>
    defect instanceof ClusterRefusal && call.refusals?.includes(defect.type) === true ? then() : Effect.die(defect)
  )

const pause = (poll: number) => Effect.sleep(Math.min(2_000, 50 * 2 ** poll))

/** Polls, of which most are two seconds apart, without a shard that is being restored. */
const longestIdleness = 30

/** Milliseconds. A folder may be slow, as on a network. */
const timeLimit = 120_000

const Snapshot = Schema.Struct({
  snapshot: Schema.String,
  state: Schema.String,
  indices: Schema.Array(Schema.String),
  start_time: Schema.String,
  start_time_in_millis: Schema.Finite,
  metadata: Schema.Struct({
    prefix: Schema.String,
    key_check: Schema.String,
    next_check: Schema.NullOr(Schema.String)
  })
})

const isWhole = ({ state }: typeof Snapshot.Type): boolean => state === "SUCCESS"

/** A folder may hold snapshots of others, too. */
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
