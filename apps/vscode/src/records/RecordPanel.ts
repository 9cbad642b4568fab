/** The panels of identifiers, groups, policies and recommendations, which are records of the service. */
import { Effect, Schema } from "effect"
import { Editor } from "../editor/Editor.ts"
import { t } from "../words/Localisation.ts"

export const RecordName = Schema.Struct({
  kind: Schema.Literals(["identifier", "group", "policy", "recommendation"]),
  /** The id of the record, or the uuid of a policy. */
  id: Schema.String
})
export type RecordName = typeof RecordName.Type

export const keyOf = ({ id, kind }: RecordName) => `${kind} ${id}`

/** Opens the page of a record. The page sets the title of its tab after it has loaded. */
export const openRecord = (name: RecordName): Effect.Effect<void, never, Editor> =>
  Effect.flatMap(Editor, (editor) =>
    editor.openWebview("record", { key: keyOf(name), title: t("Loading…"), state: name })
  )
