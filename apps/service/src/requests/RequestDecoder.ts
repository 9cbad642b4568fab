/** Decodes path, query and body of a request. A 422 names every fault of all three. */
// Must run before any schema is used: it makes decoding several times faster.
import "effect/schema/SchemaJITCompiler/enable"
import { isUtf8 } from "node:buffer"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Endpoint } from "@threat-exposure/core/api/Endpoints"
import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import type { ValidationFailed } from "@threat-exposure/core/domain/Failures"
import { isTooDeep } from "./JsonDepth.ts"
import type { BodyTooLong, ServedRequest, UrlParts } from "./ServedRequest.ts"
import {
  faultsOf,
  invalidJson,
  maxItems,
  maxTextLength,
  type RequestPart,
  tooDeep,
  tooLongText,
  tooManyItems,
  wrongContentType
} from "./ValidationFaults.ts"
import { makeValidationFailed } from "../ExpectedFailure.ts"

/** A request as it was sent. Nothing in it is known to be valid. */
export interface RawRequest extends UrlParts {
  /** Undefined if it is not JSON. */
  readonly body: unknown
}

/** The faults of a request that its schemas do not see. It is asked only about a request that is refused. */
export type RequestCheck = (request: RawRequest, tenantId: number) => Effect.Effect<ReadonlyArray<ValidationFault>>

/** Reads the parts that the endpoint declares: `readBody` its body, undefined if it has none, and `decodeParts` all of them. */
export const requestDecoder = ({ params, payload, query }: Pick<Endpoint, "params" | "payload" | "query">) => {
  const decodeParams = partDecoder("path", params === undefined ? undefined : Schema.Struct(params))
  const querySchema = query === undefined || Schema.isSchema(query) ? query : Schema.Struct(query)
  const decodeQuery = partDecoder(
    "query",
    querySchema === undefined ? undefined : Schema.toCodecArrayFromSingle(querySchema)
  )
  const decodePayload = partDecoder("body", payload === undefined ? undefined : Schema.toCodecJson(payload))

  const readBody = ({ body, headers }: ServedRequest): Effect.Effect<ReadBody | undefined, BodyTooLong> => {
    if (payload === undefined) return Effect.undefined
    const isReadable = isJson(headers["content-type"])
    return Effect.mapEager(body.whole, (bytes) => (isReadable ? readJson(bytes) : Result.fail(wrongContentType)))
  }

  const decodeParts = (url: UrlParts, body: ReadBody | undefined): Result.Result<unknown, ValidationFailed> => {
    const faults: Array<ValidationFault> = []
    const decoded = {
      params: decodeParams(url.params, faults),
      query: decodeQuery(url.searchParams, faults),
      payload: body === undefined || Result.isFailure(body) ? undefined : decodePayload(body.success, faults)
    }
    if (body !== undefined && Result.isFailure(body)) faults.push(body.failure)
    return faults.length === 0 ? Result.succeed(decoded) : Result.fail(makeValidationFailed(faults))
  }

  return { readBody, decodeParts }
}

/** The JSON of a body, or why it is none. */
export type ReadBody = Result.Result<unknown, ValidationFault>

/** Decodes a body on its own. */
export const bodyDecoder = <A>(schema: Schema.Decoder<A>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (body: Uint8Array): Result.Result<A, ValidationFailed> =>
    Result.mapError(
      Result.flatMap(readJson(body), (json) =>
        Result.mapError(decode(json), ({ issue }) => faultsOf("body", issue, json))
      ),
      (faults) => makeValidationFailed([faults].flat())
    )
}

/** Adds the faults of the part to `faults`. */
const partDecoder = (part: RequestPart, schema: Schema.Decoder<unknown> | undefined) => {
  if (schema === undefined) return () => undefined
  const decode = Schema.decodeUnknownOption(schema)
  const decodeWithFaults = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (input: unknown, faults: Array<ValidationFault>) => {
    // Twice as fast: it stops at the first fault.
    const decoded = decode(input)
    if (Option.isSome(decoded)) return decoded.value
    const result = decodeWithFaults(input)
    if (Result.isSuccess(result)) return result.success
    faults.push(...faultsOf(part, result.failure.issue, input))
    return undefined
  }
}

/** JSON in another encoding, or compressed, would be decoded to other characters than were meant. */
const readJson = (body: Uint8Array): ReadBody => {
  if (!isUtf8(body)) return Result.fail(invalidJson)
  const text = utf8.decode(body)
  if (isTooDeep(text)) return Result.fail(tooDeep)
  try {
    const json: unknown = JSON.parse(text)
    // Each item takes a comma and a character at least.
    const fault = text.length < maxItems * 2 ? undefined : sizeFault(json)
    return fault === undefined ? Result.succeed(json) : Result.fail(fault)
  } catch {
    return Result.fail(invalidJson)
  }
}

/**
 * The first text that is too long, or the first list with which the lists have too many items. A schema that collects every
 * fault takes seconds for the lists that a body has room for, on the thread that answers all tenants; and so does a listing
 * of stored texts of a megabyte.
 */
const sizeFault = (json: unknown): ValidationFault | undefined => {
  let left = maxItems
  const visit = (value: unknown, path: ReadonlyArray<string | number>): ValidationFault | undefined => {
    if (typeof value === "string") return value.length > maxTextLength ? tooLongText(path) : undefined
    if (!Predicate.isObjectOrArray(value)) return undefined
    if (Array.isArray(value)) left -= value.length
    if (left < 0) return tooManyItems(path)
    for (const [key, inner] of Object.entries(value)) {
      const found = visit(inner, [...path, Array.isArray(value) ? Number(key) : key])
      if (found !== undefined) return found
    }
    return undefined
  }
  return visit(json, [])
}

/** Leaves out a byte order mark. */
const utf8 = new TextDecoder()

/** A request without a content type is treated as JSON. */
const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/(?:[\w.+-]+\+)?json(?:$|[ ;])/i.test(contentType)
