import type { Migration } from "../Migration.ts"

/**
 * `identifier_changes` names, for each identifier, the last revision at which what it matches changed, deleted identifiers
 * included. A percolator that knows a revision reads only what changed after it.
 */
export const identifierChangesSchema: Migration = {
  name: "0005-identifier-changes",
  sql: `
    DROP TRIGGER identifier_created;
    DROP TRIGGER identifier_deleted;
    DROP TRIGGER policy_assigned;
    DROP TRIGGER policy_unassigned;

    CREATE TABLE identifier_changes (
      identifier_id INTEGER PRIMARY KEY,
      revision INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX identifier_changes_in_order ON identifier_changes (revision);
    UPDATE matching_revision SET revision = revision + 1;
    INSERT INTO identifier_changes SELECT id, revision FROM identifiers, matching_revision;

    ${(
      [
        ["identifier_created", "INSERT ON identifiers", "NEW.id"],
        ["identifier_deleted", "DELETE ON identifiers", "OLD.id"],
        ["policy_assigned", "INSERT ON policy_assignments", "NEW.identifier_id"],
        ["policy_unassigned", "DELETE ON policy_assignments", "OLD.identifier_id"]
      ] as const
    )
      .map(
        ([name, event, id]) => `
          CREATE TRIGGER ${name} AFTER ${event}
            BEGIN
              UPDATE matching_revision SET revision = revision + 1;
              INSERT INTO identifier_changes SELECT ${id}, revision FROM matching_revision WHERE true
                ON CONFLICT (identifier_id) DO UPDATE SET revision = excluded.revision;
            END;`
      )
      .join("")}
  `
}
