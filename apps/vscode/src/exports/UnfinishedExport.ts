/** An unfinished export: its request and its position. */
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
  /** Name of the profile that sends the requests. */
  profile: Schema.String,
  request: ExportRequest,
  maxItems: Schema.Int,
  uri: Schema.String,
  /** `written` is the number of items in the file, `end` the offset of the next one in bytes. */
  written: Schema.Int,
  end: Schema.Int,
  /** `source` is the index of the current listing, `from` its cursor. */
  source: Schema.Int,
  from: Schema.optionalKey(Schema.String)
})
export interface UnfinishedExport extends Schema.Schema.Type<typeof UnfinishedExport> {}

/** Whether the request searches for a secret, which must not be stored. */
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
