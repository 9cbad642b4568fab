import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { type Endpoint, isReadOnly, permissionOf, tierOf } from "../api/Endpoints.ts"
import { readErrorBody } from "../domain/ErrorBody.ts"
import { LinkField } from "../domain/LinkField.ts"
import type { Cursor } from "../domain/Page.ts"
import { type ApiError, RequestInvalid, UnexpectedResponse } from "./ApiError.ts"
import { type Call, type CallResponse, errorContext, responseContext } from "./Call.ts"
import { bodyEncoder, expandPath, queryString, textEncoder } from "./RequestEncoder.ts"
import { faultsOf, inOneLine } from "../domain/schema/SchemaFaults.ts"
import { foreignBody } from "./ResponseBody.ts"
import { makeScrubber } from "./Scrubber.ts"
import type { Transport } from "./Transport.ts"

export interface Parts {
  readonly params?: unknown
  readonly query?: unknown
  readonly payload?: unknown
}

export interface Operation<out A> {
  readonly name: string
  /** Whether a page may cost a unit of the search quota. */
  readonly costsQuota: boolean
  readonly call: (parts: Parts, from?: Cursor | null) => Effect.Effect<Call, RequestInvalid>
  readonly read: (response: CallResponse, call: Call, linkField: string) => Effect.Effect<A, UnexpectedResponse>
}

export const operation = <A>(
  name: string,
  endpoint: Omit<Endpoint, "success"> & { readonly success: Schema.Codec<A, unknown> }
): Operation<A> => {
  // Created at the first use, because a program rarely uses all operations.
  const codecs = lazily(() => ({
    encodeParams: textEncoder(endpoint.params),
    encodeQuery: textEncoder(endpoint.query),
    encodePayload: bodyEncoder(endpoint.payload),
    decode: decoderOf<A>(endpoint.success)
  }))

  const call = Effect.fnUntraced(function* (
    { params, payload, query }: Parts,
    context: Pick<Call, "from" | "operation">
  ) {
    const { encodeParams, encodePayload, encodeQuery } = codecs()
    const path = yield* encodeParams(params)
    const search = yield* encodeQuery(query)
    const { body, secrets } = yield* encodePayload(payload)
    const { isOutsidePrefix, media, method } = endpoint
    return {
      ...context,
      isFile: media !== undefined,
      isOutsidePrefix,
      isRead: isReadOnly(endpoint),
      method,
      permission: permissionOf(endpoint),
      tier: tierOf(endpoint),
      path: yield* expandPath(endpoint.path, path),
      query: queryString(search),
      body,
      secrets
    }
  })

  return {
    name,
    costsQuota: endpoint.costsQuota === true,
    call: (parts, from) => {
      const context = errorContext({ operation: name, from })
      return Effect.mapError(call(parts, context), (rule) => new RequestInvalid({ ...context, rule }))
    },
    read: (response, call, linkField) => Effect.provideService(codecs().decode(response, call), LinkField, linkField)
  }
}

/** With `Schema.Void`, the body is ignored, unless it is an error or from another server. */
export const decoderOf = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownEffect(schema)
  const isIgnored = SchemaAST.isVoid(schema.ast)
  const fields = fieldsOf(SchemaAST.toEncoded(schema.ast))

  return (response: CallResponse, call: Call): Effect.Effect<A, UnexpectedResponse> => {
    const { body, secrets, status } = response
    const makeUnexpected = (reason: string, given: ReadonlyArray<string> = []) => {
      const faults = given.map(makeScrubber(secrets).text)
      return new UnexpectedResponse({
        ...responseContext(response, call),
        reason: faults.length === 0 ? reason : `${reason}: ${inOneLine(faults)}`,
        faults
      })
    }
    // Any other 2xx means that the response is not available yet, or incomplete.
    if (call.isRead && status !== 200 && call.acceptsAnySuccess !== true) {
      return Effect.fail(makeUnexpected("only 200 has the whole answer of a read"))
    }
    const given = isIgnored && Result.isFailure(body) && body.failure !== foreignBody ? Result.succeed(undefined) : body
    if (Result.isFailure(given)) return Effect.fail(makeUnexpected(given.failure))
    const fault = isIgnored ? faultOfError(given.success) : faultOfObject(given.success, fields)
    if (fault !== undefined) return Effect.fail(makeUnexpected(mismatch, [fault]))
    return decode(given.success).pipe(
      Effect.mapError(({ issue }) => makeUnexpected(mismatch, faultsOf(issue))),
      // Deeply nested data overflows the stack.
      Effect.catchDefect((defect) =>
        defect instanceof RangeError
          ? Effect.fail(makeUnexpected("its body cannot be read", ["it is nested too deeply"]))
          : Effect.die(defect)
      )
    )
  }
}

const mismatch = "its body does not match the specification"

const fieldsOf = (ast: SchemaAST.AST): ReadonlyArray<PropertyKey> => {
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap(fieldsOf)
  return SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => name) : []
}

/** Every field may be absent, so an unrelated object, such as a gateway's error, would be decoded as empty. */
const faultOfObject = (body: unknown, fields: ReadonlyArray<PropertyKey>): string | undefined => {
  if (!Predicate.isObject(body) || Array.isArray(body)) return fields.length > 0 ? "it is not an object" : undefined
  if (fields.length > 0 && !fields.some((name) => Object.hasOwn(body, name)))
    return `it has none of the fields ${[...new Set(fields)].join(", ")}`
  const { detail, items } = body
  if (items !== null && !(Array.isArray(items) && items.length === 0)) return undefined
  return Predicate.isString(detail) ? isAnError : faultOfError(body)
}

/** A gateway may send an error with the status of a success, in any format. */
const faultOfError = (body: unknown): string | undefined => {
  const { detail, version } = readErrorBody(body)
  const isRefused =
    Predicate.isObject(body) &&
    (isGiven(body["error"]) || isGiven(body["errors"]) || body["success"] === false || body["ok"] === false)
  return version !== undefined || isRefused || detail.some(({ loc }) => loc.length > 0) ? isAnError : undefined
}

const isAnError = "it is an error"

const isGiven = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  !(Predicate.isObjectOrArray(value) && Object.keys(value).length === 0)

export const invoke = <A>(transport: Transport, operation: Operation<A>, parts: Parts): Effect.Effect<A, ApiError> =>
  operation.call(parts).pipe(
    Effect.flatMap((call) =>
      Effect.flatMap(transport.send(call), (response) => operation.read(response, call, transport.linkField))
    ),
    Effect.withSpan(operation.name)
  )

const lazily = <A extends object>(make: () => A) => {
  let made: A | undefined
  return () => (made ??= make())
}
