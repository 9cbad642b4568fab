/** What an index is made of. Each store defines its own; `OpenSearch.ts` above the stores lists them all. */
import type * as Schema from "effect/Schema"

export interface IndexShape {
  /** After the prefix, as in `credentials`. */
  readonly name: string
  /** Grows when the mapping changes in a way that OpenSearch cannot apply to what is there. */
  readonly version: number
  readonly settings: Readonly<Record<string, unknown>>
  /** Fields. What is not one of them is refused. */
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The fields that are kept beside what they are indexed as; every field unless given. */
  readonly sourceFields?: ReadonlyArray<string>
}

export interface IndexDefinition<Document> extends IndexShape {
  readonly document: Schema.Decoder<Document>
}

/** The index itself, which is used by its alias: a later version can be filled beside it. */
export const indexNameOf = (prefix: string, { name, version }: Pick<IndexShape, "name" | "version">): string =>
  `${prefix}-${name}-v${version}`

/** A field that is kept and cannot be searched. */
export const keptOnly = { type: "keyword", index: false, doc_values: false } as const

/** Of the indices with a few thousand documents: one shard, on every node up to three. */
export const smallIndex = { number_of_shards: 1, auto_expand_replicas: "0-2" } as const

/** Of the indices that grow: several shards, and a copy of each as soon as there is a second node. */
export const largeIndex = { number_of_shards: 3, auto_expand_replicas: "0-1" } as const

/** The index with as many primary shards as the operator chose, if it grows; undefined leaves the number as it is. */
export const withShards = (index: IndexShape, shards: number | undefined): IndexShape =>
  shards === undefined || index.settings["number_of_shards"] === 1
    ? index
    : { ...index, settings: { ...index.settings, number_of_shards: shards } }

/** In every index: tells a write that was answered too late from somebody else's. */
export const writeIdField = "write_id"
