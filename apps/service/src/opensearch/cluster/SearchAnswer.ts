/** Reads the answer to a search. Incomplete results are an error. */
import * as Schema from "effect/Schema"
import { SearchTimedOut, StoreUnavailable } from "../../requests/StoreUnavailable.ts"
import { answerDecoder } from "./ClusterJson.ts"

const HitJson = Schema.Struct({
  _id: Schema.String,
  _routing: Schema.optionalKey(Schema.String),
  _source: Schema.optionalKey(Schema.Unknown),
  /** The requested doc values. */
  fields: Schema.optionalKey(Schema.Unknown),
  /** Present if the search sorts. */
  // Null if a document that this program did not write lacks the field.
  sort: Schema.optionalKey(Schema.Array(Schema.NullOr(Schema.Union([Schema.String, Schema.Number])))),
  /** Present if the search requests them. */
  _seq_no: Schema.optionalKey(Schema.Int),
  _primary_term: Schema.optionalKey(Schema.Int)
})
export interface HitJson extends Schema.Schema.Type<typeof HitJson> {}

/** The shards of a search or a count. */
export const ShardsJson = Schema.Struct({ total: Schema.Int, successful: Schema.Int, failed: Schema.Int })

/** Whether all shards answered. An index has at least one. */
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
 * The query parameter of any search that makes incomplete results an error. Deliberately without `filter_path`: a node
 * would parse each document for it, which takes longer than sending a few more members.
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
