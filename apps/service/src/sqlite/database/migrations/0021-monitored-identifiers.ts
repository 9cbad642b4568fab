import type { Migration } from "../Migration.ts"

/**
 * `removed_to` is the progress of the second half of a change of an identifier: after the new matches are stored, those of
 * the events up to this id that no longer match are removed. Null for a creation, which has none.
 */
export const monitoredIdentifiersSchema: Migration = {
  name: "0021-monitored-identifiers",
  sql: `
    ALTER TABLE identifiers ADD COLUMN group_id INTEGER;
    ALTER TABLE identifiers ADD COLUMN is_disabled INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX identifiers_of_group ON identifiers (tenant_id, group_id) WHERE group_id IS NOT NULL;
    CREATE INDEX policies_of_tenant ON matching_policies (tenant_id, created_at, uuid);
    ALTER TABLE identifier_creations ADD COLUMN removed_to INTEGER;
  `
}
