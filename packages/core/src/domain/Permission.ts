/** What an API key may do, and what each operation asks for. SPEC 5. */
import * as Schema from "effect/Schema"

export const Permission = Schema.Literals(["Read Tenant", "Write Tenant", "Write Tenant Admin"]).annotate({
  identifier: "Permission"
})
export type Permission = typeof Permission.Type

/**
 * By operation, named as the groups and endpoints of the API are: `group.endpoint`. Null where the specification shows
 * none.
 */
export const permissions = {
  "credentials.search": "Read Tenant",
  "events.search": "Read Tenant",
  "events.ofIdentifier": "Read Tenant",
  "events.get": null,
  "identifiers.create": "Write Tenant",
  "identifierGroups.create": "Write Tenant",
  "recommendations.list": "Read Tenant",
  "matchingPolicies.assign": "Write Tenant",
  "matchingPolicies.assignments": "Read Tenant",
  "matchingPolicies.ofIdentifier": "Read Tenant",
  "matchingPolicies.delete": "Write Tenant",
  "reports.create": "Write Tenant",
  "tenants.addUsers": "Write Tenant Admin",
  "intel.ask": "Write Tenant"
} as const satisfies Record<string, Permission | null>

export type Operation = keyof typeof permissions

const permissionByOperation: ReadonlyMap<string, Permission | null> = new Map(Object.entries(permissions))

/** The permission of `group.endpoint`; null for one the specification names none for. */
export const permissionOf = (group: string, endpoint: string): Permission | null =>
  permissionByOperation.get(`${group}.${endpoint}`) ?? null
