/** Persistent counters: the number of a deleted row is not reused. */
import { RecordForeign } from "../../requests/ForeignRecords.ts"
import type { Connection } from "./Connection.ts"

export const nextNumber = (connection: Connection, counter: string): number => {
  const [[last] = []] = connection.tuples(
    `INSERT INTO numbers VALUES (?, 1) ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last`,
    counter
  )
  if (typeof last !== "number") throw new RecordForeign("numbers", counter)
  return last
}

/** Makes the counter return only numbers above this one. */
export const passNumber = (connection: Connection, counter: string, number: number): void => {
  connection.run(
    "INSERT INTO numbers VALUES (?, ?) ON CONFLICT DO UPDATE SET last = max(last, excluded.last)",
    counter,
    number
  )
}

/** The last number of each counter. SQLite itself counts identifiers and keys. */
export const lastNumbers = (connection: Connection): ReadonlyArray<readonly [counter: string, last: number]> =>
  connection
    .tuples(
      "SELECT name, seq FROM sqlite_sequence WHERE name IN ('identifiers', 'keys') UNION ALL SELECT * FROM numbers"
    )
    .map(([counter, last]) => [String(counter), Number(last)])

export const passNumbers = (connection: Connection, numbers: ReturnType<typeof lastNumbers>): void => {
  for (const [counter, last] of numbers) {
    // Ignores a number that another program wrote, and that leaves no room for others.
    if (!Number.isInteger(last) || last > maxNumber) continue
    const isOfSqlite = counter === "identifiers" || counter === "keys"
    if (!isOfSqlite) passNumber(connection, counter, last)
    else if (connection.run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", last, counter).changes === 0)
      connection.run("INSERT INTO sqlite_sequence VALUES (?, ?)", counter, last)
  }
}

const maxNumber = 2 ** 32
