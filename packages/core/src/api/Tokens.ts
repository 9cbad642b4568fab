/** The operations that turn an API key into a token, for `openapi.json`. They are outside the prefix, and so not in `Api`. */
import "effect/schema/SchemaJITCompiler/enable"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import { bearer } from "./Access.ts"
import { tokens } from "./Endpoints.ts"
import { forbidden, invalidRequest, rateLimited, unauthorized } from "./Responses.ts"

class KeyAccess extends HttpApiMiddleware.Service<KeyAccess>()("@threat-exposure/core/api/Tokens/KeyAccess", {
  security: {
    apiKey: HttpApiSecurity.apiKey({ in: "header", key: "Authorization" }).pipe(
      HttpApiSecurity.annotate(OpenApi.Description, "An API key alone, without a scheme")
    )
  },
  error: [unauthorized.v4.annotate({ description: "The API key is missing, expired or revoked" }), rateLimited.v4]
}) {}

class TokenAccess extends HttpApiMiddleware.Service<TokenAccess>()("@threat-exposure/core/api/Tokens/TokenAccess", {
  security: { bearer },
  error: [unauthorized.v4, rateLimited.v4]
}) {}

const generate = HttpApiEndpoint.make(tokens.generate.method)("generate", tokens.generate.path, {
  ...tokens.generate,
  error: [forbidden.v4.annotate({ description: "The API key belongs to another tenant" }), invalidRequest]
})
  .annotateMerge(
    OpenApi.annotations({
      identifier: tokens.generate.operation,
      summary: "Exchange an API key for a token",
      description: "Returns a token that is valid for one hour. Any valid key may call it; the body is optional.",
      transform: ({ requestBody, ...operation }) => ({ ...operation, requestBody: { ...requestBody, required: false } })
    })
  )
  .middleware(KeyAccess)

const test = HttpApiEndpoint.make(tokens.test.method)("test", tokens.test.path, tokens.test)
  .annotateMerge(
    OpenApi.annotations({
      identifier: tokens.test.operation,
      summary: "Describe the token",
      description: "Returns the tenant of the token and what its key may do. Any valid token may call it."
    })
  )
  .middleware(TokenAccess)

// Without its type, the compiler may order this union differently in each build.
const group: HttpApiGroup.HttpApiGroup<"tokens", typeof generate | typeof test> = HttpApiGroup.make("tokens")
  .add(generate, test)
  .annotateMerge(OpenApi.annotations({ description: "API keys and tokens" }))

/** See docs/api.md#authentication. */
export class TokenApi extends HttpApi.make("threat-exposure-tokens").add(group) {}
