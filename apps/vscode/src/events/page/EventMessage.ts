/** The messages that the page of an event sends. */
import { Schema } from "effect"
import { Reveal } from "../../editor/page/Pages.ts"
import { Remedy } from "../../editor/Problem.ts"
import { type Html, sends } from "../../editor/page/Html.ts"

/** The commands on the event of the page, without the prefix `threatExposure.`. */
export const pageCommands = [
  "events.checkValues",
  "events.ignore",
  "events.note",
  "events.openJson",
  "events.openMarkdown",
  "events.remediate",
  "events.reopen",
  "events.setSeverity",
  "events.tag"
] as const

export const EventMessage = Schema.Union([
  Schema.TaggedStruct("Run", { command: Schema.Literals(pageCommands) }),
  Schema.TaggedStruct("OpenInBrowser", {}),
  Schema.TaggedStruct("OpenIdentifier", { id: Schema.Int }),
  Schema.TaggedStruct("OpenPage", {}),
  Schema.TaggedStruct("SearchAccount", {}),
  Schema.TaggedStruct("Copy", { what: Schema.Literals(["uid", "link", "json"]) }),
  Reveal,
  Schema.TaggedStruct("GoTo", { uid: Schema.String }),
  Schema.TaggedStruct("ShowSource", {}),
  Schema.TaggedStruct("Cancel", {}),
  Remedy
])
export type EventMessage = typeof EventMessage.Type

/** The attribute of what sends it. */
export const on = (message: EventMessage): Html => sends(message)
