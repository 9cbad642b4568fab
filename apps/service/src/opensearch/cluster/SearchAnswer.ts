/** Reads the answer to a search. A partial answer is an error. */
import * as Schema from "effect/Schema"
import { SearchTimedOut, StoreUnavailable } from "../../requests/StoreUnavailable.ts"
import { answerDecoder } from "./ClusterJson.ts"

const HitJson = Schema.Struct({
  _id: Schema.String,
  _routing: Schema.optionalKey(Schema.String),
  _source: Schema.optionalKey(Schema.Unknown),
  /** The doc values that were asked for. */
  fields: Schema.optionalKey(Schema.Unknown),
  /** Only of a search that sorts. */
  sort: Schema.optionalKey(Schema.Array(Schema.Union([Schema.String, Schema.Number]))),
  /** If they were asked for. */
  _seq_no: Schema.optionalKey(Schema.Int),
  _primary_term: Schema.optionalKey(Schema.Int)
})
export interface HitJson extends Schema.Schema.Type<typeof HitJson> {}

/** The shards of a search or a count. */
export const ShardsJson = Schema.Struct({ total: Schema.Int, successful: Schema.Int, failed: Schema.Int })

/** Each of them answered. An index has at least one. */
export const isEveryShard = ({ failed, successful, total }: typeof ShardsJson.Type): boolean =>
  total > 0 && successful === total && failed === 0

/** The answer to a search, alone or in `_msearch`. Callers decode the documents. */
export const SearchJson = Schema.Struct({
  timed_out: Schema.Boolean,
  terminated_early: Schema.optionalKey(Schema.Boolean),
  _shards: ShardsJson,
  hits: Schema.Struct({ hits: Schema.Array(HitJson) })
})
export interface SearchJson extends Schema.Schema.Type<typeof SearchJson> {}

export const decodeSearch = answerDecoder("a search", SearchJson)

/**
 * The parameter of any search: a partial result is an error. Without `filter_path`, for which a node would parse each document:
 * that takes longer than to send a few members more.
 */
export const wholeResults = "allow_partial_search_results=false"

/** The hits of an answer to a search with {@link wholeResults}. */
export const hitsOf = (text: string): ReadonlyArray<HitJson> => hitsIn(decodeSearch(text))

export const hitsIn = ({ _shards, hits, terminated_early, timed_out }: SearchJson): ReadonlyArray<HitJson> => {
  if (timed_out) throw new SearchTimedOut({ limit: undefined })
  if (terminated_early === true || !isEveryShard(_shards)) throw notWhole()
  return hits.hits
}

export const notWhole = () => new StoreUnavailable({ reason: "a part of the data cannot be read at present" })
