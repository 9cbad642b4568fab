import type { Migration } from "../Migration.ts"

/** Times are ISO 8601 in UTC. `last_used_at` is written once a minute at most. */
export const keyDetails: Migration = {
  name: "0006-key-details",
  sql: `
    ALTER TABLE keys ADD COLUMN label TEXT;
    ALTER TABLE keys ADD COLUMN expires_at TEXT;
    ALTER TABLE keys ADD COLUMN last_used_at TEXT;
  `
}
