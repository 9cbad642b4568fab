/** The definition of an index. Each store defines its own; `OpenSearch.ts` lists all of them. */
import type * as Schema from "effect/Schema"
import type { Vault } from "../../crypto/Vault.ts"

export interface IndexName {
  /** After the prefix, as in `credentials`. */
  readonly name: string
  readonly version: number
  /** The generation of the key, for an index of encrypted data: each rotation creates new indices. Undefined before the first. */
  readonly generation?: string | undefined
}

export interface IndexShape extends IndexName {
  /**
   * Grows when the mapping changes in a way that OpenSearch cannot apply to what is there: `ClusterUpgrade.ts` then copies the
   * index. A start adds fields that an index of the same version lacks: documents that are there have no value in them, so they
   * must be optional.
   */
  readonly version: number
  /** Default: {@link smallIndex}. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Fields. Others are refused. */
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Converts a document of an earlier version. Default: unchanged. */
  readonly upgrade?: Rewriting
  /** For an index of documents that are encrypted with the key of the data: each rotation creates a new one. */
  readonly isKeyed?: true
}

/** How documents of an index are encrypted with a new key. The vault also decrypts with the former key. */
export interface KeyedIndex {
  readonly index: IndexShape
  readonly rewriting: Rewriting
}

export interface Rewriting {
  /** Fields with doc values that an earlier version left out of the source. */
  readonly docValues: ReadonlyArray<string>
  readonly document: (vault: Vault, former: FormerDocument) => object
}

export interface FormerDocument {
  readonly id: string
  readonly source: unknown
  /** A list of the values of each field. */
  readonly docValues: unknown
}

export interface IndexDefinition<Document> extends IndexShape {
  readonly document: Schema.Decoder<Document>
}

/** The index itself, which is used by its alias: a later version can be filled beside it. */
export const indexNameOf = (prefix: string, { generation, name, version }: IndexName): string =>
  `${prefix}-${name}-v${version}${generation === undefined ? "" : `-${generation}`}`

/** Each generation has an alias of its own: a search for digests of a former key must fail, and not find nothing in new indices. */
export const aliasOf = (prefix: string, { generation, name }: IndexName): string =>
  `${prefix}-${name}${generation === undefined ? "" : `-${generation}`}`

/** The index as it is named under the key of this generation. */
export const ofGeneration = (index: IndexShape, generation: string | undefined): IndexShape =>
  index.isKeyed === true ? { ...index, generation } : index

/** The id of a document in an index where each tenant has ids of its own. */
export const idOfTenant = (tenantId: number, id: number | string): string => `${tenantId}:${id}`

/** A field that is kept and cannot be searched. */
export const keptOnly = { type: "keyword", index: false, doc_values: false } as const

/** The settings of an index with a few thousand documents: one shard, on every node up to three. */
export const smallIndex = { number_of_shards: 1, auto_expand_replicas: "0-2" } as const

/** The settings of an index that grows: several shards, and a copy of each as soon as there is a second node. */
export const largeIndex = { number_of_shards: 3, auto_expand_replicas: "0-1" } as const

/** The index with as many primary shards as the operator chose, if it grows; undefined leaves the number as it is. */
export const withShards = (index: IndexShape, shards: number | undefined): IndexShape =>
  shards === undefined || index.settings === undefined
    ? index
    : { ...index, settings: { ...index.settings, number_of_shards: shards } }

/** In every index: distinguishes a write whose answer was lost from a write by another service. */
export const writeIdField = "write_id"

/**
 * The numbers of the strict load that added a document, and of the one that replaced or removed it: while a load is not
 * published, readers find what it replaced, and not what it added. See `StrictLoad.ts`.
 */
export const strictLoadFields = { added_by: { type: "long" }, replaced_by: { type: "long" } } as const

export const hasStrictLoads = ({ properties }: IndexShape): boolean => "added_by" in properties
