/** Messages that the page of a record sends to the extension. */
import { Schema } from "effect"
import { Remedy } from "../editor/Problem.ts"
import { RecordName } from "./RecordPanel.ts"

/** Commands that the page can run on its record, without the prefix `threatExposure.`. */
export const recordCommands = [
  "identifiers.update",
  "identifiers.assignPolicies",
  "identifiers.group",
  "identifiers.enable",
  "identifiers.disable",
  "identifiers.delete",
  "identifiers.forget",
  "identifiers.renameGroup",
  "identifiers.deleteGroup",
  "policies.assign",
  "policies.update",
  "policies.delete",
  "policies.forget",
  "recommendations.accept",
  "recommendations.reject",
  "recommendations.createIdentifier"
] as const
export type RecordCommand = (typeof recordCommands)[number]

export const RecordMessage = Schema.Union([
  Schema.TaggedStruct("Run", { command: Schema.Literals(recordCommands) }),
  Schema.TaggedStruct("Open", RecordName.fields),
  Schema.TaggedStruct("OpenEvent", { uid: Schema.String }),
  Schema.TaggedStruct("Cancel", {}),
  Schema.TaggedStruct("Copy", { what: Schema.Literals(["id", "json"]) }),
  Remedy
])
export type RecordMessage = typeof RecordMessage.Type
