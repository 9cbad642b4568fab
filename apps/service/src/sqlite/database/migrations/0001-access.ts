import type { Migration } from "../Migration.ts"

/** API keys, quota, and the check value of the encryption key. */
export const accessSchema: Migration = {
  name: "0001-access",
  sql: `
    CREATE TABLE vault (key_check BLOB NOT NULL) STRICT;

    CREATE TABLE keys (
      id INTEGER PRIMARY KEY,
      token_hash BLOB NOT NULL UNIQUE,
      tenant_id INTEGER NOT NULL,
      permissions TEXT NOT NULL,
      created_at TEXT NOT NULL,
      revoked_at TEXT
    ) STRICT;

    CREATE TABLE quota_use (
      tenant_id INTEGER NOT NULL,
      month TEXT NOT NULL,
      units INTEGER NOT NULL,
      PRIMARY KEY (tenant_id, month)
    ) STRICT, WITHOUT ROWID;
  `
}
