/** A known policy: with name and rule if an identifier showed it, otherwise only its uuid. */
import type { AssignedPolicy, MatchingPolicy } from "@threat-exposure/core/domain/MatchingPolicy"
import { Predicate, Schema } from "effect"
import { t } from "../words/Localisation.ts"
import { nameOfType } from "../words/TypeNames.ts"

export interface Policy {
  readonly uuid: string
  readonly name: string | undefined
  readonly policy: MatchingPolicy | undefined
  /** Known identifiers with this policy. */
  readonly identifiers: ReadonlyArray<{ readonly id: number; readonly name: string }>
}

export const policyOf = (
  { matching_policy }: AssignedPolicy,
  identifier: { readonly id: number; readonly name: string }
): Policy => ({
  uuid: matching_policy.uuid,
  name: matching_policy.name,
  policy: matching_policy,
  identifiers: [{ id: identifier.id, name: identifier.name }]
})

/** Converts a policy of the service's list, which does not include identifiers. */
export const listedPolicy = (policy: MatchingPolicy): Policy => ({
  uuid: policy.uuid,
  name: policy.name,
  policy,
  identifiers: []
})

const kinds: Readonly<Record<string, () => string>> = {
  INCLUDED_KEYWORDS: () => t("included keywords"),
  EXCLUDED_KEYWORDS: () => t("excluded keywords"),
  LUCENE_QUERY: () => t("query"),
  ASTP_DOMAIN: () => t("match of a domain"),
  ASTP_COOKIES: () => t("cookies")
}

/** The name of a type of rule. */
export const kindOfType = (type: string): string => kinds[type]?.() ?? nameOfType(type.toLowerCase())

export const kindText = ({ policy_type }: MatchingPolicy): string => kindOfType(policy_type)

/** A short description of the events that the policy keeps. */
export const ruleText = (policy: MatchingPolicy | undefined): string => {
  if (policy === undefined) return t("not seen on an identifier yet")
  const { cookie_names, keywords, query } = policy.value
  if (isTexts(keywords)) {
    return policy.policy_type === "EXCLUDED_KEYWORDS"
      ? t("without keywords: {0}", keywords.join(", "))
      : t("keywords: {0}", keywords.join(", "))
  }
  if (isTexts(cookie_names)) return t("cookies: {0}", cookie_names.join(", "))
  return Predicate.isString(query) ? query : kindText(policy)
}

const isTexts = Schema.is(Schema.Array(Schema.String))

/**
 * Merges duplicates into one row per policy, sorted by name. Data from an identifier takes precedence over a mere uuid.
 */
export const joinPolicies = (found: ReadonlyArray<Policy>, known: ReadonlyArray<Policy>): ReadonlyArray<Policy> => {
  const rows = new Map<string, Policy>()
  for (const row of [...found, ...known]) {
    const before = rows.get(row.uuid)
    rows.set(
      row.uuid,
      before === undefined ? row : { ...before, identifiers: [...before.identifiers, ...row.identifiers] }
    )
  }
  return [...rows.values()].toSorted((a, b) => (a.name ?? a.uuid).localeCompare(b.name ?? b.uuid))
}
