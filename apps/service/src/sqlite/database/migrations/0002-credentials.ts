import type { Migration } from "../Migration.ts"

/**
 * A credential's `document` is its JSON in an answer, without the braces, the encrypted hash and the fields with a column of
 * their own: an answer is concatenated from these texts. The encrypted hash is JSON too. Each term that a credential is found
 * by is a row of `credential_terms`, in the order of listings: every search is one range of that index, however deep the page.
 */
export const credentialsSchema: Migration = {
  name: "0002-credentials",
  sql: `
    CREATE TABLE credential_sources (
      id INTEGER PRIMARY KEY,
      document TEXT NOT NULL UNIQUE
    ) STRICT;

    CREATE TABLE credentials (
      id INTEGER PRIMARY KEY,
      imported_at INTEGER NOT NULL,
      document TEXT NOT NULL,
      sealed_hash BLOB,
      source INTEGER REFERENCES credential_sources (id),
      known_password_id INTEGER,
      auth_domains TEXT,
      urls TEXT
    ) STRICT;

    CREATE TABLE credential_terms (
      term INTEGER NOT NULL,
      imported_at INTEGER NOT NULL,
      id INTEGER NOT NULL,
      PRIMARY KEY (term, imported_at, id)
    ) STRICT, WITHOUT ROWID;
  `
}
