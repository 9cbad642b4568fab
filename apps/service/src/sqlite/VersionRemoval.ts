import * as Schema from "effect/Schema"
import { column } from "./database/Connection.ts"
import { type DataSet, generationsOf } from "./database/Generations.ts"
import type { OpenDatabase } from "./database/Procedure.ts"
import type { RecordStore } from "./RecordLoader.ts"

interface Removal {
  readonly key: string
  readonly atOnce: number
  remove(database: OpenDatabase, version: bigint): void
}

/** `deleteRemoved` deletes versions that a published one replaced, `discardUnpublished` those never published. */
export const versionRemoval = (
  dataSet: DataSet,
  { atOnce, key, remove }: Removal
): Pick<RecordStore<unknown>, "deleteRemoved" | "discardUnpublished"> => {
  const id = `${dataSet}.${key}`
  const versions = (rest: string) =>
    column(Schema.BigIntFromString, `SELECT CAST(${id} AS TEXT) FROM ${dataSet} ${rest}`)
  const removedVersions = versions(`WHERE removed_in <= ? LIMIT ${atOnce}`)
  const endOfRange = versions(`WHERE ${id} > ? ORDER BY ${id} LIMIT 1 OFFSET 10000`)
  const unpublishedVersions = versions(`WHERE ${id} > ? AND ${id} <= ? AND added_in > ?`)
  return {
    *deleteRemoved(database) {
      const { published } = generationsOf(database.connection, dataSet)
      for (;;) {
        const removed = database.connection.all(removedVersions, published)
        if (removed.length === 0) return
        for (const version of removed) remove(database, version)
        yield
      }
    },
    *discardUnpublished(database) {
      const { connection } = database
      const { published } = generationsOf(connection, dataSet)
      connection.run(`UPDATE ${dataSet} SET removed_in = NULL WHERE removed_in > ?`, published)
      let last = -(2n ** 63n)
      for (;;) {
        yield
        // Scans the versions in ranges, because no index contains the generation.
        const end = connection.first(endOfRange, last)
        const unpublished = connection.all(unpublishedVersions, last, end ?? 2n ** 63n - 1n, published)
        for (const version of unpublished) remove(database, version)
        if (end === undefined) return
        last = end
      }
    }
  }
}
