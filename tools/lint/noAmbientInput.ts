import { memberPath, type Node, type Rule } from "./Rule.ts"

const instead: ReadonlyMap<string, string> = new Map([
  ["Date.now", "Clock"],
  ["Math.random", "Random"],
  ["process.env", "Config"]
])

/** These read the environment and pass it on. */
const edges = /\/(?:main|extension)\.ts$/u

/** Whether the import gives the environment a name that does not show where it comes from. */
const hidesEnvironment = ({ imported, local, type }: Node): boolean =>
  type === "ImportSpecifier" ? imported?.name === "env" : local?.name !== "process"

export const noAmbientInput: Rule = {
  meta: { type: "problem", docs: { description: "Time, randomness and environment come from services" } },
  create: (context) => ({
    MemberExpression(node) {
      const path = memberPath(node)
      const service = instead.get(path)
      if (service !== undefined) {
        context.report({ node, message: `${path} makes this untestable: use ${service} from effect` })
      }
    },
    ImportDeclaration(node) {
      if (edges.test(context.filename.replaceAll("\\", "/"))) return
      if (node.source?.value !== "node:process" && node.source?.value !== "process") return
      if (node.specifiers?.some(hidesEnvironment) === true) {
        context.report({ node, message: "env makes this untestable: use Config from effect, or a parameter" })
      }
    }
  })
}
