import type { Migration } from "../Migration.ts"

/** The actions of a tenant on a credential. Times are ISO 8601. */
export const credentialStatesSchema: Migration = {
  name: "0020-credential-states",
  sql: `
    CREATE TABLE credential_states (
      tenant_id INTEGER NOT NULL,
      credential_hash TEXT NOT NULL,
      ignored_at TEXT,
      remediated_at TEXT,
      PRIMARY KEY (tenant_id, credential_hash)
    ) STRICT, WITHOUT ROWID;
  `
}
