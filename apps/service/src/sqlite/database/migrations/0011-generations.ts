import type { Migration } from "../Migration.ts"

/**
 * Two versions of a credential or an event exist while a load replaces one with the other: see `Generations.ts`. A credential
 * with the id `n` has the versions `2n` and `2n + 1`, so that versions sort as ids do; an event's versions have ids of their
 * own, and share the uid.
 */
export const generationsSchema: Migration = {
  name: "0011-generations",
  sql: `
    CREATE TABLE generations (
      data_set TEXT PRIMARY KEY,
      published INTEGER NOT NULL,
      begun INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO generations VALUES ('credentials', 0, 0), ('events', 0, 0);

    CREATE TABLE versioned_credentials (
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
    INSERT INTO versioned_credentials
      SELECT id * 2, 0, NULL, imported_at, document, sealed_hash, source, known_password_id, auth_domains,
        further_auth_domains, urls
      FROM credentials ORDER BY id;
    DROP TABLE credentials;
    ALTER TABLE versioned_credentials RENAME TO credentials;
    CREATE INDEX removed_credentials ON credentials (removed_in) WHERE removed_in IS NOT NULL;

    CREATE TABLE versioned_terms (
      term INTEGER NOT NULL,
      imported_at INTEGER NOT NULL,
      version INTEGER NOT NULL,
      PRIMARY KEY (term, imported_at, version)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO versioned_terms SELECT term, imported_at, id * 2 FROM credential_terms ORDER BY term, imported_at, id;
    DROP TABLE credential_terms;
    ALTER TABLE versioned_terms RENAME TO credential_terms;

    -- To drop the table of events would remove their matches.
    CREATE TEMP TABLE kept_matches AS SELECT * FROM identifier_events;
    CREATE TABLE versioned_events (
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
    INSERT INTO versioned_events
      SELECT id, 0, NULL, uid, uid_order, type, severity, created_at, loaded_at, digest, document, analysis
      FROM events ORDER BY id;
    DROP TABLE events;
    ALTER TABLE versioned_events RENAME TO events;
    CREATE INDEX events_by_time ON events (created_at);
    CREATE INDEX events_by_uid ON events (uid);
    CREATE INDEX removed_events ON events (removed_in) WHERE removed_in IS NOT NULL;
    INSERT OR IGNORE INTO identifier_events SELECT * FROM kept_matches;
    DROP TABLE kept_matches;
  `
}
