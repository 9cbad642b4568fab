/**
 * The interface of an engine on a cluster. Only `Services.ts` imports `opensearch/`, and only if a flag names a
 * cluster.
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
  /** Certificates of authorities, in PEM. */
  readonly ca?: Buffer | undefined
  /** The client certificate and its private key, in PEM. */
  readonly cert?: Buffer | undefined
  readonly key?: Buffer | undefined
  /** Milliseconds for all attempts of a call together. Default: 15,000, which suits requests with waiting clients. */
  readonly callTimeLimit?: number | undefined
}

export interface ClusterOptions extends ClusterAddress {
  readonly prefix: string
  readonly keyFile: string
  /** The number of primary shards of each growing index that a start creates. Default: 3. */
  readonly shards?: number | undefined
  /** Milliseconds for which a start waits for the cluster to answer. */
  readonly startTimeLimit?: number
  /**
   * Milliseconds after which a request is answered with 503; with calls then in progress, it ends within 30 seconds.
   */
  readonly requestTimeLimit?: number
}

export interface ClusterEngine<Stores> {
  stores(options: ClusterOptions): Layer.Layer<Stores, ClusterFailure>
  backups(options: ClusterOptions): Layer.Layer<Backups>
  /** Upgrades the indices to this version, and returns their names. */
  upgrade<E, R>(work: ConfirmedWork<string, E, R>): Effect.Effect<ReadonlyArray<string>, ClusterFailure | E, R>
  /** Returns the files with the former keys. Confirms with true if a former run was interrupted or is still running. */
  rotateKey<E, R>(work: ConfirmedWork<boolean, E, R>): Effect.Effect<ReadonlyArray<string>, ClusterFailure | E, R>
  /** Copies a database to a cluster without data. Returns the number of rows by index name. */
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
