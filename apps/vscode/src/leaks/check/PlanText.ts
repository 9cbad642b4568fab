/** Describes the plan of a check in the language of the editor. */
import type { Plan } from "@threat-exposure/leak-check/search/Plan"
import { Redacted } from "effect"
import { count, number, t } from "../../words/Localisation.ts"
import { maskedValue } from "../../words/Mask.ts"
import { nameOfKind } from "../LeakFinding.ts"

export const planText = ({ searches, overBudget, knownClean, input }: Plan): string => {
  const targets = new Set([...searches, ...overBudget].map(({ target }) => target)).size
  const seconds = Math.ceil(searches.length / input.settings.searchesPerSecond)
  return [
    [
      (input.domains ?? []).length === 0
        ? count(targets, "{0} value", "{0} values")
        : count(targets, "{0} value or domain", "{0} values or domains"),
      count(searches.length, "{0} search", "{0} searches"),
      t("about {0} s", number(seconds))
    ].join(", "),
    ...(overBudget.length === 0
      ? []
      : [
          count(
            overBudget.length,
            "{0} search over the limit of {1}",
            "{0} searches over the limit of {1}",
            number(input.settings.maxSearches)
          )
        ]),
    ...(knownClean.length === 0 ? [] : [t("{0} found clean in an earlier check", number(knownClean.length))])
  ].join("; ")
}

/** Maximum number of lines in a question. */
const maxListed = 10

/** A list of the masked values with their names and places, and of the domains, in the order of the searches. */
export const plannedText = ({ searches }: Plan): string => {
  const targets = [...new Set(searches.map(({ target }) => target))]
  const rest = targets.length - maxListed
  return [
    ...targets.slice(0, maxListed).map((target) => {
      if (target._tag === "Domain") return `• ${target.domain}`
      const [place] = target.places
      const name = target.names[0] ?? place?.name ?? nameOfKind(target.kind)
      const at = place === undefined ? "" : ` (${place.location.path}:${place.location.line})`
      return `• ${t("{0}: {1}", name, maskedValue(Redacted.value(target.value)))}${at}`
    }),
    ...(rest > 0 ? [`• ${t("{0} more", number(rest))}`] : [])
  ].join("\n")
}
