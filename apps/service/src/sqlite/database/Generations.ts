/**
 * Generations make a load of any size visible at once, although it is written in many short transactions.
 *
 * A row belongs to all generations from the one that added it up to the one that removed it. Readers see the published
 * generation. A publication adds the rows of the next generation, which are invisible, and marks the rows that they
 * replace; one statement publishes the generation; then the replaced rows are deleted. The next publication removes
 * what an interrupted one left behind. A lock that ends with its process allows one publication per data set at a time.
 */
import { DatabaseSync } from "node:sqlite"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Connection, select } from "./Connection.ts"
import { isBusy } from "./DriverError.ts"
import { createPrivate } from "./PrivateFile.ts"
import { RowsMissing } from "./RequiredRows.ts"

export const dataSets = ["credentials", "events"] as const
export type DataSet = (typeof dataSets)[number]

export const isPublished = (alias: string, dataSet: DataSet): string => {
  const published = `(SELECT published FROM generations WHERE data_set = '${dataSet}')`
  return `${alias}.added_in <= ${published} AND (${alias}.removed_in IS NULL OR ${alias}.removed_in > ${published})`
}

export interface Generations {
  readonly published: number
  /** Greater than the published generation from the beginning of a publication until it ends, successfully or not. */
  readonly begun: number
}

export const generationsOf = (connection: Connection, dataSet: DataSet): Generations => {
  const found = connection.first(generations, dataSet)
  if (found === undefined) throw new RowsMissing("generations")
  return found
}

/** Whether a publication was interrupted, or is running. */
export const hasLeftovers = (connection: Connection, dataSet: DataSet): boolean => {
  const { begun, published } = generationsOf(connection, dataSet)
  return begun !== published
}

export const beginGeneration = (connection: Connection, dataSet: DataSet): number => {
  connection.run("UPDATE generations SET begun = published + 1 WHERE data_set = ?", dataSet)
  return generationsOf(connection, dataSet).begun
}

export const publishGeneration = (connection: Connection, dataSet: DataSet): void => {
  connection.run("UPDATE generations SET published = begun WHERE data_set = ?", dataSet)
}

/** Call it after the rows of the generation were removed. */
export const abandonGeneration = (connection: Connection, dataSet: DataSet): void => {
  connection.run("UPDATE generations SET begun = published WHERE data_set = ?", dataSet)
}

const generations = select(
  Schema.Struct({ data_set: Schema.String, published: Schema.Int, begun: Schema.Int }),
  "FROM generations WHERE data_set = ?"
)

/** Released with the lock of a file beside the database, also if the process is killed. */
export const publicationLock = Effect.fnUntraced(function* (file: string, dataSet: DataSet) {
  const lock = yield* Effect.acquireDisposable(
    Effect.sync(() => new PublicationLock(publicationLockPath(file, dataSet)))
  )
  for (let waited = 0; !lock.take(); waited += pollInterval) {
    if (waited === quietWait) yield* Console.error(`waiting for another load of ${dataSet} into ${file} to end …`)
    yield* Effect.sleep(pollInterval)
  }
})

export const publicationLockPath = (file: string, dataSet: DataSet): string => `${file}-${dataSet}.lock`

/** Milliseconds. */
const pollInterval = 20
const quietWait = 1_000

export class PublicationLock implements Disposable {
  readonly #database: DatabaseSync

  constructor(path: string) {
    createPrivate(path)
    this.#database = new DatabaseSync(path, { timeout: 0 })
  }

  /** Returns whether this process now holds the lock. */
  take(): boolean {
    try {
      this.#database.exec("BEGIN EXCLUSIVE")
      return true
    } catch (cause) {
      if (isBusy(cause)) return false
      throw cause
    }
  }

  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close()
  }
}
