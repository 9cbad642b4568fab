import type { Migration } from "../Migration.ts"

/** Removals of past matches that are not complete. `cleaned_to` is the last event that was looked at. */
export const policyCleaningsSchema: Migration = {
  name: "0024-policy-cleanings",
  sql: `
    CREATE TABLE policy_cleanings (
      id INTEGER PRIMARY KEY,
      policy_uuid TEXT NOT NULL REFERENCES matching_policies ON DELETE CASCADE,
      identifier_ids TEXT NOT NULL,
      cleaned_to INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX cleanings_of_policy ON policy_cleanings (policy_uuid);
  `
}
