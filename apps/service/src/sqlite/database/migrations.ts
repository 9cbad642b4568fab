/**
 * The migrations of the schema, oldest first. To change the schema, append an entry. Never edit an entry that has been
 * released.
 */
import { firstSchema } from "./FirstSchema.ts"
import type { Migration } from "./Migration.ts"

const published = "(SELECT published FROM generations WHERE data_set = 'events')"

/** 1 for an event that readers see, otherwise 0. */
const isVisible = (event: string) =>
  `(${event}.added_in <= ${published} AND (${event}.removed_in IS NULL OR ${event}.removed_in > ${published}))`

/** How the count changes when the next generation is published. */
const pendingChange = (event: string) => `((${event}.removed_in IS NULL) - ${isVisible(event)})`

const ofEvent = (event: string) =>
  `identifier_id IN (SELECT identifier_id FROM identifier_events WHERE event_id = ${event}.id)`

/** The current time in microseconds. Evaluated in a write transaction, so times are in the order of commits. */
const clock = "CAST(unixepoch('subsec') * 1000 AS INTEGER) * 1000"

/** The microseconds of an ISO 8601 time; the times of migrated matches were written by different programs. */
const timeOf = (text: string) =>
  `(CAST(strftime('%s', substr(${text}, 1, 19)) AS INTEGER) * 1000000 + CAST(substr(rtrim(substr(${text}, 21), 'Z') || '000000', 1, 6) AS INTEGER))`

export const migrations: ReadonlyArray<Migration> = [
  firstSchema,
  /** `seal` authenticates an API key: see `KeySeal.ts`. Format 3 seals the keys of earlier databases. */
  {
    name: "0015-key-seals",
    sql: `ALTER TABLE keys ADD COLUMN seal BLOB;`
  },
  /** Finds out whether a tenant has overridden a severity, without reading its other annotations. */
  {
    name: "0016-severity-overrides",
    sql: `CREATE INDEX severity_overrides ON event_annotations (tenant_id) WHERE severity IS NOT NULL;`
  },
  /** The tenant of each match, and an index for reading a page of the tenant's events in the order of time. */
  {
    name: "0017-events-of-tenant",
    sql: `
      ALTER TABLE identifier_events ADD COLUMN tenant_id INTEGER;
      UPDATE identifier_events SET tenant_id = (SELECT tenant_id FROM identifiers WHERE id = identifier_id);
      CREATE INDEX events_of_tenant ON identifier_events (tenant_id, event_id);
    `
  },
  /**
   * The number of visible events that each identifier matches: `count`, and in `pending` the change when the next
   * generation is published (`Generations.ts`). Triggers maintain both, whatever stores or removes events and matches.
   */
  {
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
  },
  /**
   * When events reached a tenant: see `events/Arrivals.ts`. `arrivals.count` is the number of arrivals in a generation.
   * A row of `arrival_times` contains the time of its arrival; each following arrival is one microsecond later.
   */
  {
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
  },
  /** The tenant's actions on a credential. Times are ISO 8601. */
  {
    name: "0020-credential-states",
    sql: `
      CREATE TABLE credential_states (
        tenant_id INTEGER NOT NULL,
        credential_hash TEXT NOT NULL,
        ignored_at TEXT,
        remediated_at TEXT,
        PRIMARY KEY (tenant_id, credential_hash)
      ) STRICT, WITHOUT ROWID;
    `
  },
  /**
   * `removed_to` is the progress of the second half of a change of an identifier: after the new matches are stored,
   * matches that no longer apply are removed for events up to this id. Null for a creation, which has no former
   * matches.
   */
  {
    name: "0021-monitored-identifiers",
    sql: `
      ALTER TABLE identifiers ADD COLUMN group_id INTEGER;
      ALTER TABLE identifiers ADD COLUMN is_disabled INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX identifiers_of_group ON identifiers (tenant_id, group_id) WHERE group_id IS NOT NULL;
      CREATE INDEX policies_of_tenant ON matching_policies (tenant_id, created_at, uuid);
      ALTER TABLE identifier_creations ADD COLUMN removed_to INTEGER;
    `
  },
  /** The operator's answers to requests for intelligence. `report` is encrypted. */
  {
    name: "0022-intel-answers",
    sql: `
      CREATE TABLE intel_answers (
        request_id TEXT PRIMARY KEY REFERENCES intel_requests ON DELETE CASCADE,
        tenant_id INTEGER NOT NULL,
        report BLOB NOT NULL,
        answered_at TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
    `
  },
  /**
   * The terms of credentials become a log-structured index: see `TermRuns.ts`. The existing index becomes the first
   * run; its number of entries is estimated by the maximum that the file can contain.
   */
  {
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
  },
  /** Incomplete removals of past matches. `cleaned_to` is the last event that was checked. */
  {
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
  },
  /** A publication reads only the few counts with pending changes, instead of those of all identifiers. */
  {
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
  },
  /** The last number of each counter: see `Numbers.ts`. */
  {
    name: "0026-numbers",
    sql: `
      CREATE TABLE numbers (counter TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      INSERT INTO numbers SELECT 'reports', max(id) FROM reports HAVING count(*) > 0;
      INSERT INTO numbers SELECT 'groups:' || tenant_id, max(id) FROM identifier_groups
        WHERE id BETWEEN 1 AND 4294967295 GROUP BY tenant_id;
    `
  },
  { name: "0027-reports-of-tenant", sql: `CREATE INDEX reports_of_tenant ON reports (tenant_id);` }
]
