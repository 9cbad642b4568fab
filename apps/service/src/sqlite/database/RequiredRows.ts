/** Rows that the schema or the first start creates, and without which no data can be read or checked. */
import { StoreRefusal } from "../../requests/StoreUnavailable.ts"
import type { Connection } from "./Connection.ts"

/** Another program deleted or added rows. */
export class RowsMissing extends StoreRefusal {
  constructor(table: string) {
    super(
      "The database",
      `the rows of its table ${table} were changed by another program. Restore a backup that you trust`
    )
  }
}

/** Throws {@link RowsMissing} if a table has another number of these rows. */
export const requireRows = (connection: Connection): void => {
  const changed = requiredRows.find(({ count, rows }) => Number(connection.tuples(count)[0]?.[0]) !== rows)
  if (changed !== undefined) throw new RowsMissing(changed.table)
}

const requiredRows = [
  { table: "vault", rows: 1, count: "SELECT count(*) FROM vault" },
  {
    table: "generations",
    rows: 2,
    count: "SELECT count(*) FROM generations WHERE data_set IN ('credentials', 'events')"
  },
  { table: "matching_revision", rows: 1, count: "SELECT count(*) FROM matching_revision" },
  {
    table: "credential_term_runs",
    rows: 1,
    count: "SELECT count(*) > 0 FROM credential_term_runs WHERE sources IS NULL"
  }
]
