import type { Migration } from "../Migration.ts"

/** The operator's answers to questions. `report` is encrypted. */
export const intelAnswersSchema: Migration = {
  name: "0022-intel-answers",
  sql: `
    CREATE TABLE intel_answers (
      request_id TEXT PRIMARY KEY REFERENCES intel_requests ON DELETE CASCADE,
      tenant_id INTEGER NOT NULL,
      report BLOB NOT NULL,
      answered_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  `
}
