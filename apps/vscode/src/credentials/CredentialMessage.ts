/** Messages that the pages of credentials send to the extension. */
import { CredentialInclude, credentialQueryTypes } from "@threat-exposure/core/domain/Credential"
import { Schema } from "effect"
import { Remedy } from "../editor/Problem.ts"
import { Reveal } from "../editor/page/Pages.ts"

const QueryType = Schema.Literals(credentialQueryTypes)

/** Values of the form's fields, as typed. */
export const SearchValues = Schema.Struct({
  type: QueryType,
  text: Schema.String,
  /** Days since the import; 0 means no limit. */
  days: Schema.Literals(["0", "7", "30", "365"]),
  from: Schema.String,
  to: Schema.String,
  include: Schema.Array(CredentialInclude)
})
export interface SearchValues extends Schema.Schema.Type<typeof SearchValues> {}

export const columns = ["account", "secret", "source", "imported"] as const
export type Column = (typeof columns)[number]

export const CredentialMessage = Schema.Union([
  /** Opens the result with this id. */
  Schema.TaggedStruct("Open", { id: Schema.Int }),
  Schema.TaggedStruct("OpenEvent", { uid: Schema.String }),
  Schema.TaggedStruct("OpenResults", {}),
  Schema.TaggedStruct("OpenText", { kind: Schema.Literals(["credential", "credentialJson", "credentials"]) }),
  Schema.TaggedStruct("Copy", { what: Schema.Literals(["account", "json"]) }),
  Reveal,
  Schema.TaggedStruct("Search", { values: SearchValues }),
  /** The type of query, on which the field for the value depends. */
  Schema.TaggedStruct("ChooseType", { type: QueryType }),
  /** Sorts by a column; the same column again reverses the order. */
  Schema.TaggedStruct("Sort", { by: Schema.Literals(columns) }),
  Schema.TaggedStruct("FilterResults", { text: Schema.String }),
  Schema.TaggedStruct("SearchAccount", {}),
  Schema.TaggedStruct("LoadMore", {}),
  Schema.TaggedStruct("Export", {}),
  Schema.TaggedStruct("Cancel", {}),
  /** Repeats a search from before the window reloaded. */
  Schema.TaggedStruct("Again", {}),
  Remedy
])
export type CredentialMessage = typeof CredentialMessage.Type
