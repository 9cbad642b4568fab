/** Decodes the path, query and body of a request. A 422 lists every fault of all three. */
// Imported before any schema is used, because it makes decoding several times faster.
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
import { isTooDeep } from "@threat-exposure/command-line/JsonDepth"
import type { BodyTooLong, ServedRequest, UrlParts } from "./ServedRequest.ts"
import {
  faultsOf,
  illFormedText,
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

/** A request as it was sent, not validated. */
export interface RawRequest extends UrlParts {
  /** Undefined if the body is not JSON. */
  readonly body: unknown
}

/** Finds faults that the schemas of a request do not detect. Runs only for a request that is refused. */
export type RequestCheck = (request: RawRequest, tenantId: number) => Effect.Effect<ReadonlyArray<ValidationFault>>

/** `readBody` parses the body (undefined without one), `decodeParts` decodes all declared parts. */
export const requestDecoder = ({ isRead, params, payload, query }: Endpoint) => {
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
    return Effect.mapEager(body.whole, (bytes) =>
      isReadable ? readJson(bytes, isRead !== true) : Result.fail(wrongContentType)
    )
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

/** The JSON of a body, or why it cannot be parsed. */
export type ReadBody = Result.Result<unknown, ValidationFault>

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

/** Decodes a part, and adds its faults to `faults`. */
const partDecoder = (part: RequestPart, schema: Schema.Decoder<unknown> | undefined) => {
  if (schema === undefined) return () => undefined
  const decode = Schema.decodeUnknownOption(schema)
  const decodeWithFaults = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (input: unknown, faults: Array<ValidationFault>) => {
    // Fast path: this decoder stops at the first fault, and takes half of the time.
    const decoded = decode(input)
    if (Option.isSome(decoded)) return decoded.value
    const result = decodeWithFaults(input)
    if (Result.isSuccess(result)) return result.success
    faults.push(...faultsOf(part, result.failure.issue, input))
    return undefined
  }
}

/** Parses UTF-8 only: other encodings or compressed JSON would be decoded to the wrong characters. */
const readJson = (body: Uint8Array, isStored = false): ReadBody => {
  if (!isUtf8(body)) return Result.fail(invalidJson)
  const text = utf8.decode(body)
  if (isTooDeep(text)) return Result.fail(tooDeep)
  try {
    const json: unknown = JSON.parse(text)
    // Each item has at least a comma and one character.
    const fault = text.length >= maxItems * 2 || isStored ? valueFault(json, isStored) : undefined
    return fault === undefined ? Result.succeed(json) : Result.fail(fault)
  } catch {
    return Result.fail(invalidJson)
  }
}

/**
 * A schema that collects every fault takes seconds for the lists that fit in a body, on the thread that answers all
 * tenants. Listings of stored strings of a megabyte take as long.
 */
const valueFault = (json: unknown, isStored: boolean): ValidationFault | undefined => {
  let left = maxItems
  const visit = (value: unknown, path: ReadonlyArray<string | number>): ValidationFault | undefined => {
    if (typeof value === "string") {
      // A search may look for half of a surrogate pair in a leaked password, but a column of text cannot store it.
      if (isStored && !value.isWellFormed()) return illFormedText(path)
      return value.length > maxTextLength ? tooLongText(path) : undefined
    }
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

/** Ignores a byte order mark. */
const utf8 = new TextDecoder()

/** Treats a request without a content type as JSON. */
const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/(?:[\w.+-]+\+)?json(?:$|[ ;])/i.test(contentType)
