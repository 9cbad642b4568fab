/**
 * The bodies of errors (docs/api.md#errors), which the service encodes and the client decodes. A 422 has the same body
 * on every path; otherwise, v4 wraps code and message in `error`, and v2 does not.
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { orAbsent, orElse } from "./schema/Tolerant.ts"
import { struct } from "./schema/Struct.ts"

export const statuses = {
  V2Failure: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  ValidationFailed: 422,
  RateLimited: 429
} as const

/** One error in a request. */
export class ValidationFault extends struct<ValidationFault>("ValidationFault")({
  /** `body`, `query` or `path`, followed by the keys and indexes of the field. */
  loc: orElse(Schema.Array(Schema.Union([Schema.String, Schema.Int])), []),
  msg: orElse(Schema.String, ""),
  type: orElse(Schema.String, "unknown"),
  input: Schema.optionalKey(Schema.Unknown),
  ctx: orAbsent(Schema.Record(Schema.String, Schema.Unknown))
}) {}

export class ValidationBody extends struct<ValidationBody>("ValidationError")({
  detail: Schema.Array(ValidationFault)
}) {}

export class V4Body extends struct<V4Body>("V4Error")({
  error: Schema.Struct({
    code: Schema.String,
    message: Schema.String,
    data: Schema.optionalKey(Schema.Unknown)
  })
}) {}

export class V2Body extends struct<V2Body>("V2Error")({ message: Schema.String, code: Schema.String }) {}

export type Version = "v2" | "v4"

/** The API version of a path, with or without its prefix; v4 if the path has neither version. */
export const versionOf = (path: string): Version => (/^(?:\/[^/]*)?\/v2(?:\/|$)/u.test(path) ? "v2" : "v4")

/** Creates the body of any error except a 422, by version. */
export const errorBody = {
  v2: ({ code, message }: V2Body): V2Body => ({ message, code }),
  v4: ({ code, message }: V2Body): V4Body => ({ error: { code, message } })
}

/** The code of a 404 for a path without an operation. */
export const unknownOperation = "UNKNOWN_OPERATION"

export interface ErrorReport {
  /** The API version whose format the body has; undefined if it has neither. */
  readonly version: Version | undefined
  readonly code: string | undefined
  /** The message; gateways' simpler bodies are also read. */
  readonly message: string | undefined
  /** The faults of a 422. If the body lists none, its message is the only fault. */
  readonly detail: ReadonlyArray<ValidationFault>
  /** Whether a router or a gateway wrote a body with status 404, and not an operation. */
  readonly isUnknownPath: boolean
}

export const readErrorBody = (body: unknown): ErrorReport => {
  const v2 = readV2(body)
  const v4 = Predicate.isObject(body) ? readV2(body["error"]) : undefined
  const code = (v2 ?? v4)?.code
  const message = messageOf(body)
  return {
    version: v2 !== undefined ? "v2" : v4 !== undefined ? "v4" : undefined,
    code,
    message,
    isUnknownPath: code === undefined ? !hasOwnDetail(body) : code === unknownOperation,
    detail: faultsIn(body) ?? (message === undefined ? [] : [{ loc: [], msg: message, type: code ?? "unknown" }])
  }
}

/** Whether `detail` says more than the reason phrase, with which the usual frameworks answer an unknown path. */
const hasOwnDetail = (body: unknown): boolean => {
  const detail: unknown = Predicate.isObject(body) ? body["detail"] : undefined
  return Predicate.isString(detail) ? !/^\s*(?:not found\W*)?$/iu.test(detail) : Array.isArray(detail)
}

export const describeFaults = (detail: ReadonlyArray<Pick<ValidationFault, "loc" | "msg">>): string =>
  detail
    .map(({ loc, msg }) => (loc.length === 0 ? msg : `${loc.join(".")}: ${msg}`))
    .filter((fault) => fault !== "")
    .join("; ") || "it gave no reason"

/** Undefined if the body has no list of faults. If a fault cannot be decoded, only its message is kept. */
const faultsIn = (body: unknown): ReadonlyArray<ValidationFault> | undefined => {
  const detail: unknown = Predicate.isObject(body) ? body["detail"] : undefined
  if (!Array.isArray(detail)) return undefined
  return detail.map((fault: unknown) =>
    Option.getOrElse(decodeFault(fault), () => ({ loc: [], msg: faultMessageOf(fault), type: "unknown" }))
  )
}

const decodeFault = Schema.decodeUnknownOption(ValidationFault)
const decodeV2 = Schema.decodeUnknownOption(V2Body)

/** Some services send a number as the code. */
const readV2 = (body: unknown): V2Body | undefined =>
  Option.getOrUndefined(
    decodeV2(
      Predicate.isObject(body) && Predicate.isNumber(body["code"]) ? { ...body, code: String(body["code"]) } : body
    )
  )

const messageOf = (body: unknown): string | undefined => {
  if (!Predicate.isObject(body)) return undefined
  const { detail, error, message } = body
  return [message, error, Predicate.isObject(error) ? error["message"] : undefined, detail].find(isText)
}

const faultMessageOf = (fault: unknown): string =>
  [fault, Predicate.isObject(fault) ? fault["msg"] : undefined].find(isText) ?? ""

const isText = (value: unknown): value is string => Predicate.isString(value) && value.trim() !== ""
