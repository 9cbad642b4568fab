import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import { MatchingPolicyUpdate, policyValues } from "@threat-exposure/core/domain/MatchingPolicy"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { queryFault, queryFaults } from "../matching/EventQueries.ts"
import { faultsOf } from "../requests/ValidationFaults.ts"
import { maxTermLength } from "../search/QueryString.ts"
import type { BlindIndex } from "../search/Term.ts"
import { wordsOf } from "../search/Tokenizer.ts"

/** The faults of a value: of its shape, and of the texts in it. A type that this service does not know has none. */
export const policyFaults = (blindIndex: BlindIndex, type: unknown, value: unknown): ReadonlyArray<ValidationFault> => {
  const decode = decoders.get(type)
  if (decode === undefined) return []
  const { cookie_names, keywords, query }: { readonly [name: string]: unknown } = Predicate.isObject(value) ? value : {}
  return [
    ...shapeFaults(decode, value, ["value"]),
    ...(type === "INCLUDED_KEYWORDS" || type === "EXCLUDED_KEYWORDS" ? keywordFaults(keywords) : []),
    ...(type === "ASTP_COOKIES" ? sizeFaults("cookie_names", cookie_names) : []),
    ...(type === "LUCENE_QUERY"
      ? queryFaults(blindIndex, { type: "query_string", query_string: query }).map((invalid) =>
          queryFault(invalid, ["body", "value", "query"])
        )
      : [])
  ]
}

/** The faults of a new policy, which may have a type that this service does not know. */
export const newPolicyFaults = (blindIndex: BlindIndex, body: unknown): ReadonlyArray<ValidationFault> =>
  Predicate.isObject(body)
    ? [...shapeFaults(decodeOfAnyType, body), ...policyFaults(blindIndex, body["type"], body["value"])]
    : []

type Decode = ReturnType<typeof decoderOf>

const decoderOf = (schema: Schema.Decoder<unknown>) => Schema.decodeUnknownResult(schema, { errors: "all" })

/** The faults of a part of the body, which is at the path. */
const shapeFaults = (decode: Decode, value: unknown, path: ReadonlyArray<string> = []) =>
  Result.match(decode(value), {
    onSuccess: () => [],
    onFailure: ({ issue }) => faultsOf("body", issue, value, path)
  })

const decodeOfAnyType = decoderOf(MatchingPolicyUpdate)

const decoders = new Map<unknown, Decode>(Object.entries(policyValues).map(([type, value]) => [type, decoderOf(value)]))

const keywordFaults = (keywords: unknown): ReadonlyArray<ValidationFault> => {
  if (!Array.isArray(keywords)) return []
  if (keywords.length === 0) return [fault(["keywords"], "List should have at least 1 item", "too_short")]
  return [
    ...sizeFaults("keywords", keywords),
    ...keywords.flatMap((keyword: unknown, at) =>
      typeof keyword !== "string" || keyword.length > maxTermLength || wordsOf(keyword).length > 0
        ? []
        : [fault(["keywords", at], "A keyword should have a letter or a digit", "value_error")]
    )
  ]
}

const sizeFaults = (field: string, texts: unknown): ReadonlyArray<ValidationFault> => {
  if (!Array.isArray(texts)) return []
  if (texts.length > maxTexts) return [fault([field], `List should have at most ${maxTexts} items`, "too_long")]
  return texts.flatMap((text: unknown, at) =>
    typeof text === "string" && text.length > maxTermLength
      ? [fault([field, at], `String should have at most ${maxTermLength} characters`, "string_too_long")]
      : []
  )
}

/** With the query of an identifier, a search has fewer clauses than a node of OpenSearch allows by default (1,024). */
const maxTexts = 500

const fault = (path: ReadonlyArray<string | number>, msg: string, type: string): ValidationFault => ({
  loc: ["body", "value", ...path],
  msg,
  type
})
