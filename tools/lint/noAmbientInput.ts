import { memberPath, type Rule } from "./Rule.ts"

const instead: ReadonlyMap<string, string> = new Map([
  ["Date.now", "Clock"],
  ["Math.random", "Random"],
  ["process.env", "Config"]
])

export const noAmbientInput: Rule = {
  meta: { type: "problem", docs: { description: "Time, randomness and environment come from services" } },
  create: (context) => ({
    MemberExpression(node) {
      const path = memberPath(node)
      const service = instead.get(path)
      if (service !== undefined) {
        context.report({ node, message: `${path} makes this untestable: use ${service} from effect` })
      }
    }
  })
}
