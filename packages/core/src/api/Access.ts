/** Authentication, permissions and limits, checked before the body is read: see docs/api.md#permissions. */
import * as Context from "effect/Context"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import type { Permission } from "../domain/Permission.ts"
import { forbidden, invalidRequest, rateLimited, unauthorized } from "./Responses.ts"

/** The API key behind a request's token. */
export class Caller extends Context.Service<
  Caller,
  {
    readonly keyId: string
    readonly tenantId: number
    readonly permissions: ReadonlySet<Permission>
  }
>()("@threat-exposure/core/api/Access/Caller") {}

export const bearer = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotate(OpenApi.Description, "An access token of an API key that has the operation's permission")
)

const security = { bearer }

/** Requires a key with the operation's permission, within its limits; errors have the shape of v4. */
export class Access extends HttpApiMiddleware.Service<Access, { provides: Caller }>()(
  "@threat-exposure/core/api/Access",
  { security, error: [unauthorized.v4, forbidden.v4, rateLimited.v4] }
) {}

/** {@link Access}, with errors in the shape of v2. */
export class V2Access extends HttpApiMiddleware.Service<V2Access, { provides: Caller }>()(
  "@threat-exposure/core/api/Access/V2Access",
  { security, error: [unauthorized.v2, forbidden.v2, rateLimited.v2] }
) {}

/** Answers an invalid request with a 422 that names every fault. */
export class Validation extends HttpApiMiddleware.Service<Validation>()("@threat-exposure/core/api/Access/Validation", {
  error: invalidRequest
}) {}
