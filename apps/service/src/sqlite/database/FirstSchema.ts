import type { Migration } from "./Migration.ts"

const changeTrigger = (trigger: string, event: string, id: string) => `
    CREATE TRIGGER ${trigger} AFTER ${event}
      BEGIN
        UPDATE matching_revision SET revision = revision + 1;
        INSERT INTO identifier_changes SELECT ${id}, revision FROM matching_revision WHERE true
          ON CONFLICT (identifier_id) DO UPDATE SET revision = excluded.revision;
      END;`

/** Named like the last migration that it replaces. Times are ISO 8601 in UTC, or microseconds since 1970. */
export const firstSchema: Migration = {
  name: "0014-key-numbers",
  sql: `
    -- \`format\` says how the data is encrypted. \`next_check\` is there while a key rotation goes on. By \`restored\`, which each
    -- restore draws anew, connections of a running service learn that all data was replaced.
    CREATE TABLE vault (key_check BLOB NOT NULL, format INTEGER NOT NULL DEFAULT 1, next_check BLOB,
      restored INTEGER NOT NULL DEFAULT 0) STRICT;
    CREATE TABLE rekeying (table_name TEXT PRIMARY KEY, position TEXT) STRICT;

    -- The log names keys by their id, so the id of a deleted key must not be given again.
    CREATE TABLE keys (
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
    CREATE TABLE quota_use (
      tenant_id INTEGER NOT NULL,
      month TEXT NOT NULL,
      units INTEGER NOT NULL,
      PRIMARY KEY (tenant_id, month)
    ) STRICT, WITHOUT ROWID;

    -- Two versions of a credential or an event exist while a load replaces one with the other: see \`Generations.ts\`. A
    -- credential with the id \`n\` has the versions \`2n\` and \`2n + 1\`, so that versions sort as ids do; an event's versions have
    -- ids of their own, and share the uid.
    CREATE TABLE generations (
      data_set TEXT PRIMARY KEY,
      published INTEGER NOT NULL,
      begun INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO generations VALUES ('credentials', 0, 0), ('events', 0, 0);

    -- The \`document\` of a credential is its JSON in an answer, without the braces, the encrypted hash and the fields with a
    -- column of their own: an answer is concatenated from these texts. The encrypted hash is JSON too. A credential is found by
    -- \`further_auth_domains\`, which an answer does not show. Each term that it is found by is a row of \`credential_terms\`, in the
    -- order of listings: every search is one range of that index, however deep the page.
    CREATE TABLE credential_sources (
      id INTEGER PRIMARY KEY,
      document TEXT NOT NULL UNIQUE
    ) STRICT;
    CREATE TABLE credentials (
      version INTEGER PRIMARY KEY,
      added_in INTEGER NOT NULL,
      removed_in INTEGER,
      imported_at INTEGER NOT NULL,
      document TEXT NOT NULL,
      sealed_hash BLOB,
      source INTEGER REFERENCES credential_sources (id),
      known_password_id INTEGER,
      auth_domains TEXT,
      further_auth_domains TEXT,
      urls TEXT
    ) STRICT;
    CREATE INDEX removed_credentials ON credentials (removed_in) WHERE removed_in IS NOT NULL;
    CREATE TABLE credential_terms (
      term INTEGER NOT NULL,
      imported_at INTEGER NOT NULL,
      version INTEGER NOT NULL,
      PRIMARY KEY (term, imported_at, version)
    ) STRICT, WITHOUT ROWID;

    -- \`events.id\` is in the order of time (EventOrder.ts), because the full-text engine returns matches in that order and no
    -- other cheaply; \`uid_order\` is what the event sorts by in place of its uid, where the order of the engine differs. The index
    -- holds words and digests and no text: \`document\`, and \`analysis\` (EventAnalysis.ts), are encrypted. A range of so many
    -- events is found by \`events_by_time\` without reading them.
    CREATE TABLE events (
      id INTEGER PRIMARY KEY,
      added_in INTEGER NOT NULL,
      removed_in INTEGER,
      uid TEXT NOT NULL,
      uid_order TEXT,
      type TEXT NOT NULL,
      severity TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      loaded_at TEXT NOT NULL,
      digest BLOB NOT NULL,
      document BLOB NOT NULL,
      analysis BLOB
    ) STRICT;
    CREATE INDEX events_by_time ON events (created_at);
    CREATE INDEX events_by_uid ON events (uid);
    CREATE INDEX removed_events ON events (removed_in) WHERE removed_in IS NOT NULL;
    CREATE VIRTUAL TABLE event_index USING fts5(
      title, content, description, actor, url, other, terms,
      content='', contentless_delete=1, tokenize='ascii'
    );
    CREATE TABLE event_annotations (
      tenant_id INTEGER NOT NULL,
      uid TEXT NOT NULL,
      severity TEXT,
      tags TEXT NOT NULL,
      notes TEXT NOT NULL,
      ignored_at TEXT,
      remediated_at TEXT,
      PRIMARY KEY (tenant_id, uid)
    ) STRICT, WITHOUT ROWID;

    -- \`asset\` is encrypted: an identifier may be a secret.
    CREATE TABLE identifiers (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      tenant_id INTEGER NOT NULL,
      asset BLOB NOT NULL
    ) STRICT;
    CREATE INDEX identifiers_of_tenant ON identifiers (tenant_id);
    -- The identifiers that are still matched against the events stored before them: those up to the id \`matched_to\` are done.
    CREATE TABLE identifier_creations (
      identifier_id INTEGER PRIMARY KEY REFERENCES identifiers ON DELETE CASCADE,
      matched_at TEXT NOT NULL,
      matched_to INTEGER NOT NULL
    ) STRICT;
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

    -- For each identifier, the last revision at which what it matches changed, deleted identifiers included: a percolator that
    -- knows a revision reads only what changed after it.
    CREATE TABLE matching_revision (revision INTEGER NOT NULL) STRICT;
    INSERT INTO matching_revision VALUES (1);
    CREATE TABLE identifier_changes (
      identifier_id INTEGER PRIMARY KEY,
      revision INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX identifier_changes_in_order ON identifier_changes (revision);
    ${changeTrigger("identifier_created", "INSERT ON identifiers", "NEW.id")}
    ${changeTrigger("identifier_deleted", "DELETE ON identifiers", "OLD.id")}
    ${changeTrigger("policy_assigned", "INSERT ON policy_assignments", "NEW.identifier_id")}
    ${changeTrigger("policy_unassigned", "DELETE ON policy_assignments", "OLD.identifier_id")}

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
    -- \`question\` is encrypted.
    CREATE TABLE intel_requests (
      request_id TEXT PRIMARY KEY,
      tenant_id INTEGER NOT NULL,
      question BLOB NOT NULL,
      tone TEXT,
      created_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  `
}
