/** How the domain's failures look on the wire: v4 wraps them in `error`, v2 does not; 422 is the same on both. SPEC 7. */
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import {
  Forbidden,
  NotFound,
  RateLimited,
  Unauthorized,
  V2Body,
  V2Failure,
  V4Body,
  ValidationBody,
  ValidationFailed
} from "../domain/Failures.ts"

/** A success without a body: 200 from this product's service, 202 or 204 from others. */
export const emptySuccess = [
  HttpApiSchema.Empty(200).annotate({ description: "Done" }),
  HttpApiSchema.Empty(202).annotate({ description: "Accepted" }),
  HttpApiSchema.Empty(204).annotate({ description: "Done" })
] as const

/** A failure in the shapes of v4 and of v2. `decode` gets the body without its wrapper. */
const refusal = <F extends { readonly message: string }>(options: {
  readonly schema: Schema.Schema<F>
  readonly status: number
  readonly description: string
  readonly decode: (body: V2Body) => F
  readonly code: (failure: F) => string
}) => {
  const { decode, code, description, schema } = options
  const bodyOf = (failure: F): V2Body => ({ code: code(failure), message: failure.message })
  const status = HttpApiSchema.status(options.status)
  return {
    v4: V4Body.pipe(
      Schema.decodeTo(
        Schema.toType(schema),
        SchemaTransformation.transform<F, V4Body>({
          decode: ({ error }) => decode(error),
          encode: (failure) => ({ error: bodyOf(failure) })
        })
      )
    )
      .annotate({ description })
      .pipe(status),
    v2: V2Body.pipe(
      Schema.decodeTo(Schema.toType(schema), SchemaTransformation.transform<F, V2Body>({ decode, encode: bodyOf }))
    )
      .annotate({ description })
      .pipe(status)
  }
}

export const unauthorized = refusal({
  schema: Unauthorized,
  status: 401,
  description: "The token is missing, expired or revoked",
  decode: () => new Unauthorized(),
  code: () => "UNAUTHORIZED"
})

export const forbidden = refusal({
  schema: Forbidden,
  status: 403,
  description: "The API key lacks the permission",
  decode: () => new Forbidden({ permission: null }),
  code: () => "FORBIDDEN"
})

export const notFound = refusal({
  schema: NotFound,
  status: 404,
  description: "No such resource is visible to this token",
  decode: () => new NotFound(),
  code: () => "NOT_FOUND"
})

/** `Retry-After` travels as a header: the middleware that fails with it sets it too. */
export const rateLimited = refusal({
  schema: RateLimited,
  status: 429,
  description:
    "Too many calls: `Retry-After` says how many seconds to wait. Or the quota is spent: the message says when it renews",
  decode: ({ code, message }) => new RateLimited({ code, message }),
  code: ({ code }) => code ?? "RATE_LIMITED"
})

export const v2Refused = refusal({
  schema: V2Failure,
  status: 400,
  description: "A rule is broken that is not of shape",
  decode: ({ code, message }) => new V2Failure({ status: 400, code, message }),
  code: ({ code }) => code
}).v2

export const invalidRequest = ValidationBody.pipe(
  Schema.decodeTo(
    Schema.toType(ValidationFailed),
    SchemaTransformation.transform<ValidationFailed, ValidationBody>({
      decode: ({ detail }) => new ValidationFailed({ detail }),
      encode: ({ detail }) => ({ detail })
    })
  )
)
  .annotate({ description: "The request breaks a rule; every fault is listed" })
  .pipe(HttpApiSchema.status(422))
