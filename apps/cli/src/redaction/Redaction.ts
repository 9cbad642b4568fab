/** Removes secrets from what the service answers, before it is shown or passed on. */
import { namedMembers } from "@threat-exposure/detect/rules/prose/NamedMembers"
import { isSecretName } from "@threat-exposure/detect/rules/SecretName"
import { withoutSecrets } from "@threat-exposure/detect/SecretsInText"
import { makeSecretMatcher } from "@threat-exposure/core/redaction/SecretMatcher"
import { CredentialPage } from "@threat-exposure/core/domain/Credential"
import { IdentifierEventPage } from "@threat-exposure/core/domain/Event"
import { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as SchemaAST from "effect/SchemaAST"

export const redacted = "[redacted]"

/** An event or an item of a listing without the secrets in it. The service's own identifiers and links are kept. */
export const redactedEvent = (item: unknown): unknown => {
  const safe = redactedJson(item)
  return Predicate.hasProperty(item, "metadata") && Predicate.isObject(safe)
    ? { ...safe, metadata: redactedJson(item.metadata, /^(?:uid|\w+_url)$/u) }
    : safe
}

/**
 * A copy of a JSON value without secrets: members that are named like one are replaced, and stretches of text that look
 * like one are replaced in place. The types of events that will come are treated alike. Members whose names match
 * `kept` stay as they are.
 */
export const redactedJson = (value: unknown, kept?: RegExp): unknown =>
  redactedAt(value, { name: "", isRow: false, depth: 0, kept })

interface Place {
  readonly name: string
  readonly isRow: boolean
  readonly depth: number
  readonly kept: RegExp | undefined
}

const redactedAt = (value: unknown, { depth, isRow, kept, name }: Place): unknown => {
  if (value === null || value === undefined || value === "") return value
  if (depth > deepest || Redacted.isRedacted(value)) return redacted
  // A list stays one: programs read the highlights of a password as they read others.
  if (whollySecret.test(name)) return Array.isArray(value) ? value.map(() => redacted) : redacted
  if (typeof value === "string") return isSecretName(name) ? redacted : redactedText(value)
  if (typeof value === "number") return isSecretName(name) ? redacted : value
  const isArray = Array.isArray(value)
  const members = namedMembers(value, { name, isRow }).map(({ name, step, value: member }) => {
    const place = { name, isRow: isArray, depth: depth + 1, kept }
    return [String(step), kept?.test(name) === true ? member : redactedAt(member, place)] as const
  })
  if (isArray) return members.map(([, member]) => member)
  return typeof value === "object"
    ? Object.fromEntries(members.map(([name, member]) => [simpleName.test(name) ? name : redactedText(name), member]))
    : value
}

/** Deeper data is hostile: a recursive reader would overflow its stack. */
const deepest = 100

/** Members of these names are secrets whatever their type. */
const whollySecret = /^(?:hash|password|secret|token)$/iu

/** A name of a record. Other names can hold a secret as well as any text. */
const simpleName = /^[\w -]{0,32}$/u

/** The text with each secret in it replaced. Where tags of a highlight split a secret, all tags of the text are removed. */
export const redactedText = (text: string): string => {
  if (!highlightTag.test(text)) return withoutSecrets(text, redacted)
  const plain = text.replaceAll(highlightTags, "")
  const safe = withoutSecrets(plain, redacted)
  return safe === plain ? text : safe
}

const highlightTag = /<\/?(?:mark|em)>/u
export const highlightTags = /<\/?(?:mark|em)>/gu

/** Values to remove from what is shown. */
export interface RemovedValues {
  /** Removed whole and in part. */
  readonly secrets?: ReadonlyArray<string>
  /** Removed whole only: they may be ordinary text. */
  readonly wholes?: ReadonlyArray<string>
}

/**
 * Removes values from a JSON value, its names included: a secret that was searched for need not look like one, and a
 * leak may repeat it anywhere. If a text with one contains tags of a highlight, they are removed as well. Names of
 * the API's own fields are kept: they come from no leak, and programs read the fields by them.
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

/** The names of all fields of the API's answers. */
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

/** A copy of a JSON value with its texts changed, and its names if `changeName` is given. */
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
