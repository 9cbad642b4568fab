/** The definition of an index. Each store defines its own; `OpenSearch.ts` lists all of them. */
import type * as Schema from "effect/Schema"
import type { Vault } from "../../crypto/Vault.ts"

export interface IndexName {
  /** The name after the prefix, as in `credentials`. */
  readonly name: string
  readonly version: number
  /**
   * The generation of the key, for an index of encrypted data. Each rotation creates new indices. Undefined before the
   * first rotation.
   */
  readonly generation?: string | undefined
}

export interface IndexShape extends IndexName {
  /**
   * Increased when the mapping changes in a way that OpenSearch cannot apply to an existing index: `ClusterUpgrade.ts`
   * then copies the index. Fields that an index of the same version lacks are added at the start. Existing documents
   * have no value in them, so they must be optional.
   */
  readonly version: number
  /** Default: {@link smallIndex}. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** The mapping. Other fields are refused. */
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Converts a document of an earlier version. Default: unchanged. */
  readonly upgrade?: Rewriting
  /** True for an index whose documents are encrypted with the key of the data. Each rotation creates a new one. */
  readonly isKeyed?: true
  /** True for an index whose documents have seals: see `DocumentSeal.ts`. */
  readonly isSealed?: true
}

/** How documents of an index are encrypted with a new key. The vault also decrypts with the former key. */
export interface KeyedIndex {
  readonly index: IndexShape
  readonly rewriting: Rewriting
}

export interface Rewriting {
  /** Fields with doc values that an earlier version excluded from the source. */
  readonly docValues: ReadonlyArray<string>
  readonly document: (vault: Vault, former: FormerDocument) => object
}

export interface FormerDocument {
  readonly id: string
  readonly source: unknown
  /** The values of each field, as lists. */
  readonly docValues: unknown
}

export interface IndexDefinition<Document> extends IndexShape {
  readonly document: Schema.Decoder<Document>
}

/** The name of the index itself, which is used through its alias, so that a later version can be filled beside it. */
export const indexNameOf = (prefix: string, { generation, name, version }: IndexName): string =>
  `${prefix}-${name}-v${version}${generation === undefined ? "" : `-${generation}`}`

/**
 * Each generation has its own alias: a search for digests of a former key must fail, not find nothing in the new
 * indices.
 */
export const aliasOf = (prefix: string, { generation, name }: IndexName): string =>
  `${prefix}-${name}${generation === undefined ? "" : `-${generation}`}`

/** The index with its generation of the key, if its data is encrypted. */
export const ofGeneration = (index: IndexShape, generation: string | undefined): IndexShape =>
  index.isKeyed === true ? { ...index, generation } : index

/** The id of a document in an index where each tenant has ids of its own. */
export const idOfTenant = (tenantId: number, id: number | string): string => `${tenantId}:${id}`

/** A stored field that cannot be searched. */
export const keptOnly = { type: "keyword", index: false, doc_values: false } as const

/** Settings of an index with a few thousand documents: one shard, replicated to up to three nodes. */
export const smallIndex = { number_of_shards: 1, auto_expand_replicas: "0-2" } as const

/** Settings of a growing index: several shards, each with a replica as soon as there is a second node. */
export const largeIndex = { number_of_shards: 3, auto_expand_replicas: "0-1" } as const

/** A growing index with the number of primary shards that the operator chose; undefined leaves the number unchanged. */
export const withShards = (index: IndexShape, shards: number | undefined): IndexShape =>
  shards === undefined || index.settings === undefined
    ? index
    : { ...index, settings: { ...index.settings, number_of_shards: shards } }

/** A field of every index, which distinguishes a write whose answer was lost from a write of another service. */
export const writeIdField = "write_id"

/**
 * The numbers of the strict load that added a document, and of the one that replaced or removed it. Until a load is
 * published, readers find what it replaced, but not what it added. See `StrictLoad.ts`.
 */
export const strictLoadFields = { added_by: { type: "long" }, replaced_by: { type: "long" } } as const

export const hasStrictLoads = ({ properties }: IndexShape): boolean => "added_by" in properties
