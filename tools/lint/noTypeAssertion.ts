import type { Rule } from "./Rule.ts"

export const noTypeAssertion: Rule = {
  meta: { type: "problem", docs: { description: "No `as` but `as const`, and no `!`" } },
  create: (context) => ({
    TSAsExpression(node) {
      if (node.typeAnnotation?.typeName?.name !== "const") {
        context.report({ node, message: "`as` hides a mistake from the compiler: narrow, decode or annotate instead" })
      }
    },
    TSNonNullExpression(node) {
      context.report({ node, message: "`!` hides a mistake from the compiler: handle the absent value" })
    }
  })
}
