import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import { policyValues } from "@threat-exposure/core/domain/MatchingPolicy"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { expressionOf } from "../matching/EventQueries.ts"
import { faultsOf } from "../requests/ValidationFaults.ts"
import type { BlindIndex } from "../search/Term.ts"
import { wordsOf } from "../search/Tokenizer.ts"

/** The faults of a value: of its shape, or of the texts in it. A type that this service does not know has none. */
export const policyFaults = (blindIndex: BlindIndex, type: string, value: unknown): ReadonlyArray<ValidationFault> => {
  const decode = decoders.get(type)
  if (decode === undefined) return []
  const decoded = decode(value)
  if (Result.isFailure(decoded)) return within(faultsOf("body", decoded.failure.issue, value))
  if (hasKeywords(value)) {
    if (value.keywords.length === 0) return [fault(["keywords"], "List should have at least 1 item", "too_short")]
    return value.keywords.flatMap((keyword, at) =>
      wordsOf(keyword).length > 0
        ? []
        : [fault(["keywords", at], "A keyword should have a letter or a digit", "value_error")]
    )
  }
  if (!hasQuery(value)) return []
  return Result.match(expressionOf(blindIndex, { type: "query_string", query_string: value.query }), {
    onSuccess: () => [],
    onFailure: ({ position, reason }) => [{ ...fault(["query"], reason, "query_string"), ctx: { position } }]
  })
}

/** The faults of a new policy that no schema sees, which are reported beside the faults of its shape. */
export const newPolicyFaults = (blindIndex: BlindIndex, body: unknown): ReadonlyArray<ValidationFault> =>
  hasValue(body) && Result.isSuccess(decoders.get(body.type)?.(body.value) ?? Result.fail(undefined))
    ? policyFaults(blindIndex, body.type, body.value)
    : []

const hasValue = Schema.is(Schema.Struct({ type: Schema.String, value: Schema.Unknown }))

const decoders = new Map(
  Object.entries(policyValues).map(([type, value]) => {
    const schema: Schema.Decoder<unknown> = value
    return [type, Schema.decodeUnknownResult(schema, { errors: "all" })]
  })
)

const hasKeywords = Schema.is(policyValues.INCLUDED_KEYWORDS)
const hasQuery = Schema.is(policyValues.LUCENE_QUERY)

const fault = (path: ReadonlyArray<string | number>, msg: string, type: string): ValidationFault => ({
  loc: ["body", "value", ...path],
  msg,
  type
})

const within = (faults: ReadonlyArray<ValidationFault>) =>
  faults.map(({ loc: [part = "body", ...path], ...rest }) => ({ ...rest, loc: [part, "value", ...path] }))
