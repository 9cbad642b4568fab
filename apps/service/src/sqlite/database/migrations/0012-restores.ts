import type { Migration } from "../Migration.ts"

/** A number that each restore draws anew: by it, connections of a running service learn that all data was replaced. */
export const restoresSchema: Migration = {
  name: "0012-restores",
  sql: `ALTER TABLE vault ADD COLUMN restored INTEGER NOT NULL DEFAULT 0;`
}
