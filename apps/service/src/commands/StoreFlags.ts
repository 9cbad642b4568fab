/** The flags for the location of the data: an embedded database or a cluster. */
import { readFileSync } from "node:fs"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import { isLoopback } from "@threat-exposure/core/domain/Loopback"
import type { Backups } from "../backup/Backups.ts"
import type { KeyFileUnusable } from "../crypto/KeyFile.ts"
import type { ClusterOptions } from "../ClusterEngine.ts"
import { clusterEngine, type Stores } from "../Services.ts"
import { StoreHealth } from "../observability/StoreHealth.ts"
import { sayLeftOut } from "../requests/ForeignRecords.ts"
import type { StoreUnusable } from "../StoreUnusable.ts"
import {
  clusterVariable,
  databaseFilesOf,
  databaseFlag,
  type DatabaseFlagValues,
  keyFileFlag,
  nameStore,
  resolveFromCaller,
  textFlag
} from "./DatabaseFlags.ts"
import { type CommandFailed, makeFailure, makeMisuse } from "./CommandFailed.ts"

export const storeFlags = {
  database: databaseFlag("The database; created if it does not exist"),
  keyFile: keyFileFlag,
  opensearch: textFlag(
    "opensearch",
    "URL,…",
    "Nodes of an OpenSearch cluster, instead of a database (variable: THREAT_EXPOSURE_OPENSEARCH; user, password and certificates: see docs/opensearch.md)"
  ).pipe(Flag.withFallbackConfig(clusterVariable), Flag.optional),
  indexPrefix: textFlag("index-prefix", "WORD", "Prefix of the name of every index (default: threat-exposure)").pipe(
    Flag.withDefault("threat-exposure"),
    Flag.filter(
      (word) => /^[a-z0-9][a-z0-9._-]{0,99}$/u.test(word),
      () => "a lower-case letter or a digit, then at most 99 of these, hyphens, dots and underscores"
    )
  )
}

export const existingStoreFlags = { ...storeFlags, database: databaseFlag("The database") }

export interface StoreFlagValues extends DatabaseFlagValues {
  readonly opensearch: Option.Option<string>
  readonly indexPrefix: string
}

export interface OpenedStores {
  readonly layer: Layer.Layer<Stores, KeyFileUnusable | StoreUnusable>
  readonly backups: Layer.Layer<Backups>
  /** The file or the nodes, for messages. */
  readonly name: string
  readonly keyFile: string
}

/** `threads` is the number of reader threads of an embedded database; 0 runs everything on the caller's thread. */
export const storesOf = Effect.fnUntraced(function* (
  given: StoreFlagValues,
  threads?: number
): Effect.fn.Return<OpenedStores, CommandFailed> {
  if (Option.isNone(given.opensearch)) {
    const files = yield* databaseFilesOf(given)
    const { sqlite, sqliteBackups, sqliteSameThread } = yield* Effect.promise(() => import("../sqlite/Sqlite.ts"))
    return {
      layer: threads === 0 ? sqliteSameThread(files) : sqlite(files, { readers: threads }),
      backups: sqliteBackups(files),
      name: files.file,
      keyFile: files.keyFile
    }
  }
  const options = yield* requireCluster(given)
  const engine = yield* clusterEngine
  return {
    // A command retries for longer than a request, whose client gives up: one slow answer must not end a load.
    layer: engine.stores(threads === undefined ? options : { ...options, callTimeLimit: commandTimeLimit }),
    backups: engine.backups(options),
    name: hostsOf(options),
    keyFile: options.keyFile
  }
})

/** Milliseconds per call to the cluster. */
const commandTimeLimit = 60_000

export const requireCluster = Effect.fnUntraced(function* (given: StoreFlagValues) {
  const { database, indexPrefix, keyFile, opensearch } = given
  if (Option.isNone(opensearch)) {
    return yield* makeMisuse(
      "this is for a cluster: name it with --opensearch. An embedded database is upgraded when it is opened"
    )
  }
  if (Option.isSome(database)) {
    return yield* makeMisuse("give either --database or --opensearch (variable: THREAT_EXPOSURE_OPENSEARCH), not both")
  }
  if (Option.isNone(keyFile)) {
    return yield* makeMisuse(
      "--opensearch needs the key file that all services of the cluster share: name it with --key-file or THREAT_EXPOSURE_KEY_FILE"
    )
  }
  return yield* clusterOptionsOf(opensearch.value, indexPrefix, yield* resolveFromCaller(keyFile.value))
})

/** The hosts of the nodes, for messages: the URLs may contain a password. */
export const hostsOf = ({ urls }: ClusterOptions): string => urls.map((url) => new URL(url).host).join()

/** The connection options of a cluster. User, password and certificates come from the environment. */
export const clusterOptionsOf = Effect.fnUntraced(function* (
  given: string,
  prefix: string,
  keyFile: string
): Effect.fn.Return<ClusterOptions, CommandFailed> {
  const urls = given.split(",").map((url) => url.trim())
  for (const url of urls) {
    const reason = faultOf(URL.parse(url))
    if (reason !== undefined) return yield* makeMisuse(reason)
  }
  const variable = (name: string) =>
    Effect.map(
      Effect.orElseSucceed(Config.option(Config.String(`THREAT_EXPOSURE_OPENSEARCH_${name}`)), Option.none),
      Option.getOrUndefined
    )
  const file = Effect.fnUntraced(function* (name: string) {
    const given = yield* variable(name)
    if (given === undefined) return undefined
    const path = yield* resolveFromCaller(given)
    const invalid = (fault: string) =>
      makeMisuse(`THREAT_EXPOSURE_OPENSEARCH_${name} names a file that ${fault}: ${path}`)
    const bytes = yield* Effect.try({ try: () => readFileSync(path), catch: () => invalid("cannot be read") })
    // Node's TLS accepts a file without certificates as an empty list of certificates.
    return bytes.includes("-----BEGIN ") ? bytes : yield* invalid("is not in PEM format")
  })
  const user = yield* variable("USER")
  const password = yield* variable("PASSWORD")
  const isInClear = ({ hostname, protocol }: URL) => protocol === "http:" && !isLoopback(hostname)
  if ((user ?? password) !== undefined && urls.some((url) => isInClear(new URL(url)))) {
    return yield* makeMisuse(
      "a URL of the cluster begins with http://, and would send THREAT_EXPOSURE_OPENSEARCH_USER and THREAT_EXPOSURE_OPENSEARCH_PASSWORD in clear: use https://. Only a loopback address may do without"
    )
  }
  const shards = yield* variable("SHARDS")
  if (shards !== undefined && !/^(?:[1-9]\d{0,2}|10[01]\d|102[0-4])$/u.test(shards)) {
    return yield* makeMisuse("THREAT_EXPOSURE_OPENSEARCH_SHARDS takes a number from 1 to 1024")
  }
  const cert = yield* file("CERT")
  const key = yield* file("KEY")
  // With only one of the pair, the service would send no credentials.
  for (const [one, other, isPair] of [
    ["USER", "PASSWORD", (user === undefined) === (password === undefined)],
    ["CERT", "KEY", (cert === undefined) === (key === undefined)]
  ] as const) {
    if (!isPair) {
      return yield* makeMisuse(
        `THREAT_EXPOSURE_OPENSEARCH_${one} and THREAT_EXPOSURE_OPENSEARCH_${other} belong together: give both, or neither`
      )
    }
  }
  return {
    urls,
    prefix,
    keyFile,
    shards: shards === undefined ? undefined : Number(shards),
    user,
    password,
    ca: yield* file("CA"),
    cert,
    key
  }
})

/** Describes what is wrong with the URL of a node, without the URL itself, which may contain a password. */
const faultOf = (url: URL | null): string | undefined => {
  if (url === null || !["http:", "https:"].includes(url.protocol))
    return "a cluster needs http or https URLs, such as https://node1:9200, separated by commas"
  if (url.username !== "" || url.password !== "")
    return "a URL of the cluster contains a user or a password, which every user of this machine can see: give them with THREAT_EXPOSURE_OPENSEARCH_USER and THREAT_EXPOSURE_OPENSEARCH_PASSWORD"
  return undefined
}

/** Runs work on the stores of the flags. Fails at the end if records were left out that another program wrote. */
export const withStores =
  (given: StoreFlagValues) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.flatMap(storesOf(given, 0), ({ layer, name }) =>
      work.pipe(Effect.tap(failIfForeign), Effect.provide(layer), nameStore(name))
    )

const failIfForeign = Effect.flatMap(StoreHealth, ({ foreign }) => {
  const names = foreign()
  return names.length === 0 ? Effect.void : Effect.fail(makeForeignFailure(names))
})

export const makeForeignFailure = (names: ReadonlyArray<string>) =>
  makeFailure(
    `${sayLeftOut(names)}. Everything else was done. Find out who can write the database, and delete or correct these records`
  )
