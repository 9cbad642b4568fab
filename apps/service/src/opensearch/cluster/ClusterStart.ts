/** Opens a cluster: checks that it can be used, creates missing indices, and finds the key of its data. */
import { setTimeout as sleep } from "node:timers/promises"
import { isDeepStrictEqual } from "node:util"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { CurrentVault } from "../../crypto/CurrentVault.ts"
import { createKeyFile, keyCheckOf, KeyFileUnusable, readKeyFile } from "../../crypto/KeyFile.ts"
import { Vault } from "../../crypto/Vault.ts"
import { StoreUnavailable } from "../../requests/StoreUnavailable.ts"
import { Cluster, counters, isAbsent, makeCluster } from "./Cluster.ts"
import type { ClusterOptions } from "../../ClusterEngine.ts"
import { ClusterClient } from "./ClusterClient.ts"
import { answerDecoder } from "./ClusterJson.ts"
import { errorIn, indexMissing } from "./ClusterRefusal.ts"
import { ForeignRecords } from "../../requests/ForeignRecords.ts"
import {
  behindAliases,
  checkIndices,
  findFilled,
  type KnownIndices,
  OtherDocuments,
  RepeatedCheck
} from "./ClusterGuard.ts"
import { findIndices, prepareIndices, waitUntilUsable } from "./ClusterIndices.ts"
import { attempt, clusterUnusable, unusable } from "./ClusterUnusable.ts"
import { type IndexDefinition, type IndexShape, keptOnly, ofGeneration, withShards } from "./IndexDefinition.ts"
import { SharedRun } from "./SharedRun.ts"
import { noStrictLoads, StrictLoads } from "./StrictLoadState.ts"
import { monotonicNow } from "../../MonotonicTime.ts"

/** The shared state of all services of a cluster: the key of the data, and the revision of the API keys. */
export class ClusterState extends Context.Service<
  ClusterState,
  {
    /**
     * The revision, which differs after any service changed an API key. Always reads the cluster after the call, and
     * makes the vault as new as the revision. Simultaneous requests share one read.
     */
    readonly revision: Effect.Effect<number>
    /**
     * The revision as of at most `stateLease` ago. Includes every change that was reported before the call, because
     * {@link changeState} waits longer than that.
     */
    recentRevision(): Effect.Effect<number>
    /**
     * Increases the revision. Call it before and after a change, so that a service that caches in between reads again.
     */
    readonly advance: Effect.Effect<void>
    /**
     * Fails unless the service reads all of its indices and nothing else: see `ClusterGuard.ts`. If that changes,
     * `revision` fails as well after some seconds.
     */
    readonly check: Effect.Effect<void>
    /** The latest result of `check`. It also fails if the check could not be completed. */
    readonly recentCheck: Effect.Effect<void>
  }
>()("@threat-exposure/service/opensearch/cluster/ClusterStart/ClusterState") {}

/** For indices that `Cluster` refuses: those whose data is encrypted with the key, or that strict loads write. */
export class KeyedCluster extends Context.Service<
  KeyedCluster,
  {
    /**
     * The current indices and the vault of their key. A request reads both once: after a rotation, it must not search
     * the new indices for digests made with the former key, nor write to them what it read before.
     */
    readonly now: KeyedIndices
  }
>()("@threat-exposure/service/opensearch/cluster/ClusterStart/KeyedCluster") {}

export interface KeyedIndices {
  readonly cluster: Cluster["Service"]
  readonly vault: Vault
}

/** The client of a cluster that answers and has a usable version. `versions` is narrower for some commands. */
export const clusterClient = (options: ClusterOptions, versions: UsableVersions = allCommands) =>
  Effect.tap(connections(options), (client) =>
    attempt(() => checkVersion(client, versions, options.startTimeLimit ?? 30_000))
  )

const connections = (options: ClusterOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => new ClusterClient(options)),
    (client) => Effect.promise(() => client.close())
  )

/** The client, and the state of the data under the prefix. Fails if the prefix has no data. */
export const clusterWithData = Effect.fnUntraced(function* (options: ClusterOptions) {
  const client = yield* clusterClient(options)
  const state = yield* attempt(() => readState(client, options.prefix))
  return state === undefined
    ? yield* clusterUnusable(`it holds no data under the prefix ${options.prefix}`)
    : { client, state }
})

/** The cluster, its state and its vault. `indices` are those of every store. */
export const clusterLayer = (options: ClusterOptions, indices: ReadonlyArray<IndexShape>) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { keyFile, prefix } = options
      const client = yield* clusterClient(options)
      // Separate connections: searches of tenants must not delay the state, the keys and the health checks.
      const control = yield* connections(options)
      // Checked before the first write, so that a wrong key file leaves nothing behind.
      const known = yield* attempt(() => readState(control, prefix))
      const key = yield* Effect.try({ try: () => keyOf(keyFile, known), catch: unusable })
      const shapes = allIndices(indices, options, generationIn(known))
      if (known === undefined) yield* attempt(() => requireNoData(control, prefix, shapes))
      yield* attempt(() =>
        prepareIndices(control, prefix, shapes, (there) => behindAliases(prefix, shapes, there, known?.indices))
      )
      yield* attempt(() => waitUntilUsable(control, prefix))
      const foreign = new ForeignRecords()
      const cluster = makeCluster(control, prefix, { foreign, named: requireUnkeyed })
      const first: State = known ?? { key_check: keyCheckOf(key), next_check: null, revision: 0 }
      if (known === undefined) yield* cluster.put(stateIndex, stateId, first, "absent")
      const vault = new ClusterVault({ client, control, foreign, options, indices })
      // Another service may have created the state first, with another key.
      const state = yield* attempt(() => vault.refresh())
      const found = yield* attempt(() => vault.check.run())
      if (!isDeepStrictEqual(found, state.indices)) yield* rememberIndices(cluster, found)
      const revision = Effect.callback<number>((resume) => {
        vault.refresh().then(
          ({ revision }) => resume(Effect.succeed(revision)),
          // The copy of the key file on this machine may lack the key of a rotation.
          (cause: unknown) =>
            resume(
              Effect.die(cause instanceof KeyFileUnusable ? new StoreUnavailable({ reason: cause.message }) : cause)
            )
        )
      })
      return Context.make(Cluster, cluster).pipe(
        Context.add(CurrentVault, vault),
        Context.add(KeyedCluster, vault),
        Context.add(ClusterState, {
          revision,
          recentRevision: () => {
            const { recent } = vault
            return recent === undefined ? revision : Effect.succeed(recent.revision)
          },
          advance: Effect.asVoid(changeState(cluster, (state) => ({ ...state, revision: state.revision + 1 }))),
          check: Effect.promise(() => vault.check.run()),
          recentCheck: Effect.flatMap(
            Effect.promise(() => vault.check.failure()),
            (failure) => (failure === undefined ? Effect.void : Effect.die(failure))
          )
        })
      )
    })
  )

const State = Schema.Struct({
  /**
   * The check of the data's key, followed by a slash and the generation of the indices, if they have one. An earlier
   * version, which does not know generations, takes this for the check of another key and refuses to start.
   */
  key_check: Schema.String,
  /** The check of the new key, while a rotation is running or after it was killed. */
  next_check: Schema.NullOr(Schema.String),
  /**
   * The generation of the indices that a rotation is filling. Each rotation has its own, and stops when it finds
   * another one here.
   */
  next_generation: Schema.optional(Schema.String),
  revision: Schema.Int,
  strict_loads: Schema.optional(StrictLoads),
  /** The UUIDs of the indices in use, by index name. */
  indices: Schema.optional(Schema.Record(Schema.String, Schema.String)),
  /**
   * The version to which each index was upgraded, by name. An earlier version of the program must not use the index.
   */
  upgraded: Schema.optional(Schema.Record(Schema.String, Schema.Int))
})
export interface State extends Schema.Schema.Type<typeof State> {}

export const stateIndex: IndexDefinition<State> = {
  name: "state",
  version: 1,
  properties: {
    key_check: { type: "keyword", index: false },
    next_check: { type: "keyword", index: false },
    next_generation: keptOnly,
    revision: { type: "long", index: false },
    strict_loads: { type: "object", enabled: false },
    indices: { type: "object", enabled: false },
    upgraded: { type: "object", enabled: false }
  },
  document: State
}

export const stateId = "state"

/**
 * Milliseconds for which a service reuses a state that it has read, so that a search under load needs no additional
 * call.
 */
export const stateLease = 25

/**
 * Changes the state; `undefined` leaves it unchanged. When this completes, no service accepts a request under the
 * former state: it waits for twice the lease, because a timer may fire slightly early.
 */
export const changeState = (cluster: Cluster["Service"], change: (state: State) => State | undefined) =>
  Effect.tap(
    cluster.update(stateIndex, stateId, (state) => (state === undefined ? undefined : change(state))),
    (changed) => (changed === undefined ? Effect.void : Effect.promise(() => sleep(2 * stateLease)))
  )

export const rememberIndices = (cluster: Cluster["Service"], indices: KnownIndices) =>
  changeState(cluster, (state) => ({ ...state, indices }))

/** Marks a restore that is in progress or was killed. */
export const claimIndex: IndexDefinition<{ readonly run: string }> = {
  name: "restore",
  version: 1,
  properties: { run: keptOnly },
  document: Schema.Struct({ run: Schema.String })
}

/** Creating a state beside data, or during a restore, would start with an empty data set. */
const requireNoData = async (client: ClusterClient, prefix: string, shapes: ReadonlyArray<IndexShape>) => {
  const there = await findIndices(client, prefix, [...shapes, claimIndex])
  if (there.some(({ name }) => name === claimIndex.name)) {
    throw clusterUnusable(
      `a restore under the prefix ${prefix} is under way, or was cut off. Wait for it, or run it again`
    )
  }
  const used = there.filter(({ aliases, isClosed }) => aliases.length > 0 && !isClosed).map(({ index }) => index)
  const filled = used.length === 0 ? undefined : await findFilled(client, used)
  // Another service may have created the state in the meantime.
  if (filled !== undefined && (await readState(client, prefix)) === undefined) {
    throw clusterUnusable(
      `the index ${filled} has data, and ${prefix}-${stateIndex.name} has no state: restore a backup under another --index-prefix`
    )
  }
}

/** The indices of the stores and of the cluster itself, with their shards and generation. */
export const allIndices = (
  indices: ReadonlyArray<IndexShape>,
  { shards }: Pick<ClusterOptions, "shards">,
  generation?: string
): ReadonlyArray<IndexShape> =>
  [...indices, stateIndex, counters].map((index) => ofGeneration(withShards(index, shards), generation))

const requireUnkeyed = (index: IndexShape): IndexShape => {
  if (index.isKeyed !== true) return index
  throw new TypeError(`The index ${index.name} holds what is under a key: use it through KeyedCluster`)
}

const decodeState = answerDecoder("a request for the state", Schema.Struct({ _source: State }))

/** Undefined if the cluster has no data under this prefix. */
export const readState = async (client: ClusterClient, prefix: string): Promise<State | undefined> => {
  const answer = await client.call({
    method: "GET",
    path: `/${prefix}-${stateIndex.name}/_doc/${stateId}`,
    accepted: [404]
  })
  const isMissing = answer.status === 404 && errorIn(answer.text)?.type === indexMissing
  return isMissing || isAbsent(answer) ? undefined : decodeState(answer.text)._source
}

interface OpenedCluster {
  readonly client: ClusterClient
  /** Separate connections for the state, the keys and the checks. */
  readonly control: ClusterClient
  readonly foreign: ForeignRecords
  readonly options: ClusterOptions
  readonly indices: ReadonlyArray<IndexShape>
}

/** The cluster state as it was last read, with its vault and the indices of its key. */
class ClusterVault {
  readonly #opened: OpenedCluster
  /** Shared by all states of the cluster. */
  readonly #materializing = new SharedRun<Cluster["Service"]>()
  #now: KeyedIndices | undefined
  #state: State | undefined
  /** When the last request for the state was sent, in milliseconds of `monotonicNow`. */
  #askedAt = Number.NEGATIVE_INFINITY
  readonly check = new RepeatedCheck(() => this.#check())
  #running: Promise<State> | undefined
  #next: Promise<State> | undefined

  constructor(opened: OpenedCluster) {
    this.#opened = opened
  }

  get now(): KeyedIndices {
    if (this.#now === undefined) throw new StoreUnavailable({ reason: "the key of the data is not known yet" })
    return this.#now
  }

  get vault(): Vault {
    return this.now.vault
  }

  /** The state as of at most `stateLease` ago; undefined if it is older. */
  get recent(): State | undefined {
    return monotonicNow() - this.#askedAt < stateLease ? this.#state : undefined
  }

  /** The state at some time after the call. Simultaneous calls share one read. */
  refresh(): Promise<State> {
    if (this.#running === undefined) return this.#start()
    // The read in progress may have been answered before this call.
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start()
    )
    return this.#next
  }

  /** Returns the indices in use. */
  async #check(): Promise<KnownIndices> {
    const { control, indices, options } = this.#opened
    const state = this.#state
    const shapes = allIndices(indices, options, generationIn(state))
    try {
      return await checkIndices(control, options.prefix, shapes, state?.indices)
    } catch (cause) {
      // A rotation, which deletes the former indices, ended in the meantime.
      if (generationIn(this.#state) === generationIn(state)) throw cause
      return this.#check()
    }
  }

  #start(): Promise<State> {
    this.#next = undefined
    const running = this.#ask().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }

  async #ask(): Promise<State> {
    const { client, control, foreign, indices, options } = this.#opened
    const { keyFile, prefix } = options
    const askedAt = monotonicNow()
    const state = await readState(control, prefix)
    if (state === undefined) throw new StoreUnavailable({ reason: "its indices were deleted: restart the service" })
    const { upgraded = {} } = state
    if (indices.some(({ name, version }) => (upgraded[name] ?? 0) > version)) {
      throw new StoreUnavailable({ reason: "a later version of this program upgraded its indices. Start that version" })
    }
    const known = this.#state
    const isSameKey = known?.key_check === state.key_check
    const strictLoads = state.strict_loads ?? noStrictLoads
    if (!isSameKey || !isDeepStrictEqual(this.#now?.cluster.strictLoads, strictLoads)) {
      const generation = generationIn(state)
      const vault = isSameKey ? this.vault : vaultOf(keyFile, state)
      this.#now = {
        cluster: makeCluster(client, prefix, {
          foreign,
          materializing: this.#materializing,
          named: (index) => ofGeneration(index, generation),
          strictLoads,
          vault
        }),
        vault
      }
    }
    this.#state = state
    // An incomplete check is no reason to refuse the cluster's answers.
    const failure = known === undefined ? undefined : await this.check.failure()
    if (failure instanceof OtherDocuments) throw failure
    this.#askedAt = askedAt
    return state
  }
}

/** The generation of the indices of the key; undefined before the first rotation. */
export const generationIn = (state: Pick<State, "key_check"> | undefined): string | undefined =>
  state?.key_check.split("/")[1]

/** The key of the data. Throws `KeyFileUnusable`. For a cluster without data, creates the file if it is missing. */
export const keyOf = (keyFile: string, state: Pick<State, "key_check"> | undefined): Uint8Array => {
  const keys = readKeyFile(keyFile)
  if (state === undefined) {
    const [present = createKeyFile(keyFile)] = keys ?? []
    return present
  }
  if (keys === undefined) {
    throw new KeyFileUnusable({ keyFile, reason: "it is missing, and the cluster holds data encrypted with it" })
  }
  const [check] = state.key_check.split("/")
  const present = keys.find((key) => keyCheckOf(key) === check)
  if (present !== undefined) return present
  throw new KeyFileUnusable({
    keyFile,
    reason: "it belongs to other data, or the key was rotated since it was copied from another machine"
  })
}

/**
 * The vault of the data. It also decrypts with the other keys of the file, because some API keys are sealed with the
 * former key until a rotation ends. Throws like {@link keyOf}.
 */
export const vaultOf = (keyFile: string, state: Pick<State, "key_check">): Vault => {
  const key = keyOf(keyFile, state)
  const others = readKeyFile(keyFile) ?? []
  return new Vault(
    key,
    others.filter((other) => !Buffer.from(other).equals(key))
  )
}

export interface UsableVersions {
  readonly include: (major: number, minor: number) => boolean
  /** The end of an error message that names the current version: which versions are needed. */
  readonly inWords: string
}

const allCommands: UsableVersions = {
  include: (major) => major >= 3,
  inWords: "OpenSearch 3 or later is needed"
}

const checkVersion = async (client: ClusterClient, usable: UsableVersions, timeLimit: number): Promise<void> => {
  const { text } = await client.call({ method: "GET", path: "/", timeLimit, isFirst: true })
  const { distribution = "another server", number } = decodeRoot(text).version
  const [major = 0, minor = 0] = number.split(".").map(Number)
  if (distribution !== "opensearch" || !usable.include(major, minor)) {
    throw clusterUnusable(`it is ${distribution} ${number}, and ${usable.inWords}`)
  }
}

const decodeRoot = (text: string) => {
  try {
    return decodeRootJson(text)
  } catch {
    throw clusterUnusable("the server at the URL is not OpenSearch")
  }
}

const decodeRootJson = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      version: Schema.Struct({ number: Schema.String, distribution: Schema.optional(Schema.String) })
    })
  )
)
