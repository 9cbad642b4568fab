/** The messages that the pages of credentials send. */
import { CredentialInclude, credentialQueryTypes } from "@threat-exposure/core/domain/Credential"
import { Schema } from "effect"
import { Remedy } from "../editor/Problem.ts"
import { Reveal } from "../editor/page/Pages.ts"

const QueryType = Schema.Literals(credentialQueryTypes)

/** The fields of the form, as they were typed. */
export const SearchValues = Schema.Struct({
  type: QueryType,
  text: Schema.String,
  /** Days since the import; 0 for any number. */
  days: Schema.Literals(["0", "7", "30", "365"]),
  from: Schema.String,
  to: Schema.String,
  include: Schema.Array(CredentialInclude)
})
export interface SearchValues extends Schema.Schema.Type<typeof SearchValues> {}

export const columns = ["account", "secret", "source", "imported"] as const
export type Column = (typeof columns)[number]

export const CredentialMessage = Schema.Union([
  /** One of the results, by its id. */
  Schema.TaggedStruct("Open", { id: Schema.Int }),
  Schema.TaggedStruct("OpenEvent", { uid: Schema.String }),
  Schema.TaggedStruct("OpenResults", {}),
  Schema.TaggedStruct("OpenText", { kind: Schema.Literals(["credential", "credentialJson", "credentials"]) }),
  Schema.TaggedStruct("Copy", { what: Schema.Literals(["account", "json"]) }),
  Reveal,
  Schema.TaggedStruct("Search", { values: SearchValues }),
  /** The field for the value depends on it. */
  Schema.TaggedStruct("ChooseType", { type: QueryType }),
  /** By the same column again: the other way round. */
  Schema.TaggedStruct("Sort", { by: Schema.Literals(columns) }),
  Schema.TaggedStruct("FilterResults", { text: Schema.String }),
  Schema.TaggedStruct("SearchAccount", {}),
  Schema.TaggedStruct("LoadMore", {}),
  Schema.TaggedStruct("Export", {}),
  Schema.TaggedStruct("Cancel", {}),
  /** A search from before the window was loaded. */
  Schema.TaggedStruct("Again", {}),
  Remedy
])
export type CredentialMessage = typeof CredentialMessage.Type
