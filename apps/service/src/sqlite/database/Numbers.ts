/** Counters that outlive what they number: the number of a deleted row is not given again. */
import { RecordForeign } from "../../requests/ForeignRecords.ts"
import type { Connection } from "./Connection.ts"

/** The next number of the counter, from 1. */
export const nextNumber = (connection: Connection, counter: string): number => {
  const [[last] = []] = connection.tuples(
    `INSERT INTO numbers VALUES (?, 1) ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last`,
    counter
  )
  if (typeof last !== "number") throw new RecordForeign("numbers", counter)
  return last
}

/** The counter gives no number up to this one. */
export const passNumber = (connection: Connection, counter: string, number: number): void => {
  connection.run(
    "INSERT INTO numbers VALUES (?, ?) ON CONFLICT DO UPDATE SET last = max(last, excluded.last)",
    counter,
    number
  )
}
