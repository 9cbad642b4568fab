import type { Migration } from "../Migration.ts"

/** Tells whether a tenant has given an event another severity, without a look at its other annotations. */
export const severityOverridesSchema: Migration = {
  name: "0016-severity-overrides",
  sql: `CREATE INDEX severity_overrides ON event_annotations (tenant_id) WHERE severity IS NOT NULL;`
}
