/** What `load` must know of a kind of record. */
import * as Result from "effect/Result"
import { deepest, isTooDeep } from "../requests/JsonDepth.ts"
import type { Connection } from "../sqlite/Connection.ts"
import type { OpenDatabase, Procedure } from "../sqlite/Procedure.ts"
import { type Line, type LineChunk, linesOf } from "./LineChunks.ts"

export interface Loadable<Batch> {
  /** What it is called in what `load` says: `credentials`. */
  readonly name: string
  /** Reads lines, and does all that needs no database: it runs in several threads at once. */
  readonly prepare: Procedure<LineChunk, Prepared<Batch>>
  /** How many records may wait in memory to be stored together; each chunk is stored by itself where it is 0. */
  readonly atOnce: number
  /** Before the first transaction: reads what `insert` needs, so that the write lock is not held for it. */
  readonly warmUp?: (database: OpenDatabase) => void
  /** Within a transaction. How many were new: one that is there already is left as it is. */
  readonly insert: (database: OpenDatabase, batches: ReadonlyArray<Batch>, now: string) => number
}

export interface Prepared<Batch> {
  readonly batch: Batch
  readonly count: number
  readonly badLines: ReadonlyArray<BadLine>
}

export interface BadLine {
  readonly number: number
  /** What is wrong with it, without what is in it. */
  readonly reason: string
}

/** Each line as JSON, through `read`, which gives the record or says what is wrong. */
export const readLines = <Read>(
  chunk: LineChunk,
  read: (json: unknown) => Result.Result<Read, string>
): { readonly records: ReadonlyArray<Read>; readonly badLines: ReadonlyArray<BadLine> } => {
  const records: Array<Read> = []
  const badLines: Array<BadLine> = []
  for (const line of linesOf(chunk)) {
    const record = Result.flatMap(jsonOf(line), read)
    if (Result.isSuccess(record)) records.push(record.success)
    else badLines.push({ number: line.number, reason: record.failure })
  }
  return { records, badLines }
}

const jsonOf = (line: Line): Result.Result<unknown, string> => {
  if ("fault" in line) return Result.fail(line.fault)
  if (isTooDeep(line.text)) return Result.fail(`it has more than ${deepest} objects and lists within one another`)
  try {
    return Result.succeed(JSON.parse(line.text))
  } catch {
    return Result.fail("it is not JSON")
  }
}

/** A connection for loading: it may hold a good part of the indexes in memory, for they are what is written. */
export const tunedForLoading = (connection: Connection): Connection => {
  // Index pages change many times in a load: seldom copied to the database, they are seldom written twice.
  connection.exec("PRAGMA cache_size = -262144; PRAGMA wal_autocheckpoint = 32768")
  return connection
}
