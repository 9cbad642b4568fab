import type { Migration } from "../Migration.ts"

/** In microseconds. As of the statement, which runs in a write transaction: in the order of commits. */
const clock = "CAST(unixepoch('subsec') * 1000 AS INTEGER) * 1000"

/** In microseconds; the times of migrated matches are from different programs. */
const timeOf = (text: string) =>
  `(CAST(strftime('%s', substr(${text}, 1, 19)) AS INTEGER) * 1000000 + CAST(substr(rtrim(substr(${text}, 21), 'Z') || '000000', 1, 6) AS INTEGER))`

/**
 * When events reached a tenant: see `events/Arrivals.ts`. `arrivals.count` is the number of arrivals in a generation, and a
 * row of `arrival_times` gives the time of the arrivals from that one on: each is a microsecond later than the one before.
 */
export const arrivalsSchema: Migration = {
  name: "0019-arrivals",
  sql: `
    CREATE TABLE arrivals (generation INTEGER PRIMARY KEY, count INTEGER NOT NULL) STRICT;
    CREATE TABLE arrival_times (arrival INTEGER PRIMARY KEY, materialized_at INTEGER NOT NULL) STRICT;
    CREATE INDEX arrivals_by_time ON arrival_times (materialized_at);
    CREATE VIEW latest_arrival AS
      SELECT t.materialized_at + (t.arrival >> 30 << 30) + a.count - t.arrival AS materialized_at
      FROM arrival_times t JOIN arrivals a ON a.generation = t.arrival >> 30 ORDER BY t.arrival DESC LIMIT 1;
    CREATE VIEW next_arrival AS
      SELECT max(${clock}, coalesce((SELECT materialized_at FROM latest_arrival) + 1, 0)) AS materialized_at;

    ALTER TABLE identifier_events ADD COLUMN arrival INTEGER;
    CREATE TEMP TABLE arrived AS
      SELECT tenant_id, event_id, min(matched_at) AS matched_at,
        row_number() OVER (ORDER BY min(matched_at), event_id, tenant_id) AS number
      FROM identifier_events GROUP BY tenant_id, event_id;
    CREATE UNIQUE INDEX temp.arrived_events ON arrived (tenant_id, event_id);
    UPDATE identifier_events SET arrival = (
      SELECT ((SELECT published FROM generations WHERE data_set = 'events') << 30) + a.number
      FROM arrived a WHERE a.tenant_id = identifier_events.tenant_id AND a.event_id = identifier_events.event_id);
    INSERT INTO arrivals
      SELECT (SELECT published FROM generations WHERE data_set = 'events'), max(number) FROM arrived HAVING count(*) > 0;
    -- No time is earlier than those of the matches before.
    INSERT INTO arrival_times
      SELECT ((SELECT published FROM generations WHERE data_set = 'events') << 30) + first,
        first + max(time - first) OVER (ORDER BY first)
      FROM (SELECT min(number) AS first, ${timeOf("matched_at")} AS time FROM arrived GROUP BY matched_at);
    DROP TABLE arrived;
    CREATE INDEX arrivals_of_tenant ON identifier_events (tenant_id, arrival);

    CREATE TRIGGER arrivals_published AFTER UPDATE OF published ON generations
      WHEN NEW.data_set = 'events' AND NEW.published > OLD.published
        AND EXISTS (SELECT 1 FROM arrivals WHERE generation = NEW.published)
      BEGIN
        INSERT INTO arrival_times SELECT (NEW.published << 30) + 1, materialized_at FROM next_arrival;
      END;
  `
}
