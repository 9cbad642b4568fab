/** An unfinished export: its request, and where to resume. */
import { Schema } from "effect"
import { CredentialRequest } from "../credentials/CredentialRequest.ts"
import { EventFilter } from "../events/search/EventFilter.ts"
import { SavedSearch } from "../events/search/SavedSearch.ts"
import { credentialFormats } from "./CredentialFormats.ts"
import { eventFormats } from "./EventFormats.ts"

export const ExportRequest = Schema.Union([
  Schema.TaggedStruct("EventsOfSearch", { search: SavedSearch, format: Schema.Literals(eventFormats) }),
  Schema.TaggedStruct("EventsOfIdentifiers", {
    identifiers: Schema.Array(Schema.Int),
    filters: Schema.optionalKey(EventFilter),
    format: Schema.Literals(eventFormats)
  }),
  Schema.TaggedStruct("Credentials", {
    request: CredentialRequest,
    format: Schema.Literals(credentialFormats),
    isClear: Schema.Boolean
  })
])
export type ExportRequest = typeof ExportRequest.Type

export const UnfinishedExport = Schema.Struct({
  /** The name of the profile it asks with. */
  profile: Schema.String,
  request: ExportRequest,
  maxItems: Schema.Int,
  uri: Schema.String,
  /** How many items are in the file, and where the next one goes, in bytes. */
  written: Schema.Int,
  end: Schema.Int,
  /** Which of the listings that it reads one after the other, and the cursor there. */
  source: Schema.Int,
  from: Schema.optionalKey(Schema.String)
})
export interface UnfinishedExport extends Schema.Schema.Type<typeof UnfinishedExport> {}

/** Whether it searches for a secret, which nothing may keep. */
export const holdsSecret = (request: ExportRequest) => {
  switch (request._tag) {
    case "Credentials":
      return request.request.query.type === "secret"
    case "EventsOfSearch":
      return request.search.query?.type === "secret" || request.search.query?.type === "credentials"
    case "EventsOfIdentifiers":
      return false
  }
}
