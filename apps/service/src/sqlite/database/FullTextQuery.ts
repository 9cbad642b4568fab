/** Translates an expression to FTS5. Only letters, digits and digests of a caller's text reach the engine. */
import type { Expression } from "../../search/Expression.ts"
import { fields } from "../../search/SearchDocument.ts"
import { type BlindIndex, everyToken, tokenOf } from "../../search/Term.ts"

export const fullTextQuery = (blindIndex: BlindIndex, expression: Expression): string => {
  switch (expression._tag) {
    case "MatchAll":
      return matchAll
    case "MatchNone":
      return `terms : "znothing"`
    case "Term":
      return `terms : "${tokenOf(blindIndex, expression.term)}"`
    case "Phrase": {
      const { field, prefix, words } = expression
      return `${field ?? `{${fields.join(" ")}}`} : "${words.join(" ")}"${prefix ? " *" : ""}`
    }
    case "And": {
      const excluded = expression.of.flatMap((each) => (each._tag === "Not" ? [each.of] : []))
      const required = expression.of.filter(({ _tag }) => _tag !== "Not")
      const base = required.length === 0 ? matchAll : joinExpressions(blindIndex, " AND ", required)
      return excluded.length === 0 ? base : `(${base}) NOT (${joinExpressions(blindIndex, " OR ", excluded)})`
    }
    case "Or":
      return joinExpressions(blindIndex, " OR ", expression.of)
    case "Not":
      return `${matchAll} NOT (${fullTextQuery(blindIndex, expression.of)})`
  }
}

const matchAll = `terms : "${everyToken}"`

const joinExpressions = (blindIndex: BlindIndex, operator: string, of: ReadonlyArray<Expression>): string =>
  of.map((each) => `(${fullTextQuery(blindIndex, each)})`).join(operator)
