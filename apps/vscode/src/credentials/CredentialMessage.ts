/** The messages that the pages of credentials send. */
import { Schema } from "effect"
import { Remedy } from "../editor/Problem.ts"
import { Reveal } from "../editor/page/Pages.ts"

export const CredentialMessage = Schema.Union([
  /** One of the results, by its id. */
  Schema.TaggedStruct("Open", { id: Schema.Int }),
  Schema.TaggedStruct("OpenEvent", { uid: Schema.String }),
  Schema.TaggedStruct("OpenResults", {}),
  Schema.TaggedStruct("OpenText", { kind: Schema.Literals(["credential", "credentialJson", "credentials"]) }),
  Schema.TaggedStruct("Copy", { what: Schema.Literals(["account", "json"]) }),
  Reveal,
  Schema.TaggedStruct("LoadMore", {}),
  Schema.TaggedStruct("Export", {}),
  Schema.TaggedStruct("Cancel", {}),
  /** A search from before the window was loaded. */
  Schema.TaggedStruct("Again", {}),
  Remedy
])
export type CredentialMessage = typeof CredentialMessage.Type
