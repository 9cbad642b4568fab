import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import { MatchingPolicyUpdate, policyValues } from "@threat-exposure/core/domain/MatchingPolicy"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { PolicyRule } from "../matching/IdentifierExpression.ts"
import { queryFault, queryFaults } from "../matching/EventQueries.ts"
import { faultsOf } from "../requests/ValidationFaults.ts"
import { maxTermLength } from "../search/QueryString.ts"
import type { BlindIndex } from "../search/Term.ts"
import { wordsOf } from "../search/Tokenizer.ts"

/** The faults of a policy's value, in its shape and in its texts. Empty for a type that this service does not know. */
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

export const newPolicyFaults = (blindIndex: BlindIndex, body: unknown): ReadonlyArray<ValidationFault> =>
  Predicate.isObject(body)
    ? [...shapeFaults(decodeOfAnyType, body), ...policyFaults(blindIndex, body["type"], body["value"])]
    : []

type Decode = ReturnType<typeof decoderOf>

const decoderOf = (schema: Schema.Decoder<unknown>) => Schema.decodeUnknownResult(schema, { errors: "all" })

/** The faults in the shape of a part of the body. `path` is its position in the body. */
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

/** An identifier that would have too many policies, or too many phrases in its policies. */
export interface RefusedIdentifier {
  readonly id: number
  readonly reason: string
}

/** The identifiers that cannot have the policy in addition to theirs. `ruleOf` returns the rules of other policies. */
export const refusedIdentifiers = (
  policy: { readonly uuid: string; readonly rule: PolicyRule },
  identifiers: ReadonlyArray<{ readonly id: number; readonly policies: ReadonlyArray<string> }>,
  ruleOf: (uuid: string) => PolicyRule
): ReadonlyArray<RefusedIdentifier> => {
  const counts = new Map([[policy.uuid, countPhrases(policy.rule)]])
  const countOf = (uuid: string): number => {
    const count = counts.get(uuid) ?? countPhrases(ruleOf(uuid))
    counts.set(uuid, count)
    return count
  }
  return identifiers.flatMap(({ id, policies }) => {
    const all = [...new Set([policy.uuid, ...policies])]
    if (all.length > maxPoliciesOfIdentifier) {
      return [{ id, reason: `An identifier should have at most ${maxPoliciesOfIdentifier} policies` }]
    }
    return all.reduce((sum, uuid) => sum + countOf(uuid), 0) > maxPhrases
      ? [
          {
            id,
            reason: `The policies of an identifier should have at most ${maxPhrases} keywords of several words and words of queries`
          }
        ]
      : []
  })
}

/** Keywords of several words, and the words of the query: each is a clause in the search for an identifier's events. */
export const countPhrases = ({ keywords = [], query = "" }: PolicyRule): number =>
  keywords.filter((keyword) => wordsOf(keyword).length > 1).length + wordsOf(query).length

const maxTexts = 500

/** With the query (at most 130 clauses) and a clause per policy, a search has fewer than OpenSearch's 1,024 clauses. */
const maxPhrases = 800
const maxPoliciesOfIdentifier = 50

const fault = (path: ReadonlyArray<string | number>, msg: string, type: string): ValidationFault => ({
  loc: ["body", "value", ...path],
  msg,
  type
})
