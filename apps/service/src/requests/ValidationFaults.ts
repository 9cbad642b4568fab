/** The faults of a 422 (docs/api.md#errors). A fault never contains the value, which may be a secret. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import { maxDepth } from "@threat-exposure/command-line/JsonDepth"

export type RequestPart = "body" | "query" | "path"

/** `input` is the decoded value at the path. At most 1,000 faults: more would multiply the length of the request. */
export const faultsOf = (
  part: RequestPart,
  issue: SchemaIssue.Issue,
  input: unknown,
  path: Location = []
): ReadonlyArray<ValidationFault> => distinctFaults(faultsIn(issue, [part, ...path], input))

/** One fault per type and location, the last one found. At most 1,000. */
export const distinctFaults = (given: Iterable<ValidationFault>): ReadonlyArray<ValidationFault> => {
  const faults = new Map<string, ValidationFault>()
  for (const fault of given) {
    faults.set(JSON.stringify([fault.loc, fault.type]), fault)
    if (faults.size === maxFaults) break
  }
  return [...faults.values()]
}

/** Decodes a value that is not a request. Fails with all faults on one line. */
export const lineDecoder = <A>(schema: Schema.Decoder<A>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (json: unknown): Result.Result<A, string> =>
    Result.mapError(decode(json), ({ issue }) => inOneLine(faultsOf("body", issue, json)))
}

const inOneLine = (faults: ReadonlyArray<ValidationFault>): string =>
  faults.map(({ loc, msg }) => [loc.slice(1).join("."), msg].filter((part) => part !== "").join(": ")).join("; ")

/** The cursor was altered or belongs to another listing. */
export const invalidCursor = (part: RequestPart): ValidationFault => ({
  loc: [part, "from"],
  msg: "Input should be the `next` of the previous page of the same listing",
  type: "invalid_cursor"
})

export const invalidJson: ValidationFault = {
  loc: ["body"],
  msg: "The body should be valid JSON in UTF-8, not compressed",
  type: "json_invalid"
}

export const tooDeep: ValidationFault = {
  loc: ["body"],
  msg: `Objects and lists should be nested at most ${maxDepth} deep`,
  type: "json_too_deep",
  ctx: { max_depth: maxDepth }
}

/** Maximum number of items in all lists of a request together. */
export const maxItems = 10_000

export const tooManyItems = (path: ReadonlyArray<string | number>): ValidationFault => ({
  loc: ["body", ...path],
  msg: `The lists of a request should have at most ${maxItems} items together`,
  type: "too_long",
  ctx: { max_length: maxItems }
})

/** Maximum length of a string in UTF-16 code units, large because a secret can be a long key. */
export const maxTextLength = 65_536

export const tooLongText = (path: ReadonlyArray<string | number>): ValidationFault => ({
  loc: ["body", ...path],
  msg: `String should have at most ${maxTextLength} characters`,
  type: "string_too_long",
  ctx: { max_length: maxTextLength }
})

export const illFormedText = (path: ReadonlyArray<string | number>): ValidationFault => ({
  loc: ["body", ...path],
  msg: "String should be valid Unicode, without half of a surrogate pair",
  type: "string_unicode"
})

export const wrongContentType: ValidationFault = {
  loc: ["body"],
  msg: "The body should be JSON: send it with the header Content-Type: application/json",
  type: "content_type_invalid"
}

const maxFaults = 1_000

type Location = ReadonlyArray<string | number>
type Words = Pick<ValidationFault, "msg" | "type" | "ctx">

function* faultsIn(issue: SchemaIssue.Issue, loc: Location, input: unknown): Generator<ValidationFault> {
  switch (issue._tag) {
    case "Pointer": {
      // A repeatable query parameter is decoded as a list, but is a string if it occurs once.
      const inner = typeof input === "string" ? input : issue.path.reduce<unknown>(valueAt, input)
      const path = issue.path.map((key) => (typeof key === "number" ? key : String(key)))
      return yield* faultsIn(issue.issue, [...loc, ...path], inner)
    }
    case "Composite":
      for (const inner of issue.issues) yield* faultsIn(inner, loc, input)
      if (issue.ast._tag === "Arrays") yield* brokenListRules(issue.ast, loc, input)
      return

    case "Encoding":
      return yield* faultsIn(issue.issue, loc, input)
    case "Filter":
      return yield { loc, ...brokenRule(issue.filter, input) }
    case "AnyOf":
      if (issue.issues.length === 0)
        return yield isRepeated(loc, input) ? { loc, ...repeated } : noMember(issue.ast, loc, input)
      for (const inner of issue.issues) yield* faultsIn(inner, loc, input)
      return

    case "InvalidType":
      return yield { loc, ...(isRepeated(loc, input) ? repeated : wrongKind(issue.ast, input)) }
    case "MissingKey":
      return yield { loc, ...missing }
    case "UnexpectedKey":
      return yield { loc, msg: "Unknown field", type: "extra_forbidden" }
    case "InvalidValue":
    case "OneOf":
    case "Forbidden":
      return yield { loc, ...notAllowed }
  }
}

/** Checks the length of a list with a faulty item, because the schema does not. */
function* brokenListRules(list: SchemaAST.Arrays, loc: Location, input: unknown): Generator<ValidationFault> {
  for (const check of list.checks ?? []) {
    if (check._tag !== "Filter" || check.run(input, list, {}) === undefined) continue
    yield { loc, ...brokenRule(check, input) }
  }
}

const isRepeated = ([part]: Location, input: unknown): boolean => part === "query" && Array.isArray(input)

const missing: Words = { msg: "Field required", type: "missing" }
const repeated: Words = { msg: "This parameter should be given once", type: "repeated" }
const notAllowed: Words = { msg: "Input should be an allowed value", type: "value_error" }

const valueAt = (value: unknown, key: PropertyKey): unknown =>
  Predicate.isObjectOrArray(value) && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

const wrongKind = (ast: SchemaAST.AST, input: unknown): Words => {
  if (input === undefined) return missing
  // A secret is decoded to a redacted value, but is a string on the wire.
  const written = ast._tag === "Declaration" ? SchemaAST.toEncoded(ast) : ast
  switch (written._tag) {
    case "Literal":
      return oneOf([String(written.literal)])
    case "String":
      return { msg: "Input should be a valid string", type: "string_type" }
    case "Number":
      return isWhole(written)
        ? { msg: "Input should be a valid integer", type: typeof input === "string" ? "int_parsing" : "int_type" }
        : { msg: "Input should be a valid number", type: typeof input === "string" ? "float_parsing" : "float_type" }
    case "Boolean":
      return { msg: "Input should be a valid boolean", type: "bool_type" }
    case "Arrays":
      return { msg: "Input should be a valid list", type: "list_type" }
    case "Objects":
      return { msg: "Input should be a valid object", type: "dict_type" }
    case "Null":
      return { msg: "Input should be null", type: "none_required" }
    default:
      return notAllowed
  }
}

export const oneOf = (literals: ReadonlyArray<string>): Words => {
  const expected = listOf(literals)
  return { msg: `Input should be ${expected}`, type: "literal_error", ctx: { expected } }
}

const isWhole = (ast: SchemaAST.AST): boolean =>
  ast.checks?.some(({ annotations }) => annotations?.representation?.id === "effect/schema/isInt") ?? false

const brokenRule = ({ annotations }: SchemaAST.Filter<unknown>, input: unknown): Words => {
  const { id, payload } = { id: undefined, payload: undefined, ...annotations?.representation }
  const bound = (name: string): number => Number(valueAt(payload, name) ?? 0)
  const atLeast = (minimum: number): Words => ({
    msg: `Input should be greater than or equal to ${minimum}`,
    type: "greater_than_equal",
    ctx: { ge: minimum }
  })
  const atMost = (maximum: number): Words => ({
    msg: `Input should be less than or equal to ${maximum}`,
    type: "less_than_equal",
    ctx: { le: maximum }
  })
  switch (id) {
    case "effect/schema/isInt":
      // A string in a path or query has the form of an integer; for a number, another check has failed.
      return Number.isInteger(input) || typeof input === "string"
        ? { msg: `Input should be an integer of at most ${Number.MAX_SAFE_INTEGER}`, type: "int_parsing_size" }
        : { msg: "Input should be a valid integer, without a fraction", type: "int_from_float" }

    case "threat-exposure/IntegerText":
      return { msg: "Input should be a valid integer", type: "int_parsing" }
    case "effect/schema/isBetween": {
      const minimum = bound("minimum")
      return (typeof input !== "number" && typeof input !== "string") || Number(input) < minimum
        ? atLeast(minimum)
        : atMost(bound("maximum"))
    }
    case "effect/schema/isGreaterThanOrEqualTo":
      return atLeast(bound("minimum"))
    case "effect/schema/isLessThanOrEqualTo":
      return atMost(bound("maximum"))
    case "effect/schema/isMinLength": {
      const minimum = bound("minLength")
      return { ...lengthRule(input, "at least", minimum, "short"), ctx: { min_length: minimum } }
    }
    case "effect/schema/isMaxLength": {
      const maximum = bound("maxLength")
      return { ...lengthRule(input, "at most", maximum, "long"), ctx: { max_length: maximum } }
    }
    case "effect/schema/isUUID":
      return { msg: "Input should be a valid UUID", type: "uuid_parsing" }
    case "threat-exposure/Timestamp":
    case "threat-exposure/DateOrTimestamp":
      return { msg: `Input should be ${describeExpected(annotations)}`, type: "datetime_parsing" }
    default: {
      // The other rules of lists are about their length.
      const type = !Array.isArray(input) ? "value_error" : input.length === 0 ? "too_short" : "too_long"
      return { msg: `Input should be ${describeExpected(annotations)}`, type }
    }
  }
}

const lengthRule = (input: unknown, bound: "at least" | "at most", count: number, is: "long" | "short"): Words => {
  const [kind, part, prefix] = Array.isArray(input) ? ["List", "item", ""] : ["String", "character", "string_"]
  return { msg: `${kind} should have ${bound} ${count} ${part}${count === 1 ? "" : "s"}`, type: `${prefix}too_${is}` }
}

const describeExpected = (annotations: SchemaAST.Filter<unknown>["annotations"]): string => {
  const text = annotations?.["expected"]
  return typeof text === "string" ? text : "a value that is allowed here"
}

/** Either the discriminator is unknown, or no member has the type of the value. */
const noMember = (union: SchemaAST.Union, loc: Location, input: unknown): ValidationFault => {
  if (input === undefined) return { loc, ...missing }
  const members = membersOf(union)
  const tags = members.flatMap(tagOf)
  const [tag] = tags
  if (tag !== undefined && tags.length > 1) {
    if (!Predicate.isObject(input)) return { loc, msg: "Input should be a valid object", type: "dict_type" }
    if (!Object.hasOwn(input, tag.name)) return { loc: [...loc, tag.name], ...missing }
    const known = listOf(tags.map(({ literal }) => literal))
    return {
      loc: [...loc, tag.name],
      msg: `Input should be ${known}`,
      type: "union_tag_invalid",
      ctx: { expected_tags: known }
    }
  }
  const literals = members.flatMap((member) => (member._tag === "Literal" ? [String(member.literal)] : []))
  const isOpen = members.some(({ _tag }) => _tag === "String")
  if (literals.length > 0 && !isOpen) {
    const fault = { loc, ...oneOf(literals) }
    return members.some(({ _tag }) => _tag === "Arrays") ? { ...fault, msg: `${fault.msg}, or a list of them` } : fault
  }
  const member = members.find(({ _tag }) => _tag !== "Null" && _tag !== "Undefined" && _tag !== "Literal")
  return { loc, ...(member === undefined ? notAllowed : wrongKind(member, input)) }
}

const membersOf = (union: SchemaAST.Union): ReadonlyArray<SchemaAST.AST> =>
  union.types.flatMap((member) => (member._tag === "Union" ? membersOf(member) : [member]))

const tagOf = (member: SchemaAST.AST): ReadonlyArray<{ readonly name: string; readonly literal: string }> => {
  if (member._tag !== "Objects") return []
  return member.propertySignatures.flatMap(({ name, type }) =>
    type._tag === "Literal" && typeof name === "string" ? [{ name, literal: String(type.literal) }] : []
  )
}

const listOf = (words: ReadonlyArray<string>): string => {
  const quoted = words.map((word) => `'${word}'`)
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`
}
