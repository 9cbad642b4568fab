/** Opens a cluster: checks that it can be used, creates what is missing, and finds the key of its data. */
import { setTimeout as sleep } from "node:timers/promises"
import { isDeepStrictEqual } from "node:util"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { createKeyFile, keyCheckOf, KeyFileUnusable, readKeyFile } from "../crypto/KeyFile.ts"
import { Vault } from "../crypto/Vault.ts"
import { StoreUnavailable } from "../requests/StoreUnavailable.ts"
import { Cluster, counters, makeCluster } from "./Cluster.ts"
import { ClusterRefusal } from "./ClusterCall.ts"
import { type ClusterAddress, ClusterClient } from "./ClusterClient.ts"
import {
  aliasOf,
  type IndexDefinition,
  type IndexName,
  indexNameOf,
  type IndexShape,
  keptOnly,
  ofGeneration,
  smallIndex,
  withShards,
  writeIdField
} from "./IndexDefinition.ts"
import { hitsIn } from "./SearchAnswer.ts"
import { noStrictLoads, StrictLoads } from "./StrictLoadState.ts"

export interface ClusterOptions extends ClusterAddress {
  readonly prefix: string
  readonly keyFile: string
  /** Primary shards of each index that grows, where the start creates it. Default: 3. */
  readonly shards?: number | undefined
  /** Milliseconds for which a start waits for an answer. */
  readonly startTimeLimit?: number
  /** Milliseconds after which a request is answered with 503. With what is sent meanwhile, it must end within 30 seconds. */
  readonly requestTimeLimit?: number
}

/** The cluster cannot be used as it is. Nothing was written. */
export class ClusterUnusable extends Schema.TaggedError<ClusterUnusable>()("ClusterUnusable", {
  reason: Schema.String
}) {
  override get message() {
    return `OpenSearch cannot be used: ${this.reason}`
  }
}

/** The shared state of all services of a cluster: the key of the data, and the revision of the API keys. */
export class ClusterState extends Context.Service<
  ClusterState,
  {
    /**
     * Differs after an API key was changed by any service. Asks the cluster after it was called, so that a change which was
     * reported before is seen; the vault is as new as this. Requests that arrive together share one question.
     */
    readonly revision: Effect.Effect<number>
    /** Call it before and after a change: a service that caches in between asks again. */
    readonly advance: Effect.Effect<void>
  }
>()("@threat-exposure/service/opensearch/ClusterStart/ClusterState") {}

/** For indices with data encrypted with the key, which `Cluster` itself refuses, or that strict loads write. */
export class KeyedCluster extends Context.Service<
  KeyedCluster,
  {
    /**
     * The indices under the key of this moment, and its vault. A request takes both once: after a rotation, it must neither
     * look for former digests in the next indices nor write there what it read before.
     */
    readonly now: KeyedIndices
  }
>()("@threat-exposure/service/opensearch/ClusterStart/KeyedCluster") {}

export interface KeyedIndices {
  readonly cluster: Cluster["Service"]
  readonly vault: Vault
}

/** The client of a cluster that answers and is of a version that can be used. */
export const clusterClient = (options: ClusterOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => new ClusterClient(options)),
    (client) => Effect.promise(() => client.close())
  ).pipe(Effect.tap((client) => attempt(() => checkVersion(client, options.startTimeLimit ?? 30_000))))

/** The client, and the state of the data under the prefix; fails if there is none. */
export const clusterWithData = Effect.fnUntraced(function* (options: ClusterOptions) {
  const client = yield* clusterClient(options)
  const state = yield* attempt(() => readState(client, options.prefix))
  return state === undefined
    ? yield* new ClusterUnusable({ reason: `it holds no data under the prefix ${options.prefix}` })
    : { client, state }
})

/** The cluster, its state and its vault. `indices` are those of every store. */
export const clusterLayer = (options: ClusterOptions, indices: ReadonlyArray<IndexShape>) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { keyFile, prefix } = options
      const client = yield* clusterClient(options)
      // Before the first write: a wrong key file must not leave anything behind.
      const known = yield* attempt(() => readState(client, prefix))
      const key = yield* Effect.try({ try: () => keyOf(keyFile, known), catch: unusable })
      yield* attempt(() => prepareIndices(client, prefix, allIndices(indices, options, generationIn(known))))
      yield* attempt(() => waitUntilUsable(client, prefix))
      const cluster = makeCluster(client, prefix, { named: unkeyed })
      const first: State = known ?? { key_check: keyCheckOf(key), next_check: null, revision: 0 }
      if (known === undefined) yield* cluster.put(stateIndex, stateId, first, "absent")
      const vault = new ClusterVault(client, options, indices)
      // Another service may have been first, with another key.
      yield* attempt(() => vault.refresh())
      return Context.make(Cluster, cluster).pipe(
        Context.add(CurrentVault, vault),
        Context.add(KeyedCluster, vault),
        Context.add(ClusterState, {
          revision: Effect.callback<number>((resume) => {
            vault.refresh().then(
              ({ revision }) => resume(Effect.succeed(revision)),
              // A copy of the key file on this machine may lack the key of a rotation.
              (cause: unknown) =>
                resume(
                  Effect.die(cause instanceof KeyFileUnusable ? new StoreUnavailable({ reason: cause.message }) : cause)
                )
            )
          }),
          advance: Effect.asVoid(
            cluster.update(stateIndex, stateId, (state) =>
              state === undefined ? undefined : { ...state, revision: state.revision + 1 }
            )
          )
        })
      )
    })
  )

export const attempt = <A>(work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: unusable })

const State = Schema.Struct({
  /**
   * Of the key that the data is under, and after a slash the generation of the indices under it, where there is one. An earlier
   * version of the program knows no generations: it takes this for the check of another key, and refuses to start.
   */
  key_check: Schema.String,
  /** Of the new key of a rotation that is running or was killed. */
  next_check: Schema.NullOr(Schema.String),
  /** Of the indices that a rotation is filling. Each run has its own, and is over when it finds another one here. */
  next_generation: Schema.optional(Schema.String),
  revision: Schema.Int,
  strict_loads: Schema.optional(StrictLoads),
  /** By the name of an index, the version to which it was upgraded: an earlier version of the program must not use it. */
  upgraded: Schema.optional(Schema.Record(Schema.String, Schema.Int))
})
export interface State extends Schema.Schema.Type<typeof State> {}

export const stateIndex: IndexDefinition<State> = {
  name: "state",
  version: 1,
  settings: smallIndex,
  properties: {
    key_check: { type: "keyword", index: false },
    next_check: { type: "keyword", index: false },
    next_generation: keptOnly,
    revision: { type: "long", index: false },
    strict_loads: { type: "object", enabled: false },
    upgraded: { type: "object", enabled: false }
  },
  document: State
}

export const stateId = "state"

/** Those of the stores, and those of the cluster itself, as they are created and named. */
export const allIndices = (
  indices: ReadonlyArray<IndexShape>,
  { shards }: Pick<ClusterOptions, "shards">,
  generation?: string
): ReadonlyArray<IndexShape> =>
  [...indices, stateIndex, counters].map((index) => ofGeneration(withShards(index, shards), generation))

const unkeyed = (index: IndexShape): IndexShape => {
  if (index.isKeyed !== true) return index
  throw new TypeError(`The index ${index.name} holds what is under a key: use it through KeyedCluster`)
}

const decodeState = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ _source: State })))

const decodeStateSource = Schema.decodeUnknownSync(State)

/** Each write of the state is visible to searches before it is answered. */
const stateSearch = JSON.stringify({ size: 1, track_total_hits: false, query: { ids: { values: [stateId] } } })

/** Undefined in a cluster without data of this prefix. */
export const readState = async (client: ClusterClient, prefix: string): Promise<State | undefined> => {
  const { status, text } = await client.call({
    method: "GET",
    path: `/${prefix}-${stateIndex.name}/_doc/${stateId}`,
    accepted: [404]
  })
  return status === 404 ? undefined : decodeState(text)._source
}

/** The state of the cluster as of the last question, with its vault and the indices under its key. */
class ClusterVault {
  readonly #client: ClusterClient
  readonly #options: ClusterOptions
  readonly #indices: ReadonlyArray<IndexShape>
  #now: KeyedIndices | undefined
  #state: State | undefined
  #running: Promise<State> | undefined
  #next: Promise<State> | undefined

  constructor(client: ClusterClient, options: ClusterOptions, indices: ReadonlyArray<IndexShape>) {
    this.#client = client
    this.#options = options
    this.#indices = indices
  }

  get now(): KeyedIndices {
    if (this.#now === undefined) throw new StoreUnavailable({ reason: "the key of the data is not known yet" })
    return this.#now
  }

  get vault(): Vault {
    return this.now.vault
  }

  /** The state at some time after the call. */
  refresh(): Promise<State> {
    if (this.#running === undefined) return this.#start()
    // The question under way may have been answered before this call.
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start()
    )
    return this.#next
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
    const { keyFile, prefix } = this.#options
    const answer = await this.#client.searches.search({ index: `${prefix}-${stateIndex.name}`, body: stateSearch })
    const [state] = hitsIn(answer).map(({ _source }) => decodeStateSource(_source))
    if (state === undefined) throw new StoreUnavailable({ reason: "its indices were deleted: restart the service" })
    const { upgraded = {} } = state
    if (this.#indices.some(({ name, version }) => (upgraded[name] ?? 0) > version)) {
      throw new StoreUnavailable({ reason: "a later version of this program upgraded its indices. Start that version" })
    }
    const known = this.#state
    const isSameKey = known?.key_check === state.key_check
    const strictLoads = state.strict_loads ?? noStrictLoads
    if (!isSameKey || !isDeepStrictEqual(this.#now?.cluster.strictLoads, strictLoads)) {
      const generation = generationIn(state)
      this.#now = {
        cluster: makeCluster(this.#client, prefix, { named: (index) => ofGeneration(index, generation), strictLoads }),
        vault: isSameKey ? this.vault : new Vault(keyOf(keyFile, state))
      }
    }
    this.#state = state
    return state
  }
}

/** Of the indices under the key. */
export const generationIn = (state: Pick<State, "key_check"> | undefined): string | undefined =>
  state?.key_check.split("/")[1]

/** Throws `KeyFileUnusable`. Creates the file for a cluster without data. */
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

const checkVersion = async (client: ClusterClient, timeLimit: number): Promise<void> => {
  const { text } = await client.call({ method: "GET", path: "/", timeLimit })
  const { version } = decodeRoot(text)
  if (version.distribution !== "opensearch" || Number(version.number.split(".")[0]) < oldestVersion) {
    throw new ClusterUnusable({
      reason: `it is ${version.distribution ?? "another server"} ${version.number}, and OpenSearch ${oldestVersion} or later is needed`
    })
  }
}

const oldestVersion = 3

const decodeRoot = (text: string) => {
  try {
    return decodeRootJson(text)
  } catch {
    throw new ClusterUnusable({ reason: "the server at the URL is not OpenSearch" })
  }
}

const decodeRootJson = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      version: Schema.Struct({ number: Schema.String, distribution: Schema.optional(Schema.String) })
    })
  )
)

/** Creates missing indices, adds the fields of this version, and refuses unusable indices. */
export const prepareIndices = async (
  client: ClusterClient,
  prefix: string,
  shapes: ReadonlyArray<IndexShape>
): Promise<void> => {
  const there = await existingIndices(client, prefix, shapes)
  const missing: Array<IndexShape> = []
  const grown: Array<IndexShape> = []
  for (const shape of shapes) {
    const ofShape = there.filter(({ generation, name }) => name === shape.name && generation === shape.generation)
    const used = ofShape.find(({ aliases }) => aliases.includes(aliasOf(prefix, shape)))
    if (used !== undefined) {
      checkFields(used, shape)
      if (fieldsOf(propertiesOf(shape)).size > used.fields.size) grown.push(shape)
    } else if (ofShape[0] === undefined) {
      missing.push(shape)
    } else {
      throw new ClusterUnusable({
        reason: `the index ${ofShape[0].index} has no alias: a restore or a migration is under way, or was cut off. Wait for it, or run it again`
      })
    }
  }
  // Nothing is written before all of them are checked.
  await Promise.all(grown.map((shape) => addFields(client, prefix, shape)))
  // Another service may have been faster.
  if (!(await createIndices(client, prefix, missing))) await prepareIndices(client, prefix, shapes)
}

/** Throws unless this version can use the index as it is, or once the fields that are missing are added. */
const checkFields = ({ fields, index, version }: ExistingIndex, shape: IndexShape): void => {
  const own = fieldsOf(propertiesOf(shape))
  const unknown = [...fields.keys()].find((field) => !own.has(field))
  if (version > shape.version || (version === shape.version && unknown !== undefined)) {
    const what = version > shape.version ? "is" : `has the field ${unknown}, which is`
    throw new ClusterUnusable({
      reason: `the index ${index} ${what} of a later version of this program. Use that version or a newer one`
    })
  }
  if (version < shape.version) {
    throw new ClusterUnusable({
      reason: `the index ${index} is of an earlier version of this program. Run upgrade, which copies it while services answer searches`
    })
  }
  if ([...own].some(([field, set]) => fields.has(field) && fields.get(field) !== set)) {
    throw new ClusterUnusable({
      reason: `the index ${index} has other fields than this version writes. Name another --index-prefix, or use the version that made it`
    })
  }
}

/** Existing documents have no value in them. */
const addFields = (client: ClusterClient, prefix: string, shape: IndexShape) =>
  client.call({
    method: "PUT",
    path: `/${indexNameOf(prefix, shape)}/_mapping`,
    body: JSON.stringify({ properties: propertiesOf(shape) }),
    timeLimit: creationTimeLimit
  })

/** False if some of them already exist. Nothing uses an index without its alias. */
export const createIndices = async (
  client: ClusterClient,
  prefix: string,
  shapes: ReadonlyArray<IndexShape>,
  { withAliases = true }: { readonly withAliases?: boolean } = {}
): Promise<boolean> => {
  let areNew = true
  for (let at = 0; at < shapes.length; at += 4) {
    const some = shapes.slice(at, at + 4)
    const created = await Promise.all(some.map((shape) => createIndex(client, prefix, shape, withAliases)))
    areNew &&= !created.includes(false)
  }
  return areNew
}

/** Puts indices into use, all at once. */
export const addAliases = (cluster: Cluster["Service"], targets: ReadonlyArray<IndexName>) =>
  cluster.call({
    method: "POST",
    path: "/_aliases",
    body: JSON.stringify({
      actions: targets.map((target) => ({
        add: {
          alias: aliasOf(cluster.prefix, target),
          index: indexNameOf(cluster.prefix, target),
          is_write_index: true
        }
      }))
    }),
    timeLimit: creationTimeLimit
  })

export interface ExistingIndex extends IndexName {
  /** Whole, as in `threat-exposure-events-v1`. */
  readonly index: string
  readonly aliases: ReadonlyArray<string>
  /** As {@link fieldsOf} gives them. */
  readonly fields: ReadonlyMap<string, string>
}

/** The indices of these definitions that are there, in any version. */
export const existingIndices = async (
  client: ClusterClient,
  prefix: string,
  shapes: ReadonlyArray<IndexShape>
): Promise<ReadonlyArray<ExistingIndex>> => {
  const patterns = shapes.map(({ name }) => `${prefix}-${name}-v*`).join()
  const { text } = await client.call({
    method: "GET",
    path: `/${patterns}?filter_path=*.aliases,*.mappings.properties`
  })
  const answer: Readonly<
    Record<
      string,
      {
        readonly aliases?: Readonly<Record<string, unknown>>
        readonly mappings?: { readonly properties?: Properties }
      }
    >
  > = JSON.parse(text)
  return Object.entries(answer).flatMap(([index, { aliases = {}, mappings }]) => {
    const defined = definedBy(prefix, index, shapes)
    if (defined === undefined) return []
    return [{ index, ...defined, aliases: Object.keys(aliases), fields: fieldsOf(mappings?.properties ?? {}) }]
  })
}

/** The parts of the name of an index; undefined for the name of another index. */
export const definedBy = (prefix: string, index: string, shapes: ReadonlyArray<IndexShape>): IndexName | undefined => {
  const [, name, version, generation] = /^(.+)-v(\d+)(?:-([0-9a-f]+))?$/u.exec(index.slice(prefix.length + 1)) ?? []
  if (!index.startsWith(`${prefix}-`) || name === undefined) return undefined
  return shapes.some((shape) => shape.name === name) ? { name, version: Number(version), generation } : undefined
}

/** False if the index is there already. */
const createIndex = async (
  client: ClusterClient,
  prefix: string,
  shape: IndexShape,
  withAlias: boolean
): Promise<boolean> => {
  const { settings, version } = shape
  const aliases = withAlias ? { [aliasOf(prefix, shape)]: { is_write_index: true } } : {}
  const mappings = {
    dynamic: "strict",
    _meta: { version },
    properties: propertiesOf(shape)
  }
  try {
    await client.call({
      method: "PUT",
      path: `/${indexNameOf(prefix, shape)}`,
      body: JSON.stringify({ settings, mappings, aliases }),
      timeLimit: creationTimeLimit
    })
    return true
  } catch (cause) {
    if (cause instanceof ClusterRefusal && cause.type === "resource_already_exists_exception") return false
    throw cause
  }
}

const propertiesOf = ({ properties }: IndexShape) => ({ ...properties, [writeIdField]: keptOnly })

/** Milliseconds: a change of the cluster's state waits for every node. */
export const creationTimeLimit = 30_000

/** The parameters of each field as JSON, by its path, as in `policies.uuid`. */
const fieldsOf = (properties: Properties): ReadonlyMap<string, string> => new Map(fieldsIn(properties, ""))

function* fieldsIn(properties: Properties, path: string): Generator<readonly [string, string]> {
  for (const [name, { properties: members = {}, ...set }] of Object.entries(properties)) {
    // OpenSearch leaves out the type of an object with members, and gives a list for one name.
    const all = Object.entries({ type: "object", ...set }).map(([key, value]) => [key, [value].flat()] as const)
    yield [path + name, JSON.stringify(all.toSorted(([one], [other]) => (one < other ? -1 : 1)))]
    yield* fieldsIn(decodeProperties(members), `${path}${name}.`)
  }
}

type Properties = IndexShape["properties"]

const decodeProperties = Schema.decodeUnknownSync(
  Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown))
)

/** Every shard has a place. */
export const waitUntilUsable = async (client: ClusterClient, prefix: string): Promise<void> => {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const { status } = await client.call({
      method: "GET",
      path: `/_cluster/health/${prefix}-*?wait_for_status=yellow&timeout=5s`,
      accepted: [408]
    })
    if (status !== 408) return
    await sleep(100)
  }
  throw new ClusterUnusable({
    reason: `some shards of ${prefix}-* have no node. GET _cluster/allocation/explain says why`
  })
}

const unusable = (cause: unknown): ClusterUnusable | KeyFileUnusable => {
  if (cause instanceof ClusterUnusable || cause instanceof KeyFileUnusable) return cause
  if (cause instanceof StoreUnavailable) return new ClusterUnusable({ reason: cause.reason })
  if (cause instanceof ClusterRefusal && (cause.status === 401 || cause.status === 403)) {
    return new ClusterUnusable({
      reason: `it refuses the user or the password (${cause.status}). See THREAT_EXPOSURE_OPENSEARCH_USER and THREAT_EXPOSURE_OPENSEARCH_PASSWORD`
    })
  }
  return new ClusterUnusable({ reason: cause instanceof Error ? cause.message : String(cause) })
}
