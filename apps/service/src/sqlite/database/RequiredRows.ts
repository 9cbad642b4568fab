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
  for (const [table, condition] of Object.entries(requiredRows)) {
    if (!connection.has(`WHERE ${condition}`)) throw new RowsMissing(table)
  }
}

const requiredRows = {
  vault: "(SELECT count(*) FROM vault) = 1",
  generations: "(SELECT count(*) FROM generations WHERE data_set IN ('credentials', 'events')) = 2",
  matching_revision: "(SELECT count(*) FROM matching_revision) = 1",
  credential_term_runs: "EXISTS (SELECT 1 FROM credential_term_runs WHERE sources IS NULL)"
}
