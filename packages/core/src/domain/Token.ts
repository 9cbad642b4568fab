/** Tokens of an API key. See docs/api.md#exchange-an-api-key. */
import * as Schema from "effect/Schema"
import { Permission } from "./Permission.ts"
import { open, orElse, orNull } from "./schema/Tolerant.ts"
import { struct } from "./schema/Struct.ts"

export class TokenRequest extends struct<TokenRequest>("TokenRequest")({
  /** The tenant of the token; the key must belong to it. */
  tenant_id: Schema.optionalKey(Schema.NullOr(Schema.Int))
}) {}

export class TokenAnswer extends struct<TokenAnswer>("TokenAnswer")({
  token: Schema.String,
  /** Seconds since 1970. This is not the expiry of the token, which is valid for one hour. */
  refresh_token_exp: Schema.Int
}) {}

/** See docs/api.md#describe-a-token. */
export class TokenDescription extends struct<TokenDescription>("TokenDescription")({
  tenant_id: orNull(Schema.Int, "value"),
  /** Null if the API key belongs to no user. */
  user_id: orNull(Schema.Int),
  scopes: orElse(Schema.Array(open(Permission.literals)), [])
}) {}
