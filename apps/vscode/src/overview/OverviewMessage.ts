/** Messages that the page of the overview sends to the extension. */
import { Schema } from "effect"
import { type Html, sends } from "../editor/page/Html.ts"
import { EventSelection } from "../events/list/EventSelection.ts"
import { OverviewFilter } from "./OverviewFilter.ts"

/** Commands that the page can run, without the prefix `threatExposure.`. */
export const pageCommands = [
  "credentials.search",
  "events.saveSearch",
  "identifiers.create",
  "leaks.focus",
  "overview.loadEvents",
  "signIn",
  "switchProfile",
  "testConnection",
  "trySample"
] as const

export const OverviewMessage = Schema.Union([
  Schema.TaggedStruct("Show", { selection: EventSelection }),
  Schema.TaggedStruct("Filter", { filter: OverviewFilter }),
  Schema.TaggedStruct("OpenAccounts", { search: Schema.String }),
  Schema.TaggedStruct("LookUpAccounts", { domain: Schema.String }),
  Schema.TaggedStruct("Run", { command: Schema.Literals(pageCommands) })
])
export type OverviewMessage = typeof OverviewMessage.Type

/** The attribute of an element that sends the message. */
export const on = (message: OverviewMessage): Html => sends(message)
