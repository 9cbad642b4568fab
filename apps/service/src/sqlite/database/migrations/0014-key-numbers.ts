import type { Migration } from "../Migration.ts"

/** The log names keys by their id, so the id of a deleted key must not be given again. */
export const keyNumbersSchema: Migration = {
  name: "0014-key-numbers",
  sql: `
    CREATE TABLE numbered_keys (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      token_hash BLOB NOT NULL UNIQUE,
      tenant_id INTEGER NOT NULL,
      permissions TEXT NOT NULL,
      created_at TEXT NOT NULL,
      revoked_at TEXT,
      label TEXT,
      expires_at TEXT,
      last_used_at TEXT
    ) STRICT;
    INSERT INTO numbered_keys (id, token_hash, tenant_id, permissions, created_at, revoked_at, label, expires_at, last_used_at)
      SELECT id, token_hash, tenant_id, permissions, created_at, revoked_at, label, expires_at, last_used_at FROM keys;
    DROP TABLE keys;
    ALTER TABLE numbered_keys RENAME TO keys;
  `
}
