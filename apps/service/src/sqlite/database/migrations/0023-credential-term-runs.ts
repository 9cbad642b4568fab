import type { Migration } from "../Migration.ts"

/**
 * The terms of credentials become a log-structured index: see `TermRuns.ts`. The present index is its first run, with as many
 * entries as the file has room for.
 */
export const credentialTermRunsSchema: Migration = {
  name: "0023-credential-term-runs",
  sql: `
    CREATE TABLE credential_term_runs (
      run INTEGER PRIMARY KEY,
      entries INTEGER NOT NULL,
      sources TEXT
    ) STRICT;
    INSERT INTO credential_term_runs
      SELECT 0, iif(EXISTS (SELECT 1 FROM credential_terms), page_count * page_size / 80, 0), NULL
      FROM pragma_page_count, pragma_page_size;
    ${Array.from(
      { length: 23 },
      (_, at) => `CREATE TABLE credential_terms_${at + 1} (
        term INTEGER NOT NULL,
        imported_at INTEGER NOT NULL,
        version INTEGER NOT NULL,
        PRIMARY KEY (term, imported_at, version)
      ) STRICT, WITHOUT ROWID;`
    ).join("\n")}
  `
}
