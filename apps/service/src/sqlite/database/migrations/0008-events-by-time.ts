import type { Migration } from "../Migration.ts"

/** By which a range of so many events is found without reading them. */
export const eventsByTimeSchema: Migration = {
  name: "0008-events-by-time",
  sql: `CREATE INDEX events_by_time ON events (created_at);`
}
