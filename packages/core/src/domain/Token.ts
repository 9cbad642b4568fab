/** Tokens of an API key. See docs/api.md#exchange-an-api-key. */
import * as Schema from "effect/Schema"
import { Permission } from "./Permission.ts"
import { open, orElse, orNull } from "./schema/Tolerant.ts"

export class TokenRequest extends Schema.Opaque<TokenRequest>()(
  Schema.Struct({
    /** The tenant of the token; the key must belong to it. */
    tenant_id: Schema.optionalKey(Schema.NullOr(Schema.Int))
  }).annotate({ identifier: "TokenRequest" })
) {}

export class TokenAnswer extends Schema.Opaque<TokenAnswer>()(
  Schema.Struct({
    token: Schema.String,
    /** Seconds since 1970. This is not the expiry of the token, which is valid for one hour. */
    refresh_token_exp: Schema.Int
  }).annotate({ identifier: "TokenAnswer" })
) {}

/** See docs/api.md#describe-a-token. */
export class TokenDescription extends Schema.Opaque<TokenDescription>()(
  Schema.Struct({
    tenant_id: orNull(Schema.Int, "value"),
    /** Null if the API key belongs to no user. */
    user_id: orNull(Schema.Int),
    scopes: orElse(Schema.Array(open(Permission.literals)), [])
  }).annotate({ identifier: "TokenDescription" })
) {}
