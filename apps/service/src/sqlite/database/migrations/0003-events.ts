import type { Migration } from "../Migration.ts"

/**
 * `events.id` is in the order of time (EventOrder.ts), because the full-text engine returns matches in that order
 * and no other cheaply. The index holds words and digests and no text: `document` is sealed.
 */
export const eventsSchema: Migration = {
  name: "0003-events",
  sql: `
    CREATE TABLE events (
      id INTEGER PRIMARY KEY,
      uid TEXT NOT NULL UNIQUE,
      type TEXT NOT NULL,
      severity TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      loaded_at TEXT NOT NULL,
      digest BLOB NOT NULL,
      document BLOB NOT NULL
    ) STRICT;

    CREATE VIRTUAL TABLE event_index USING fts5(
      title, content, description, actor, url, other, terms,
      content='', contentless_delete=1, tokenize='ascii'
    );

    CREATE TABLE event_annotations (
      tenant_id INTEGER NOT NULL,
      uid TEXT NOT NULL,
      severity TEXT,
      tags TEXT NOT NULL,
      notes TEXT NOT NULL,
      ignored_at TEXT,
      remediated_at TEXT,
      PRIMARY KEY (tenant_id, uid)
    ) STRICT, WITHOUT ROWID;
  `
}
