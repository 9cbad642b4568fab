/** Reads the answer to a search. A partial answer is an error. */
import { SearchTimedOut, StoreUnavailable } from "../../requests/StoreUnavailable.ts"

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

/**
 * The parameter of any search: a partial result is an error. Without `filter_path`, for which a node would parse each document:
 * that takes longer than to send a few members more.
 */
export const wholeResults = "allow_partial_search_results=false"

/** The hits of an answer to a search with {@link wholeResults}. */
export const hitsOf = (text: string): ReadonlyArray<HitJson> => hitsIn(JSON.parse(text))

export const hitsIn = ({ _shards, hits, timed_out }: SearchJson): ReadonlyArray<HitJson> => {
  if (timed_out) throw new SearchTimedOut({ limit: undefined })
  if (_shards.failed > 0) throw notWhole()
  return hits?.hits ?? []
}

export const notWhole = () => new StoreUnavailable({ reason: "a part of the data cannot be read at present" })
