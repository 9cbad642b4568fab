/** Messages that the page of an event sends to the extension. */
import { Schema } from "effect"
import { Reveal } from "../../editor/page/Pages.ts"
import { Remedy } from "../../editor/Problem.ts"
import { type Html, sends } from "../../editor/page/Html.ts"

/** Commands that the page can run on its event, without the prefix `threatExposure.`. */
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

/** The attribute of an element that sends the message. */
export const on = (message: EventMessage): Html => sends(message)
