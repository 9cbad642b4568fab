/** Opens a cluster: checks that it can be used, creates what is missing, and finds the key of its data. */
import { setTimeout as sleep } from "node:timers/promises"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { createKeyFile, keyCheckOf, KeyFileUnusable, readKeyFile } from "../crypto/KeyFile.ts"
import { Vault } from "../crypto/Vault.ts"
import { StoreUnavailable } from "../requests/StoreUnavailable.ts"
import { Cluster, counters, makeCluster } from "./Cluster.ts"
import { type ClusterAddress, ClusterClient, ClusterRefusal } from "./ClusterClient.ts"
import {
  type IndexDefinition,
  indexNameOf,
  type IndexShape,
  keptOnly,
  smallIndex,
  withShards,
  writeIdField
} from "./IndexDefinition.ts"

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

/** What all services of a cluster must agree on at any moment: which key the data is under, and which API keys there are. */
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

/** The client of a cluster that answers and is of a version that can be used. */
export const clusterClient = (options: ClusterOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => new ClusterClient(options)),
    (client) => Effect.promise(() => client.close())
  ).pipe(Effect.tap((client) => attempt(() => checkVersion(client, options.startTimeLimit ?? 30_000))))

/** The cluster, its state and its vault. `indices` are those of every store. */
export const clusterLayer = (options: ClusterOptions, indices: ReadonlyArray<IndexShape>) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { keyFile, prefix } = options
      const client = yield* clusterClient(options)
      // Before the first write: a wrong key file must not leave anything behind.
      const known = yield* attempt(() => readState(client, prefix))
      const keys = yield* Effect.try({ try: () => keysOf(keyFile, known), catch: unusable })
      yield* attempt(() => prepareIndices(client, prefix, allIndices(indices, options)))
      yield* attempt(() => waitUntilUsable(client, prefix))
      const cluster = makeCluster(client, prefix)
      const first: State = known ?? { key_check: keyCheckOf(keys.present), next_check: null, revision: 0 }
      if (known === undefined) yield* cluster.put(stateIndex, stateId, first, "absent")
      const vault = new ClusterVault(keyFile, () => readState(client, prefix))
      // Another service may have been first, with another key.
      yield* attempt(() => vault.refresh())
      return Context.make(Cluster, cluster).pipe(
        Context.add(CurrentVault, vault),
        Context.add(ClusterState, {
          revision: Effect.callback<number>((resume) => {
            vault.refresh().then(
              ({ revision }) => resume(Effect.succeed(revision)),
              (cause: unknown) => resume(Effect.die(cause))
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
  /** Of the key that the data is under. */
  key_check: Schema.String,
  /** Of the key that a rotation is bringing everything under. */
  next_check: Schema.NullOr(Schema.String),
  revision: Schema.Int
})
interface State extends Schema.Schema.Type<typeof State> {}

export const stateIndex: IndexDefinition<State> = {
  name: "state",
  version: 1,
  settings: smallIndex,
  properties: {
    key_check: { type: "keyword", index: false },
    next_check: { type: "keyword", index: false },
    revision: { type: "long", index: false }
  },
  document: State
}

export const stateId = "state"

/** Those of the stores, and those of the cluster itself, as they are created. */
export const allIndices = (
  indices: ReadonlyArray<IndexShape>,
  { shards }: Pick<ClusterOptions, "shards">
): ReadonlyArray<IndexShape> => [...indices, stateIndex, counters].map((index) => withShards(index, shards))

const decodeState = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ _source: State })))

/** Undefined in a cluster without data of this prefix. */
const readState = async (client: ClusterClient, prefix: string): Promise<State | undefined> => {
  const { status, text } = await client.call({
    method: "GET",
    path: `/${prefix}-${stateIndex.name}/_doc/${stateId}`,
    accepted: [404]
  })
  return status === 404 ? undefined : decodeState(text)._source
}

/** The vault of the cluster's data, and its state as of the last question. */
class ClusterVault {
  readonly #keyFile: string
  readonly #read: () => Promise<State | undefined>
  #vault: Vault | undefined
  #state: State | undefined
  #running: Promise<State> | undefined
  #next: Promise<State> | undefined

  constructor(keyFile: string, read: () => Promise<State | undefined>) {
    this.#keyFile = keyFile
    this.#read = read
  }

  get vault(): Vault {
    if (this.#vault === undefined) throw new StoreUnavailable({ reason: "the key of the data is not known yet" })
    return this.#vault
  }

  /** The state at some moment after the call. */
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
    const state = await this.#read()
    if (state === undefined) throw new StoreUnavailable({ reason: "its indices were deleted: restart the service" })
    const known = this.#state
    if (known?.key_check !== state.key_check || known.next_check !== state.next_check) {
      const { next, present } = keysOf(this.#keyFile, state)
      this.#vault = new Vault(present, next === undefined ? [] : [next])
    }
    this.#state = state
    return state
  }
}

interface Keys {
  readonly present: Uint8Array
  readonly next: Uint8Array | undefined
}

/** Throws `KeyFileUnusable`. Creates the file for a cluster without data. */
export const keysOf = (keyFile: string, state: Pick<State, "key_check" | "next_check"> | undefined): Keys => {
  const keys = readKeyFile(keyFile)
  if (state === undefined) {
    const [present = createKeyFile(keyFile)] = keys ?? []
    return { present, next: undefined }
  }
  if (keys === undefined) {
    throw new KeyFileUnusable({ keyFile, reason: "it is missing, and the cluster holds data encrypted with it" })
  }
  const withCheck = (check: string | null) => keys.find((key) => keyCheckOf(key) === check)
  const present = withCheck(state.key_check)
  if (present === undefined) throw new KeyFileUnusable({ keyFile, reason: "it belongs to other data" })
  return { present, next: withCheck(state.next_check) }
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
    throw new ClusterUnusable({ reason: "the URL answers, but is not of OpenSearch" })
  }
}

const decodeRootJson = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      version: Schema.Struct({ number: Schema.String, distribution: Schema.optional(Schema.String) })
    })
  )
)

/** Creates what is missing, and refuses what cannot be used. */
const prepareIndices = async (
  client: ClusterClient,
  prefix: string,
  shapes: ReadonlyArray<IndexShape>
): Promise<void> => {
  const there = await existingIndices(client, prefix, shapes)
  const missing = shapes.filter((shape) => {
    const alias = `${prefix}-${shape.name}`
    const ofShape = there.filter(({ name }) => name === shape.name)
    const used = ofShape.find(({ aliases }) => aliases.includes(alias))
    if (used === undefined && ofShape[0] !== undefined) {
      throw new ClusterUnusable({
        reason: `the index ${ofShape[0].index} has no alias: a restore or a migration is under way, or was cut off. Wait for it, or run it again`
      })
    }
    if (used !== undefined && used.fields !== fieldsOf(propertiesOf(shape))) {
      throw new ClusterUnusable({
        reason: `the index ${used.index} has other fields than this version writes. Name another --index-prefix, or use the version that made it`
      })
    }
    return used === undefined
  })
  // Another service may have been faster.
  if (!(await createIndices(client, prefix, missing))) await prepareIndices(client, prefix, shapes)
}

/** False if some of them are there already. Nothing uses an index without its alias. */
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

/** Lets services use indices, all of them at once. */
export const addAliases = (cluster: Cluster["Service"], targets: ReadonlyArray<Pick<IndexShape, "name" | "version">>) =>
  cluster.call({
    method: "POST",
    path: "/_aliases",
    body: JSON.stringify({
      actions: targets.map((target) => ({
        add: {
          alias: `${cluster.prefix}-${target.name}`,
          index: indexNameOf(cluster.prefix, target),
          is_write_index: true
        }
      }))
    }),
    timeLimit: creationTimeLimit
  })

export interface ExistingIndex {
  /** Whole, as in `threat-exposure-events-v1`. */
  readonly index: string
  /** Of its definition. */
  readonly name: string
  readonly version: number
  readonly aliases: ReadonlyArray<string>
  /** As {@link fieldsOf} gives them. */
  readonly fields: string
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
        readonly mappings?: { readonly properties?: IndexShape["properties"] }
      }
    >
  > = JSON.parse(text)
  return Object.entries(answer).flatMap(([index, { aliases = {}, mappings }]) => {
    const defined = definedBy(prefix, index, shapes)
    if (defined === undefined) return []
    return [{ index, ...defined, aliases: Object.keys(aliases), fields: fieldsOf(mappings?.properties ?? {}) }]
  })
}

/** The definition and the version that the name of an index stands for; undefined for the name of another index. */
export const definedBy = (
  prefix: string,
  index: string,
  shapes: ReadonlyArray<IndexShape>
): { readonly name: string; readonly version: number } | undefined => {
  const [, name, version] = /^(.+)-v(\d+)$/u.exec(index.slice(prefix.length + 1)) ?? []
  if (!index.startsWith(`${prefix}-`) || name === undefined) return undefined
  return shapes.some((shape) => shape.name === name) ? { name, version: Number(version) } : undefined
}

/** False if the index is there already. */
const createIndex = async (
  client: ClusterClient,
  prefix: string,
  shape: IndexShape,
  withAlias: boolean
): Promise<boolean> => {
  const { name, settings, sourceFields, version } = shape
  const aliases = withAlias ? { [`${prefix}-${name}`]: { is_write_index: true } } : {}
  const mappings = {
    dynamic: "strict",
    _meta: { version },
    ...(sourceFields === undefined ? {} : { _source: { includes: sourceFields } }),
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
const creationTimeLimit = 30_000

/** Each field by its name, with its type, in an order of their own. */
const fieldsOf = (properties: IndexShape["properties"]): string =>
  Object.entries(properties)
    // OpenSearch leaves out the type of an object with members.
    .map(([name, { type = "object" }]) => `${name}: ${String(type)}`)
    .toSorted()
    .join()

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
