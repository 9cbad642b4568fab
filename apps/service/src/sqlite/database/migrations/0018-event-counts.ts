import type { Migration } from "../Migration.ts"

const published = "(SELECT published FROM generations WHERE data_set = 'events')"

/** 1 for an event that readers see. */
const isVisible = (event: string) =>
  `(${event}.added_in <= ${published} AND (${event}.removed_in IS NULL OR ${event}.removed_in > ${published}))`

/** The change of the count when the next generation is published. */
const pendingChange = (event: string) => `((${event}.removed_in IS NULL) - ${isVisible(event)})`

const ofEvent = (event: string) =>
  `identifier_id IN (SELECT identifier_id FROM identifier_events WHERE event_id = ${event}.id)`

/**
 * How many visible events each identifier matches: `count`, and `pending` for what the publication of the next generation adds
 * to it (`Generations.ts`). Triggers maintain both, whatever stores or removes events and matches.
 */
export const eventCountsSchema: Migration = {
  name: "0018-event-counts",
  sql: `
    CREATE TABLE event_counts (
      identifier_id INTEGER PRIMARY KEY REFERENCES identifiers ON DELETE CASCADE,
      count INTEGER NOT NULL,
      pending INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX pending_event_counts ON event_counts (identifier_id) WHERE pending <> 0;
    INSERT INTO event_counts
      SELECT m.identifier_id, sum(${isVisible("e")}), sum(${pendingChange("e")})
      FROM identifier_events m JOIN events e ON e.id = m.event_id GROUP BY m.identifier_id;

    CREATE TRIGGER match_stored AFTER INSERT ON identifier_events
      BEGIN
        INSERT INTO event_counts
          SELECT NEW.identifier_id, ${isVisible("e")}, ${pendingChange("e")} FROM events e WHERE e.id = NEW.event_id
          ON CONFLICT (identifier_id)
            DO UPDATE SET count = count + excluded.count, pending = pending + excluded.pending;
      END;
    -- The matches of a deleted event are deleted after it.
    CREATE TRIGGER match_removed AFTER DELETE ON identifier_events
      BEGIN
        UPDATE event_counts SET count = count - ${isVisible("e")}, pending = pending - ${pendingChange("e")}
          FROM events e WHERE e.id = OLD.event_id AND identifier_id = OLD.identifier_id;
      END;
    CREATE TRIGGER matched_event_deleted BEFORE DELETE ON events
      BEGIN
        UPDATE event_counts SET count = count - ${isVisible("OLD")}, pending = pending - ${pendingChange("OLD")}
          WHERE ${ofEvent("OLD")};
      END;
    CREATE TRIGGER matched_event_replaced AFTER UPDATE OF removed_in ON events
      BEGIN
        UPDATE event_counts
          SET count = count + ${isVisible("NEW")} - ${isVisible("OLD")},
            pending = pending + ${pendingChange("NEW")} - ${pendingChange("OLD")}
          WHERE ${ofEvent("NEW")};
      END;
    CREATE TRIGGER events_published AFTER UPDATE OF published ON generations WHEN NEW.data_set = 'events'
      BEGIN
        UPDATE event_counts SET count = count + pending, pending = 0 WHERE pending <> 0;
      END;
  `
}
