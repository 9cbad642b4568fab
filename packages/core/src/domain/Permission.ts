/** The permissions of an API key: see docs/api.md#permissions. */
import * as Schema from "effect/Schema"

export const Permission = Schema.Literals(["Read Tenant", "Write Tenant", "Write Tenant Admin"]).annotate({
  identifier: "Permission"
})
export type Permission = typeof Permission.Type
