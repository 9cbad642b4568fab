import type { Migration } from "../Migration.ts"

/** `uid_order` is what the event sorts by in place of its uid, where the order of the engine differs (EventOrder.ts). */
export const eventOrderSchema: Migration = {
  name: "0007-event-order",
  sql: `ALTER TABLE events ADD COLUMN uid_order TEXT;`
}
