import type { Migration } from "../Migration.ts"

/** The identifiers that are still matched against the events stored before them: those up to the id `matched_to` are done. */
export const identifierCreationsSchema: Migration = {
  name: "0013-identifier-creations",
  sql: `
    CREATE TABLE identifier_creations (
      identifier_id INTEGER PRIMARY KEY REFERENCES identifiers ON DELETE CASCADE,
      matched_at TEXT NOT NULL,
      matched_to INTEGER NOT NULL
    ) STRICT;
  `
}
