/** Reads the answer to a search. A partial answer is an error. */
import { SearchTimedOut, StoreUnavailable } from "../requests/StoreUnavailable.ts"

/** The answer to a search, alone or in `_msearch`. The documented shape is trusted; callers decode the documents. */
export interface SearchJson {
  readonly timed_out: boolean
  readonly _shards: { readonly failed: number }
  readonly hits?: { readonly hits?: ReadonlyArray<HitJson> }
}

export interface HitJson {
  readonly _id: string
  readonly _routing?: string
  readonly _source: unknown
  /** The doc values that were asked for. */
  readonly fields?: unknown
  readonly sort: ReadonlyArray<string | number>
  /** If they were asked for. */
  readonly _seq_no?: number
  readonly _primary_term?: number
}

/** A hit of a search with {@link wholeResultsOf}. */
export type FieldHitJson = Pick<HitJson, "_source" | "sort">

/** The members of {@link SearchJson}, as `filter_path` names them. */
export const searchMembers = ["timed_out", "_shards.failed", "hits.hits._id", "hits.hits._source", "hits.hits.sort"]

const parametersOf = (members: ReadonlyArray<string>): string =>
  `allow_partial_search_results=false&filter_path=${members.join()}`

/** Parameters of any search: a partial result is an error. */
export const wholeResults = parametersOf(searchMembers)

/** The same, of one field of each document: a node parses all of it anyway to keep some members, and writes less. */
export const wholeResultsOf = (field: string): string =>
  parametersOf(["timed_out", "_shards.failed", `hits.hits._source.${field}`, "hits.hits.sort"])

/** The hits of an answer to a search with {@link wholeResults}. */
export const hitsOf = (text: string): ReadonlyArray<HitJson> => hitsIn(JSON.parse(text))

export const hitsIn = ({ _shards, hits, timed_out }: SearchJson): ReadonlyArray<HitJson> => {
  if (timed_out) throw new SearchTimedOut({ limit: undefined })
  if (_shards.failed > 0) throw notWhole()
  return hits?.hits ?? []
}

export const notWhole = () => new StoreUnavailable({ reason: "a part of the data cannot be read at present" })
