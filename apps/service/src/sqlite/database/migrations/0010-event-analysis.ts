import type { Migration } from "../Migration.ts"

/** The result of indexing an event (`EventAnalysis.ts`), encrypted. Null for an event that an earlier version stored. */
export const eventAnalysisSchema: Migration = {
  name: "0010-event-analysis",
  sql: `ALTER TABLE events ADD COLUMN analysis BLOB;`
}
