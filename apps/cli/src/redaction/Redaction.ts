/** Removes secrets from answers of the service before they are shown or passed on. */
import { namedMembers } from "@threat-exposure/detect/rules/prose/NamedMembers"
import { isSecretName } from "@threat-exposure/detect/rules/SecretName"
import { withoutSecrets } from "@threat-exposure/detect/SecretsInText"
import { makeSecretMatcher } from "@threat-exposure/core/redaction/SecretMatcher"
import { CredentialPage } from "@threat-exposure/core/domain/Credential"
import { redactedName } from "@threat-exposure/core/domain/Identifier"
import { IdentifierEventPage } from "@threat-exposure/core/domain/Event"
import { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as SchemaAST from "effect/SchemaAST"

export const redacted = "[redacted]"

/** Redacts an event or an item of a listing, but keeps the service's own identifiers and links. */
export const redactEvent = (item: unknown): unknown => {
  if (!Predicate.isObject(item) || !Predicate.hasProperty(item, "metadata")) return redactJson(item)
  const rest = redactJson({ ...item, metadata: null })
  return Object.assign({}, rest, { metadata: redactJson(item.metadata, /^(?:uid|\w+_url)$/u) })
}

/**
 * A copy of a JSON value without secrets. Replaces the values of members with the name of a secret, and secrets within
 * texts; works for unknown types of events as well. Members whose names match `kept` stay unchanged.
 */
export const redactJson = (value: unknown, kept?: RegExp): unknown =>
  redactAt(value, { name: "", isRow: false, depth: 0, kept })

interface RedactionContext {
  readonly name: string
  readonly isRow: boolean
  readonly depth: number
  readonly kept: RegExp | undefined
}

const redactAt = (value: unknown, { depth, isRow, kept, name }: RedactionContext): unknown => {
  if (value === null || value === undefined || value === "") return value
  if (depth > maxDepth || Redacted.isRedacted(value)) return redacted
  // A list stays a list: programs read the highlights of a password like other highlights.
  if (whollySecret.test(name)) return Array.isArray(value) ? value.map(() => redacted) : redacted
  if (typeof value === "string") return isSecretName(name) ? redacted : redactText(value)
  if (typeof value === "number") return isSecretName(name) ? redacted : value
  const isArray = Array.isArray(value)
  const members = namedMembers(value, { name, isRow }).map(({ name, step, value: member }) => {
    const context = { name, isRow: isArray, depth: depth + 1, kept }
    return [String(step), kept?.test(name) === true ? member : redactAt(member, context)] as const
  })
  if (isArray) return members.map(([, member]) => member)
  return typeof value === "object"
    ? Object.fromEntries(members.map(([name, member]) => [simpleName.test(name) ? name : redactText(name), member]))
    : value
}

/** Maximum depth: in deeper data the recursion would overflow the stack. */
const maxDepth = 100

/** Members with these names are secrets, whatever their type. */
const whollySecret = /^(?:hash|password|secret|token)$/iu

/** An ordinary member name. Other names are redacted like texts, because they can contain a secret. */
const simpleName = /^[\w -]{0,32}$/u

/** Replaces each secret in the text. If highlight tags split a secret, removes all tags of the text. */
export const redactText = (text: string): string => {
  if (wordOrTime.test(text)) return text
  if (text === redactedName) return redacted
  if (!highlightTag.test(text)) return withoutSecrets(text, redacted)
  const plain = text.replaceAll(highlightTags, "")
  const safe = withoutSecrets(plain, redacted)
  return safe === plain ? text : safe
}

/** Fast path: most texts of an event are a word or a time, which is no secret; a scan takes a hundred times as long. */
const wordOrTime = /^(?:[a-z_]{1,20}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z)$/u

const highlightTag = /<\/?(?:mark|em)>/u
export const highlightTags = /<\/?(?:mark|em)>/gu

/** Values to remove from an answer. */
export interface RemovedValues {
  /** Removed wholly and in part. */
  readonly secrets?: ReadonlyArray<string>
  /** Removed only as a whole, because they may be ordinary text. */
  readonly wholes?: ReadonlyArray<string>
}

/**
 * Removes values from a JSON value, member names included: a searched secret need not look like one, and a leak may
 * repeat it anywhere. Also removes the highlight tags of a text with such a value. Keeps the names of the API's own
 * fields, which come from no leak and which programs depend on.
 */
export const withoutValues = ({ secrets = [], wholes = [] }: RemovedValues): ((value: unknown) => unknown) => {
  if (secrets.length + wholes.length === 0) return (value) => value
  const matcher = makeSecretMatcher(secrets, { wholes })
  const safe = (text: string) => {
    const plain = text.replaceAll(highlightTags, "")
    const rest = matcher.redact(plain, redacted)
    return rest === plain ? text : rest
  }
  const names = fieldNames()
  return (value) => mapTexts(value, safe, (name) => (names.has(name) ? name : safe(name)))
}

/** Names of all fields in the API's answers. */
const fieldNames = (): ReadonlySet<string> => {
  const names = new Set<string>()
  const visited = new Set<SchemaAST.AST>()
  const visit = (ast: SchemaAST.AST): void => {
    if (visited.has(ast)) return
    visited.add(ast)
    if (ast._tag === "Union") ast.types.forEach(visit)
    if (ast._tag === "Arrays") [...ast.elements, ...ast.rest].forEach(visit)
    if (ast._tag === "Suspend") visit(ast.thunk())
    if (ast._tag !== "Objects") return
    for (const { name, type } of ast.propertySignatures) {
      names.add(String(name))
      visit(type)
    }
  }
  for (const answer of [CredentialPage, IdentifierEventPage, TypedEvent]) visit(SchemaAST.toEncoded(answer.ast))
  return names
}

/** A copy of a JSON value with all its texts changed, and its member names if `changeName` is given. */
export const mapTexts = (
  value: unknown,
  change: (text: string) => string,
  changeName = (name: string) => name
): unknown => {
  if (typeof value === "string") return change(value)
  if (Array.isArray(value)) return value.map((member) => mapTexts(member, change, changeName))
  return Predicate.isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, member]) => [changeName(name), mapTexts(member, change, changeName)])
      )
    : value
}
