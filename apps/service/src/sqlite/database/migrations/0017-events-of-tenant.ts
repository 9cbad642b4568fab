import type { Migration } from "../Migration.ts"

/** The tenant of each match, and an index from which a page of the tenant's events is read in the order of time. */
export const eventsOfTenantSchema: Migration = {
  name: "0017-events-of-tenant",
  sql: `
    ALTER TABLE identifier_events ADD COLUMN tenant_id INTEGER;
    UPDATE identifier_events SET tenant_id = (SELECT tenant_id FROM identifiers WHERE id = identifier_id);
    CREATE INDEX events_of_tenant ON identifier_events (tenant_id, event_id);
  `
}
