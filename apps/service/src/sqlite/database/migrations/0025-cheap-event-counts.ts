import type { Migration } from "../Migration.ts"

/**
 * A load stores millions of matches, and each of them changes a count. Without the index, a publication looks at the counts of
 * all identifiers: there are few of these.
 */
export const cheapEventCountsSchema: Migration = {
  name: "0025-cheap-event-counts",
  sql: `
    DROP INDEX pending_event_counts;
    DROP TRIGGER match_stored;
    CREATE TRIGGER match_stored AFTER INSERT ON identifier_events
      BEGIN
        INSERT INTO event_counts
          SELECT NEW.identifier_id, is_visible, (removed_in IS NULL) - is_visible
          FROM (
            SELECT e.removed_in,
              e.added_in <= g.published AND (e.removed_in IS NULL OR e.removed_in > g.published) AS is_visible
            FROM events e CROSS JOIN generations g WHERE e.id = NEW.event_id AND g.data_set = 'events')
          WHERE true
          ON CONFLICT (identifier_id)
            DO UPDATE SET count = count + excluded.count, pending = pending + excluded.pending;
      END;
  `
}
