import type { Migration } from "../Migration.ts"

/**
 * `format` says how the data is encrypted: see `KeyRotation.ts`, which brings format 1 to 2. `next_check` is there while a key
 * rotation goes on. `further_auth_domains` are those beyond what an answer shows: a credential is found by them too.
 */
export const keyFormatSchema: Migration = {
  name: "0009-key-format",
  sql: `
    ALTER TABLE vault ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE vault ADD COLUMN next_check BLOB;
    CREATE TABLE rekeying (table_name TEXT PRIMARY KEY, position TEXT) STRICT;
    ALTER TABLE credentials ADD COLUMN further_auth_domains TEXT;
  `
}
