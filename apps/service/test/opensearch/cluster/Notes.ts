import type { IndexDefinition } from "@threat-exposure/service/opensearch/cluster/IndexDefinition"
import { Schema } from "effect"

const Note = Schema.Struct({ word: Schema.String })

export const notes: IndexDefinition<typeof Note.Type> = {
  name: "notes",
  version: 1,
  properties: { word: { type: "keyword" } },
  document: Note
}
