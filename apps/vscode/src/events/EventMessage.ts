/** What somebody chooses on the page of an event, as the page sends it. */
import { Schema } from "effect"
import { type Html, sends } from "../editor/Html.ts"

/** The commands on the event of the page, without the prefix `threatExposure.`. */
export const pageCommands = ["events.checkValues", "events.openJson", "events.openMarkdown"] as const

export const EventMessage = Schema.Union([
  Schema.TaggedStruct("Run", { command: Schema.Literals(pageCommands) }),
  Schema.TaggedStruct("OpenInBrowser", {}),
  Schema.TaggedStruct("Copy", { what: Schema.Literals(["uid", "link", "json"]) }),
  Schema.TaggedStruct("Reveal", { secret: Schema.Int, isRevealed: Schema.Boolean }),
  Schema.TaggedStruct("GoTo", { uid: Schema.String }),
  Schema.TaggedStruct("ShowSource", {}),
  Schema.TaggedStruct("Cancel", {}),
  Schema.TaggedStruct("Retry", {}),
  Schema.TaggedStruct("ShowLog", {})
])
export type EventMessage = typeof EventMessage.Type

/** The attribute of what sends it. */
export const on = (message: EventMessage): Html => sends(message)
