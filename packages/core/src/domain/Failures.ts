/** What a service answers instead of a result: the failures that cross the wire, so that both sides share them. SPEC 7. */
import * as Schema from "effect/Schema"
import { Permission } from "./Permission.ts"

/** One fault of a request. */
export const ValidationFault = Schema.Struct({
  /** Where: `body`, `query` or `path`, then the way to the fault. */
  loc: Schema.Array(Schema.Union([Schema.String, Schema.Int])),
  msg: Schema.String,
  type: Schema.String,
  input: Schema.optionalKey(Schema.Unknown),
  ctx: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
}).annotate({ identifier: "ValidationFault" })
export interface ValidationFault extends Schema.Schema.Type<typeof ValidationFault> {}

/** The request breaks a rule: 422. Sending it again cannot help. */
export class ValidationFailed extends Schema.TaggedError<ValidationFailed>()("ValidationFailed", {
  detail: Schema.Array(ValidationFault)
}) {
  override get message() {
    const faults = this.detail.map(({ loc, msg }) => (loc.length === 0 ? msg : `${loc.join(".")}: ${msg}`))
    return `The service refused the request: ${faults.join("; ") || "it named no fault"}`
  }
}

/** A rule that is not of shape is broken, on the v2 endpoints. */
export class V2Failure extends Schema.TaggedError<V2Failure>()("V2Failure", {
  status: Schema.Int,
  code: Schema.String,
  message: Schema.String
}) {}

/** The service refused for a reason that has no name of its own here. */
export class ServiceFailure extends Schema.TaggedError<ServiceFailure>()("ServiceFailure", {
  status: Schema.Int,
  /** Null where the body had no known shape. */
  code: Schema.NullOr(Schema.String),
  message: Schema.String
}) {}

/** The token is missing, expired or revoked. Retrying cannot help. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {
  override get message() {
    return "The API token is missing, expired or revoked: give a valid one"
  }
}

/** The key behind the token may not do this. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  /** The one SPEC 5 names for the operation; null where it names none. */
  permission: Schema.NullOr(Permission)
}) {
  override get message() {
    return this.permission === null
      ? "The API key behind the token lacks the permission for this operation"
      : `The API key behind the token lacks the permission ${this.permission}: use a key that has it`
  }
}

/** No such resource, or one that this token may not see: the API does not say which. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {}) {
  override get message() {
    return "No such resource is visible to this token"
  }
}

/** Too many calls, or the quota is spent. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  /** Seconds to wait, where the service says. */
  retryAfter: Schema.optionalKey(Schema.Finite),
  /** `RATE_LIMITED` or `QUOTA_EXHAUSTED` as a rule; null where the body had no known shape. */
  code: Schema.NullOr(Schema.String),
  message: Schema.String
}) {}

/** The body of a 422. */
export const ValidationBody = Schema.Struct({ detail: Schema.Array(ValidationFault) }).annotate({
  identifier: "ValidationError"
})
export interface ValidationBody extends Schema.Schema.Type<typeof ValidationBody> {}

/** The error body of v4, but for 422. */
export const V4Body = Schema.Struct({
  error: Schema.Struct({
    code: Schema.String,
    message: Schema.String,
    data: Schema.optionalKey(Schema.Unknown)
  })
}).annotate({ identifier: "V4Error" })
export interface V4Body extends Schema.Schema.Type<typeof V4Body> {}

/** The error body of v2, but for 422. */
export const V2Body = Schema.Struct({ message: Schema.String, code: Schema.String }).annotate({
  identifier: "V2Error"
})
export interface V2Body extends Schema.Schema.Type<typeof V2Body> {}
