/**
 * The interface of an engine on a cluster. `opensearch/` implements it, and `Services.ts` loads it when a flag names a
 * cluster; nothing else knows that folder.
 */
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { Backups, Confirm } from "./backup/Backups.ts"
import type { KeyFileUnusable } from "./crypto/KeyFile.ts"
import type { RowProgress } from "./RowProgress.ts"
import type { StoreUnusable } from "./StoreUnusable.ts"
import type { TransferFailed, TransferSource } from "./transfer/TransferredTables.ts"

export interface ClusterAddress {
  /** The URLs of the nodes; at least one. */
  readonly urls: ReadonlyArray<string>
  readonly user?: string | undefined
  readonly password?: string | undefined
  /** Certificates of authorities, in PEM format. */
  readonly ca?: Buffer | undefined
  /** The client's certificate and its key, in PEM format. */
  readonly cert?: Buffer | undefined
  readonly key?: Buffer | undefined
  /** Milliseconds for all attempts of a call together. Default: 15,000, for requests whose clients wait. */
  readonly callTimeLimit?: number | undefined
}

export interface ClusterOptions extends ClusterAddress {
  /** The prefix of the name of every index. */
  readonly prefix: string
  readonly keyFile: string
  /** Primary shards of each index that grows, where the start creates it. Default: 3. */
  readonly shards?: number | undefined
  /** Milliseconds for which a start waits for an answer. */
  readonly startTimeLimit?: number
  /** Milliseconds after which a request is answered with 503. With what is sent meanwhile, it must end within 30 seconds. */
  readonly requestTimeLimit?: number
}

export interface ClusterEngine<Stores> {
  stores(options: ClusterOptions): Layer.Layer<Stores, ClusterFailure>
  backups(options: ClusterOptions): Layer.Layer<Backups>
  /** Brings the indices to this version. Returns the names of those that were upgraded. */
  upgrade<E, R>(work: ConfirmedWork<string, E, R>): Effect.Effect<ReadonlyArray<string>, ClusterFailure | E, R>
  /**
   * Encrypts everything with a new key. Returns the files that keep the former keys. Asks for confirmation with whether a former
   * run was interrupted, or is still running.
   */
  rotateKey<E, R>(work: ConfirmedWork<boolean, E, R>): Effect.Effect<ReadonlyArray<string>, ClusterFailure | E, R>
  /** Copies a database to a cluster without data. Returns the number of rows by the name of their index. */
  transfer(
    options: ClusterOptions,
    source: TransferSource,
    progress: RowProgress
  ): Effect.Effect<ReadonlyArray<readonly [index: string, rows: number]>, ClusterFailure | TransferFailed>
}

export type ClusterFailure = KeyFileUnusable | StoreUnusable

export interface ConfirmedWork<Plan, E, R> {
  readonly options: ClusterOptions
  readonly confirm: (plan: Plan) => ReturnType<Confirm<E, R>>
  readonly progress: RowProgress
}
