/** Events with one planted secret each, and a search for these secrets in the files of a database. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type PlantedSecret, plantedSecrets, reveals } from "@threat-exposure/detect/testing/PlantedSecrets"
import { loadEventsJob } from "./PublishedRecords.ts"
import type { StoredEvent } from "@threat-exposure/service/events/EventStore"
import type { DatabaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import type { OpenDatabase } from "@threat-exposure/service/sqlite/database/Procedure"

export interface PlantedEvent extends Omit<PlantedSecret, "data"> {
  readonly event: StoredEvent
}

export const plantedEvents = (): ReadonlyArray<PlantedEvent> =>
  plantedSecrets().map(({ context, data, secret }, number) => ({
    context,
    secret,
    event: {
      event_type: "paste",
      metadata: {
        uid: `planted/${number}`,
        severity: "medium",
        estimated_created_at: new Date(Date.UTC(2026, 0, 1, 0, 0, number)).toISOString()
      },
      data
    }
  }))

/**
 * Stores the planted secrets, and returns those that can be read in the bytes of a database file or in the words of its
 * index. A secret counts as readable if any run of at least six of its letters and digits is.
 */
export const readableSecrets = (
  { connection, vault }: OpenDatabase,
  files: DatabaseFiles,
  planted: ReadonlyArray<PlantedEvent>
): ReadonlyArray<PlantedEvent> => {
  connection.transaction(() =>
    loadEventsJob.run({ connection, vault }, { events: planted.map(({ event }) => event), now: "2026-02-01T00:00:00Z" })
  )
  // The index only stores how a word differs from the one before it.
  connection.exec("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'event_index', 'row')")
  const words = connection.prepare("SELECT group_concat(term, ' ') AS words FROM temp.words").get()?.["words"]
  const bytes = readdirSync(dirname(files.file)).map((name) =>
    readFileSync(join(dirname(files.file), name), "latin1").toLowerCase()
  )
  const readable = [String(words), ...bytes]
  return planted.filter(({ secret }) => readable.some((text) => reveals(text, secret)))
}
