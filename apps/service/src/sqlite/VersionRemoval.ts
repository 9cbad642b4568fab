import * as Schema from "effect/Schema"
import { query } from "./database/Connection.ts"
import { abandonGeneration, type DataSet, generationsOf, hasLeftovers } from "./database/Generations.ts"
import { type OpenDatabase, procedure } from "./database/Procedure.ts"
import { slice, type Steps } from "./database/Steps.ts"
import type { LeftoversAfter, RecordStore } from "./RecordLoader.ts"

interface Removal {
  readonly key: string
  readonly atOnce: number
  remove(database: OpenDatabase, version: bigint): void
}

/** `deleteRemoved` deletes versions that a published one replaced, `removeLeftovers` those never published, too. */
export const versionRemoval = (
  dataSet: DataSet,
  { atOnce, key, remove }: Removal
): Pick<RecordStore<unknown>, "deleteRemoved" | "removeLeftovers"> => {
  const column = `${dataSet}.${key}`
  const versions = (rest: string) => query(Version, `SELECT CAST(${column} AS TEXT) AS version FROM ${dataSet} ${rest}`)
  const removedVersions = versions(`WHERE removed_in <= ? LIMIT ${atOnce}`)
  const endOfRange = versions(`WHERE ${column} > ? ORDER BY ${column} LIMIT 1 OFFSET ${atOnce}`)
  const unpublishedVersions = versions(`WHERE ${column} > ? AND ${column} <= ? AND added_in > ?`)
  const restoreReplaced = `UPDATE ${dataSet} SET removed_in = NULL
    WHERE ${key} IN (SELECT ${key} FROM ${dataSet} WHERE removed_in > ? LIMIT ${atOnce})`

  function* deleteRemoved(database: OpenDatabase): Steps<void> {
    const { published } = generationsOf(database.connection, dataSet)
    for (;;) {
      const removed = database.connection.all(removedVersions, published)
      if (removed.length === 0) return
      for (const { version } of removed) remove(database, version)
      yield
    }
  }

  function* removeUnpublished(database: OpenDatabase, after: LeftoversAfter): Generator<LeftoversAfter, void, void> {
    const { connection } = database
    const { published } = generationsOf(connection, dataSet)
    while (connection.run(restoreReplaced, published).changes > 0) yield after
    for (let last = after.version ?? -(2n ** 63n); ;) {
      // Scans the versions in ranges, because no index contains the generation.
      const end = connection.first(endOfRange, last)?.version
      const unpublished = connection.all(unpublishedVersions, last, end ?? 2n ** 63n - 1n, published)
      for (const { version } of unpublished) remove(database, version)
      if (end === undefined) return abandonGeneration(connection, dataSet)
      yield { version: end }
      last = end
    }
  }

  function* removeBoth(database: OpenDatabase, after: LeftoversAfter): Generator<LeftoversAfter, void, void> {
    if (hasLeftovers(database.connection, dataSet)) yield* removeUnpublished(database, after)
    for (const _ of deleteRemoved(database)) yield {}
  }

  return {
    deleteRemoved,
    removeLeftovers: procedure(`${dataSet}.removeLeftovers`, (database, after: LeftoversAfter) => {
      const step = slice(removeBoth(database, after))
      return step.done === true ? undefined : step.value
    })
  }
}

const Version = Schema.Struct({ version: Schema.BigIntFromString })
