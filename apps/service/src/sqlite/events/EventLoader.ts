import { prepareChunk } from "../../events/EventReader.ts"
import type { PreparedEvent } from "../../events/PreparedEvent.ts"
import type { RecordChunk } from "../../load/RecordChunks.ts"
import { procedure } from "../database/Procedure.ts"
import { learnIdentifiers } from "../IdentifierPercolator.ts"
import { makePublisher } from "../Publication.ts"
import type { RecordLoader, RecordStore } from "../RecordLoader.ts"
import { versionRemoval } from "../VersionRemoval.ts"
import { deleteEvent, eventWriter } from "./EventVersions.ts"

export const prepareEvents = procedure("events.prepare", ({ vault }, chunk: RecordChunk) => prepareChunk(vault, chunk))

const store: RecordStore<ReadonlyArray<PreparedEvent>> = {
  dataSet: "events",
  warmUp: learnIdentifiers,
  writer: eventWriter,
  ...versionRemoval("events", { key: "id", atOnce: 100, remove: ({ connection }, id) => deleteEvent(connection, id) })
}

export const eventLoader: RecordLoader<ReadonlyArray<PreparedEvent>> & {
  readonly store: RecordStore<ReadonlyArray<PreparedEvent>>
} = {
  prepare: prepareEvents,
  publishedTogether: 5_000,
  store,
  publisher: (load) => makePublisher({ ...load, store })
}
