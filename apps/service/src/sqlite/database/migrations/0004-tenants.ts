import type { Migration } from "../Migration.ts"

/**
 * The data that belongs to a tenant. `asset` and `question` are sealed: an identifier may be a secret. `matching_revision` counts
 * the changes after which a loader must learn anew what is watched.
 */
export const tenantsSchema: Migration = {
  name: "0004-tenants",
  sql: `
    CREATE TABLE identifiers (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      tenant_id INTEGER NOT NULL,
      asset BLOB NOT NULL
    ) STRICT;
    CREATE INDEX identifiers_of_tenant ON identifiers (tenant_id);

    CREATE TABLE identifier_events (
      identifier_id INTEGER NOT NULL REFERENCES identifiers ON DELETE CASCADE,
      event_id INTEGER NOT NULL REFERENCES events ON DELETE CASCADE,
      matched_at TEXT NOT NULL,
      PRIMARY KEY (identifier_id, event_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX identifiers_of_event ON identifier_events (event_id);

    CREATE TABLE identifier_groups (
      tenant_id INTEGER NOT NULL,
      id INTEGER NOT NULL,
      feed_id INTEGER,
      feed_owner_id INTEGER,
      name TEXT,
      urn TEXT,
      PRIMARY KEY (tenant_id, id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE matching_policies (
      uuid TEXT PRIMARY KEY,
      tenant_id INTEGER NOT NULL,
      name TEXT NOT NULL,
      policy_type TEXT NOT NULL,
      value TEXT NOT NULL,
      created_at TEXT NOT NULL,
      last_updated_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE policy_assignments (
      policy_uuid TEXT NOT NULL REFERENCES matching_policies ON DELETE CASCADE,
      identifier_id INTEGER NOT NULL REFERENCES identifiers ON DELETE CASCADE,
      clean_past_events INTEGER NOT NULL,
      assigned_at TEXT NOT NULL,
      PRIMARY KEY (policy_uuid, identifier_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX policies_of_identifier ON policy_assignments (identifier_id);

    CREATE TABLE matching_revision (revision INTEGER NOT NULL) STRICT;
    INSERT INTO matching_revision VALUES (0);
    CREATE TRIGGER identifier_created AFTER INSERT ON identifiers
      BEGIN UPDATE matching_revision SET revision = revision + 1; END;
    CREATE TRIGGER identifier_deleted AFTER DELETE ON identifiers
      BEGIN UPDATE matching_revision SET revision = revision + 1; END;
    CREATE TRIGGER policy_assigned AFTER INSERT ON policy_assignments
      BEGIN UPDATE matching_revision SET revision = revision + 1; END;
    CREATE TRIGGER policy_unassigned AFTER DELETE ON policy_assignments
      BEGIN UPDATE matching_revision SET revision = revision + 1; END;

    CREATE TABLE recommendations (
      tenant_id INTEGER NOT NULL,
      id INTEGER NOT NULL,
      type TEXT,
      data TEXT NOT NULL,
      status TEXT NOT NULL,
      updated_at TEXT,
      relevancy TEXT,
      PRIMARY KEY (tenant_id, id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE reports (
      id INTEGER PRIMARY KEY,
      tenant_id INTEGER NOT NULL,
      report TEXT NOT NULL,
      created_at TEXT NOT NULL
    ) STRICT;

    CREATE TABLE tenant_users (
      tenant_id INTEGER NOT NULL,
      user_id INTEGER NOT NULL,
      is_readonly INTEGER NOT NULL,
      role TEXT NOT NULL,
      added_at TEXT NOT NULL,
      PRIMARY KEY (tenant_id, user_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE intel_requests (
      request_id TEXT PRIMARY KEY,
      tenant_id INTEGER NOT NULL,
      question BLOB NOT NULL,
      tone TEXT,
      created_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  `
}
