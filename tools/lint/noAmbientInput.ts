import { memberPath, type Node, type Rule, type RuleContext } from "./Rule.ts"

const instead: ReadonlyMap<string, string> = new Map([
  ["Date.now", "use Clock from effect"],
  ["Math.random", "use Random from effect"],
  ["performance.now", "use Clock from effect, or MonotonicTime.ts where no effect runs"],
  ["process.env", "use Config from effect"]
])

/** These read the environment and pass it on. */
const edges = /\/(?:main|extension)\.ts$/u

/** The one module that reads the clock for code without Effect. */
const clocks = /\/MonotonicTime\.ts$/u

/** Whether the import gives the environment a name that does not show where it comes from. */
const hidesEnvironment = ({ imported, local, type }: Node): boolean =>
  type === "ImportSpecifier" ? imported?.name === "env" : local?.name !== "process"

const fileOf = ({ filename }: RuleContext): string => filename.replaceAll("\\", "/")

export const noAmbientInput: Rule = {
  meta: { type: "problem", docs: { description: "Time, randomness and environment come from services" } },
  create: (context) => ({
    MemberExpression(node) {
      const path = memberPath(node)
      const advice = instead.get(path)
      if (advice === undefined || (path === "performance.now" && clocks.test(fileOf(context)))) return
      context.report({ node, message: `${path} makes this untestable: ${advice}` })
    },
    ImportDeclaration(node) {
      if (edges.test(fileOf(context))) return
      if (node.source?.value !== "node:process" && node.source?.value !== "process") return
      if (node.specifiers?.some(hidesEnvironment) === true) {
        context.report({ node, message: "env makes this untestable: use Config from effect, or a parameter" })
      }
    }
  })
}
