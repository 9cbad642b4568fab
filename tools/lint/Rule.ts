/** The part of the lint plugin interface that the house's rules use. */
export interface Node {
  readonly type: string
  readonly name?: string
  readonly object?: Node
  readonly property?: Node
  readonly callee?: Node
  readonly typeAnnotation?: Node
  readonly typeName?: Node
  readonly source?: { readonly value?: unknown } | null
  /** The names of an import: `imported` in the module, absent for all of it, and `local` in the file. */
  readonly specifiers?: ReadonlyArray<Node>
  readonly imported?: Node
  readonly local?: Node
}

export interface Comment extends Node {
  readonly type: "Line" | "Block"
  /** The text of the comment without its delimiters. */
  readonly value: string
  readonly loc: { readonly start: { readonly line: number }; readonly end: { readonly line: number } }
}

export interface RuleContext {
  readonly filename: string
  readonly sourceCode: { getAllComments(): ReadonlyArray<Comment> }
  /** The rule's options from .oxlintrc.json. */
  readonly options: ReadonlyArray<any>
  report(finding: { readonly node: Node; readonly message: string }): void
}

export interface Rule {
  readonly meta: {
    readonly type: "problem"
    readonly docs: { readonly description: string }
    readonly schema?: ReadonlyArray<{ readonly type: "object" }>
  }
  create(context: RuleContext): Readonly<Record<string, (node: Node) => void>>
}

/** `a.b` for a plain member access, otherwise the empty string. */
export const memberPath = (node: Node | undefined): string =>
  node?.type === "MemberExpression" && node.object?.name !== undefined && node.property?.name !== undefined
    ? `${node.object.name}.${node.property.name}`
    : ""
