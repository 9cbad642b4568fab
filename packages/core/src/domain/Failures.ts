/** What the service answers instead of a result, with the status and the code of each: docs/api.md#errors. */
import * as Schema from "effect/Schema"
import {
  describeFaults,
  errorBody,
  statuses,
  ValidationFault,
  type V2Body,
  type V4Body,
  type ValidationBody,
  type Version
} from "./ErrorBody.ts"
import { Permission } from "./Permission.ts"

/** The request breaks a rule. Sending it again cannot help. */
export class ValidationFailed extends Schema.TaggedError<ValidationFailed>()("ValidationFailed", {
  detail: Schema.Array(Schema.toType(ValidationFault))
}) {
  override get message() {
    return `The service refused the request: ${describeFaults(this.detail)}`
  }
}

/** A v2 endpoint refuses what is of the right shape. */
export class V2Failure extends Schema.TaggedError<V2Failure>()("V2Failure", {
  code: Schema.String,
  message: Schema.String
}) {}

/** The token is missing, expired or revoked. Retrying cannot help. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {
  readonly code = "UNAUTHORIZED"

  override get message() {
    return "The API token is missing, expired or revoked: give a valid one"
  }
}

/** The key behind the token may not do this. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  /** The one the operation needs; null where it is read from an answer, which does not say. */
  permission: Schema.NullOr(Permission)
}) {
  readonly code = "FORBIDDEN"

  override get message() {
    return this.permission === null
      ? "The API key behind the token lacks the permission for this operation"
      : `The API key behind the token lacks the permission ${this.permission}: use a key that has it`
  }
}

/** No such resource, or one that this token may not see: the API does not say which. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {}) {
  readonly code = "NOT_FOUND"

  override get message() {
    return "No such resource is visible to this token"
  }
}

/** Too many calls, or the quota is spent. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  /** Seconds to wait, for the header `Retry-After`. */
  retryAfter: Schema.optionalKey(Schema.Finite),
  /** `RATE_LIMITED` or `QUOTA_EXHAUSTED`. */
  code: Schema.String,
  message: Schema.String
}) {}

/** A failure whose body has a code and a message. */
export type CodedFailure = Forbidden | NotFound | RateLimited | Unauthorized | V2Failure

export type Failure = CodedFailure | ValidationFailed

/** The status and the body that a failure is answered with. */
export const encodeFailure = (
  failure: Failure,
  version: Version
): { readonly status: number; readonly body: ValidationBody | V2Body | V4Body } => ({
  status: statuses[failure._tag],
  body: failure._tag === "ValidationFailed" ? { detail: failure.detail } : errorBody[version](failure)
})
