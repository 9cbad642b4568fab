/** The failures of an operation, with status and code: see docs/api.md#errors. */
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

/** The request breaks a rule. Retrying cannot help. */
export class ValidationFailed extends Schema.TaggedError<ValidationFailed>()("ValidationFailed", {
  detail: Schema.Array(Schema.toType(ValidationFault))
}) {
  override get message() {
    return `The service refused the request: ${describeFaults(this.detail)}`
  }
}

/** A v2 operation refuses a request of the right shape. */
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

/** The key behind the token lacks the permission. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  /** The permission that the operation needs; null when decoded from an answer, which does not name it. */
  permission: Schema.NullOr(Permission)
}) {
  readonly code = "FORBIDDEN"

  override get message() {
    const permission = this.permission ?? "for this operation"
    return `The API key behind the token lacks the permission ${permission}: use a key that has it`
  }
}

/** The resource does not exist, or the token may not see it: the API does not distinguish the two. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  /** The targets of a batch that do not exist: absent if the request has one target. */
  targets: Schema.optionalKey(Schema.Array(Schema.String))
}) {
  readonly code = "NOT_FOUND"

  override get message() {
    const text = "No such resource is visible to this token"
    return this.targets === undefined ? text : `${text}: ${this.targets.join(", ")}`
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

/** The status and body of the answer for a failure. */
export const encodeFailure = (
  failure: Failure,
  version: Version
): { readonly status: number; readonly body: ValidationBody | V2Body | V4Body } => ({
  status: statuses[failure._tag],
  body: failure._tag === "ValidationFailed" ? { detail: failure.detail } : errorBody[version](failure)
})
