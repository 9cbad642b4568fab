/** The answers of operations other than results: an empty success, and failures in the shapes of v4 and v2. */
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { errorBody, statuses, V2Body, V4Body, ValidationBody } from "../domain/ErrorBody.ts"
import {
  type CodedFailure,
  Forbidden,
  NotFound,
  RateLimited,
  Unauthorized,
  V2Failure,
  ValidationFailed
} from "../domain/Failures.ts"

/** A success without a body: 200 from this service, 202 or 204 from others. */
export const emptySuccess = [
  HttpApiSchema.Empty(200).annotate({ description: "Done" }),
  HttpApiSchema.Empty(202).annotate({ description: "Accepted" }),
  HttpApiSchema.Empty(204).annotate({ description: "Done" })
] as const

/** A failure in both shapes; `fromBody` receives code and message. */
const failureResponse = <F extends CodedFailure>(
  status: number,
  failure: Schema.Schema<F>,
  description: string,
  fromBody: (body: V2Body) => F
) => {
  return {
    v4: V4Body.pipe(
      Schema.decodeTo(
        Schema.toType(failure),
        SchemaTransformation.transform<F, V4Body>({
          decode: ({ error }) => fromBody(error),
          encode: errorBody.v4
        })
      )
    )
      .annotate({ description })
      .pipe(HttpApiSchema.status(status)),
    v2: V2Body.pipe(
      Schema.decodeTo(
        Schema.toType(failure),
        SchemaTransformation.transform<F, V2Body>({
          decode: fromBody,
          encode: errorBody.v2
        })
      )
    )
      .annotate({ description })
      .pipe(HttpApiSchema.status(status))
  }
}

export const unauthorized = failureResponse(
  statuses.Unauthorized,
  Unauthorized,
  "The token is missing, expired or revoked",
  () => new Unauthorized()
)

export const forbidden = failureResponse(
  statuses.Forbidden,
  Forbidden,
  "The API key lacks the permission",
  () => new Forbidden({ permission: null })
)

export const notFound = failureResponse(
  statuses.NotFound,
  NotFound,
  "No such resource is visible to this token",
  () => new NotFound()
)

/** The middleware that fails with it also sets the header `Retry-After`. */
export const rateLimited = failureResponse(
  statuses.RateLimited,
  RateLimited,
  "Too many calls: `Retry-After` says how many seconds to wait. Or the quota is spent: the message says when it renews",
  (body) => new RateLimited(body)
)

export const v2Refused = failureResponse(
  statuses.V2Failure,
  V2Failure,
  "The request has the right shape, but breaks another rule",
  (body) => new V2Failure(body)
).v2

export const invalidRequest = ValidationBody.pipe(
  Schema.decodeTo(
    Schema.toType(ValidationFailed),
    SchemaTransformation.transform<ValidationFailed, ValidationBody>({
      decode: (body) => new ValidationFailed(body),
      encode: ({ detail }) => ({ detail })
    })
  )
)
  .annotate({ description: "The request breaks a rule; every fault is listed" })
  .pipe(HttpApiSchema.status(statuses.ValidationFailed))
