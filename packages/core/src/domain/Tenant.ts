/** Tenants and their users. See docs/api.md#add-users-to-a-tenant. */
import * as Schema from "effect/Schema"
import { listedText } from "./schema/RequestField.ts"
import { open, orElse, orNull } from "./schema/Tolerant.ts"
import { struct } from "./schema/Struct.ts"

export class TenantUser extends struct<TenantUser>("TenantUser")({
  user_id: Schema.Int,
  is_readonly: Schema.optionalKey(Schema.Boolean),
  /** `viewer` is the only known value. */
  role: Schema.optionalKey(Schema.Union([Schema.Literal("viewer"), listedText]))
}) {}

export class AddUsers extends struct<AddUsers>("AddUsers")({ users: Schema.Array(TenantUser) }) {}

export class Tenant extends struct<Tenant>("Tenant")({ id: orElse(Schema.Int, 0), name: orNull(Schema.String) }) {}

/** The tenants that the key's owner may act for. */
export class TenantList extends struct<TenantList>("TenantList")({ tenants: orElse(Schema.Array(Tenant), []) }) {}

export class TenantMember extends struct<TenantMember>("TenantMember")({
  user_id: orElse(Schema.Int, 0),
  is_readonly: orElse(Schema.Boolean, false),
  role: orNull(open(["viewer"]))
}) {}

export class TenantMemberList extends struct<TenantMemberList>("TenantMemberList")({
  users: orElse(Schema.Array(TenantMember), [])
}) {}
