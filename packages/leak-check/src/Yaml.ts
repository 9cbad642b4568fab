/** Decodes a YAML file by a schema. Errors name the file, the line and the key. */
import { Effect, Schema, type SchemaAST, SchemaIssue } from "effect"

/** The file does not match the schema. The message contains keys of the file, but no values. */
export class YamlInvalid extends Schema.TaggedError<YamlInvalid>()("YamlInvalid", {
  file: Schema.String,
  /** In the order of their lines; never empty. */
  faults: Schema.Array(Schema.Struct({ line: Schema.Int, message: Schema.String }))
}) {
  override get message() {
    return this.faults.map(({ line, message }) => `${this.file}:${line}: ${message}`).join("\n")
  }
}

/** Offsets in the text. */
export interface YamlRange {
  readonly start: number
  readonly end: number
  /** Offset after the comment and the line break that follow the value. */
  readonly next: number
}

export interface Decoded<A> {
  readonly value: A
  /** Returns the line, from 1, of the key or item that the path leads to. */
  readonly lineOf: (path: ReadonlyArray<PropertyKey>) => number
  /** Returns the range of the value that the path leads to; undefined if there is none. */
  readonly rangeOf: (path: ReadonlyArray<PropertyKey>) => YamlRange | undefined
}

/**
 * Unknown and repeated keys are errors, and all errors are reported at once. An empty file is an empty mapping.
 *
 * `failsafe` reads every scalar as a string, `core` follows YAML 1.2.
 */
export const decodeYaml = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  options: { readonly file: string; readonly text: string; readonly scalars: "failsafe" | "core" }
): Effect.fn.Return<Decoded<S["Type"]>, YamlInvalid> {
  // Loaded on demand: most runs read no YAML, and the parser is large.
  const { isAlias, isMap, isNode, isSeq, LineCounter, parseDocument, visit } = yield* Effect.promise(
    () => import("yaml")
  )
  const lines = new LineCounter()
  const document = parseDocument(options.text, {
    lineCounter: lines,
    schema: options.scalars,
    prettyErrors: false,
    // With "silent", the parser would also not report a second document.
    logLevel: "error"
  })
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line)
  const invalid = (faults: ReadonlyArray<{ readonly line: number; readonly message: string }>) =>
    new YamlInvalid({
      file: options.file,
      faults: faults.toSorted((a, b) => a.line - b.line)
    })
  // An unknown tag such as `!src/**` is only a warning, and its value would be an empty string.
  const failures = [...document.errors, ...document.warnings.filter(({ code }) => code === "TAG_RESOLVE_FAILED")]
  if (failures.length > 0) {
    return yield* invalid(
      failures.map((error) => ({
        // After an empty value, the parser points at the end of the previous line.
        line: lineAt(error.pos[0] + (options.text.slice(error.pos[0]).match(/^\s*/)?.[0].length ?? 0)),
        // The parser's own messages may quote the text.
        message: syntaxFaults[error.code] ?? "this is not YAML"
      }))
    )
  }

  const findNode = (path: ReadonlyArray<PropertyKey>) => {
    let node: unknown = document.contents
    let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0
    for (const step of path) {
      const pair = isMap(node) ? node.items.find(({ key }) => String(key) === String(step)) : undefined
      const next = isSeq(node) ? node.items[Number(step)] : pair?.value
      if (pair === undefined && !isNode(next)) return { node: undefined, offset }
      const named = pair === undefined ? next : pair.key
      if (isNode(named)) offset = named.range?.[0] ?? offset
      node = next
    }
    return { node, offset }
  }
  const lineOf = (path: ReadonlyArray<PropertyKey>) => lineAt(findNode(path).offset)
  const rangeOf = (path: ReadonlyArray<PropertyKey>) => {
    const { node } = findNode(path)
    if (!isNode(node) || !node.range) return undefined
    const [start, end, next] = node.range
    return { start, end, next }
  }

  const content = yield* Effect.try({
    try: (): unknown => document.toJS({ maxAliasCount: 100 }) ?? {},
    catch: () => {
      const anchors = new Set<string>()
      const missing: Array<number> = []
      visit(document, (_, node) => {
        if (isAlias(node) && !anchors.has(node.source)) missing.push(node.range?.[0] ?? 0)
        else if (isNode(node) && !isAlias(node) && node.anchor !== undefined) anchors.add(node.anchor)
      })
      return invalid(
        missing.length === 0
          ? [{ line: 1, message: "its aliases cannot be resolved: write the values out" }]
          : missing.map((offset) => ({ line: lineAt(offset), message: unquoted }))
      )
    }
  })
  const value = yield* Schema.decodeUnknownEffect(schema)(content, {
    errors: "all",
    onExcessProperty: "error",
    reportInput: true
  }).pipe(
    Effect.mapError(({ issue }) =>
      invalid(
        formatIssue(issue).issues.map(({ message, path = [] }) => {
          const steps = path.map((step) => (typeof step === "object" ? step.key : step))
          return { line: lineOf(steps), message: `${keyOf(steps)}${message}` }
        })
      )
    )
  )
  return { value, lineOf, rangeOf }
})

const keyOf = (path: ReadonlyArray<PropertyKey>) => {
  const names = path.filter((step) => typeof step === "string")
  const last = names.at(-1)
  return last === undefined ? "" : `${JSON.stringify(last)}: `
}

/** The default messages may quote the content of the file; these do not. */
const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    switch (issue._tag) {
      case "UnexpectedKey":
        return `this key is not known; the keys here are ${namesOf(issue.ast).join(", ")}`
      case "MissingKey":
        return "this key is missing"
      case "InvalidType":
        return `this is ${describeInput(issue.input)}, and must be ${describeExpected(issue.ast)}`
      case "InvalidValue":
        return issue.annotations?.message ?? notAllowed
      case "Forbidden":
      case "OneOf":
        return notAllowed
    }
  },
  checkHook: (issue) => SchemaIssue.defaultCheckHook(issue) ?? notAllowed
})

const notAllowed = "this value is not allowed here"

const namesOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

const describeInput = (value: unknown): string => {
  if (value === null || value === undefined || value === "") return "empty"
  if (Array.isArray(value)) return "a list"
  switch (typeof value) {
    case "object":
      return "a mapping"
    case "string":
      return "text"
    default:
      return `a ${typeof value}`
  }
}

const describeExpected = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "Objects":
      return "a mapping, one `key: value` a line"
    case "Arrays":
      return "a list, each item after a `-`"
    case "Boolean":
      return "`true` or `false`"
    default:
      return "text"
  }
}

const unquoted = "a value that begins with `*`, `!`, `@`, `%` or a backtick must stand between quotes"

const syntaxFaults: Partial<Record<string, string>> = {
  BAD_ALIAS: unquoted,
  BAD_SCALAR_START: unquoted,
  TAG_RESOLVE_FAILED: unquoted,
  DUPLICATE_KEY: "this key is given twice",
  TAB_AS_INDENT: "YAML is indented with spaces, not with tabs",
  BAD_INDENT: "the indentation is inconsistent, or a closing bracket is missing",
  MISSING_CHAR: "a closing quote or bracket is missing",
  MULTIPLE_DOCS: "one YAML document is expected, not several"
}
