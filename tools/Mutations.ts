/** Single changes of a source that its tests should notice: each is a fault that somebody could make. */
import { type ESTree, parseSync, Visitor } from "rolldown/utils"

export interface Mutation {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

const opposite: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "&&": "||",
  "||": "&&"
}

/** Calls without which a program runs on, with another result. */
const droppedMethods = new Set(
  "filter flat map pipe reverse slice sort toLowerCase toReversed toSorted toSpliced toUpperCase trim trimEnd trimStart".split(
    " "
  )
)

/** Text that only spans, logs and messages contain is not tested. */
const isUntested = (text: string) =>
  /^(?:yield\* )?(?:Effect\.(?:annotate|log|withSpan|withLogSpan)|new \w*Error\b|console\.)/u.test(text)

/** The mutations of a TypeScript source, in the order of their places. */
export const mutationsOf = (source: string, name = "source.ts"): ReadonlyArray<Mutation> => {
  const { errors, program } = parseSync(name, source, { lang: "ts", sourceType: "module" })
  if (errors.length > 0) throw new Error(`${name} cannot be parsed: ${errors[0]?.message}`)
  const mutations: Array<Mutation> = []
  /** The positions of literal types. They are left alone: types do not change how a program runs. */
  const types = new Set<number>()
  const textOf = ({ end, start }: ESTree.Span) => source.slice(start, end)
  const replace = ({ end, start }: ESTree.Span, replacement: string) => mutations.push({ start, end, replacement })
  const changeOperator = ({ left, operator, right }: ESTree.BinaryExpression | ESTree.LogicalExpression) => {
    const other = opposite[operator]
    // A comment may stand between the operands.
    const at = source.indexOf(operator, left.end)
    if (other === undefined || at < 0 || at >= right.start) return
    replace({ start: at, end: at + operator.length }, other)
  }
  const negate = (condition: ESTree.Expression) => {
    // Other mutations change what these consist of.
    if (["BinaryExpression", "LogicalExpression", "UnaryExpression"].includes(condition.type)) return
    replace(condition, `!(${textOf(condition)})`)
  }

  new Visitor({
    TSLiteralType: ({ literal }) => void types.add(literal.start),
    BinaryExpression: (node) => {
      changeOperator(node)
      for (const side of [node.left, node.right]) {
        if (/^[<>]=?$/u.test(node.operator) && side.type === "Literal" && typeof side.value === "number") {
          replace(side, String(side.value + 1))
        }
      }
    },
    LogicalExpression: changeOperator,
    UnaryExpression: ({ argument, end, operator, start }) => {
      if (operator === "!") replace({ start, end }, textOf(argument))
    },
    IfStatement: ({ end, start, test }) => {
      negate(test)
      if (source[start - 1] !== " " || !source.slice(0, start).endsWith("else ")) replace({ start, end }, "")
    },
    ConditionalExpression: ({ test }) => negate(test),
    Literal: (node) => {
      if (typeof node.value === "boolean" && !types.has(node.start)) replace(node, String(!node.value))
    },
    VariableDeclarator: ({ id, init }) => {
      if (init?.type !== "Literal" || typeof init.value !== "number") return
      if (id.type === "Identifier" && /^(?:max|min|default)[A-Z]/u.test(id.name)) replace(init, String(init.value + 1))
    },
    ExpressionStatement: ({ end, expression, start }) => {
      const isEffect = ["AssignmentExpression", "CallExpression", "UpdateExpression", "YieldExpression"].includes(
        expression.type
      )
      if (isEffect && !isUntested(textOf(expression))) replace({ start, end }, "")
    },
    CallExpression: ({ callee, end }) => {
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return
      const { object, property } = callee
      // `Stream.map(f)` is no method of a value.
      const isModule = object.type === "Identifier" && /^[A-Z]/u.test(object.name)
      if (isModule || !droppedMethods.has(property.name) || isUntested(source.slice(property.end + 1, end))) return
      replace({ start: object.end, end }, "")
    },
    ReturnStatement: ({ argument }) => {
      if (argument?.type === "Literal" && typeof argument.value === "number") replace(argument, `${argument.value + 1}`)
    }
  }).visit(program)
  return mutations.toSorted((one, other) => one.start - other.start || one.end - other.end)
}

export const mutate = (source: string, { end, replacement, start }: Mutation): string =>
  source.slice(0, start) + replacement + source.slice(end)

/** The place and the change, in one line. */
export const describeMutation = (source: string, { end, replacement, start }: Mutation): string => {
  const line = source.slice(0, start).split("\n").length
  const short = (text: string) => {
    const words = text.replaceAll(/\s+/gu, " ").trim()
    return words.length > 60 ? `${words.slice(0, 59)}…` : words
  }
  return `${line}: ${short(source.slice(start, end))} → ${short(replacement) || "(nothing)"}`
}
