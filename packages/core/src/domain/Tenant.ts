/** Who belongs to a tenant. See docs/api.md#add-users-to-a-tenant. */
import * as Schema from "effect/Schema"
import { open } from "./Tolerant.ts"

export class TenantUser extends Schema.Opaque<TenantUser>()(
  Schema.Struct({
    user_id: Schema.Int,
    is_readonly: Schema.optionalKey(Schema.Boolean),
    /** `viewer` is the only known value. */
    role: Schema.optionalKey(open(["viewer"]))
  }).annotate({ identifier: "TenantUser" })
) {}

export class AddUsers extends Schema.Opaque<AddUsers>()(
  Schema.Struct({ users: Schema.Array(TenantUser) }).annotate({ identifier: "AddUsers" })
) {}
