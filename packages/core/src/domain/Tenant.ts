/** Tenants and their users. See docs/api.md#add-users-to-a-tenant. */
import * as Schema from "effect/Schema"
import { listedText } from "./schema/RequestField.ts"
import { open, orElse, orNull } from "./schema/Tolerant.ts"

export class TenantUser extends Schema.Opaque<TenantUser>()(
  Schema.Struct({
    user_id: Schema.Int,
    is_readonly: Schema.optionalKey(Schema.Boolean),
    /** `viewer` is the only known value. */
    role: Schema.optionalKey(Schema.Union([Schema.Literal("viewer"), listedText]))
  }).annotate({ identifier: "TenantUser" })
) {}

export class AddUsers extends Schema.Opaque<AddUsers>()(
  Schema.Struct({ users: Schema.Array(TenantUser) }).annotate({ identifier: "AddUsers" })
) {}

export class Tenant extends Schema.Opaque<Tenant>()(
  Schema.Struct({ id: orElse(Schema.Int, 0), name: orNull(Schema.String) }).annotate({ identifier: "Tenant" })
) {}

/** The tenants that the key's owner may act for. */
export class TenantList extends Schema.Opaque<TenantList>()(
  Schema.Struct({ tenants: orElse(Schema.Array(Tenant), []) }).annotate({ identifier: "TenantList" })
) {}

export class TenantMember extends Schema.Opaque<TenantMember>()(
  Schema.Struct({
    user_id: orElse(Schema.Int, 0),
    is_readonly: orElse(Schema.Boolean, false),
    role: orNull(open(["viewer"]))
  }).annotate({ identifier: "TenantMember" })
) {}

export class TenantMemberList extends Schema.Opaque<TenantMemberList>()(
  Schema.Struct({ users: orElse(Schema.Array(TenantMember), []) }).annotate({ identifier: "TenantMemberList" })
) {}
