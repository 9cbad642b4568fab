/** Removes secrets from what the service answers, before it is shown or passed on. */
import { secretSpans } from "@threat-exposure/detect/Text"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"

export const redacted = "[redacted]"

/**
 * A copy of a JSON value without secrets: members that are named like one are replaced whole, and stretches of text that
 * look like one are replaced where they stand. The types of events that will come are treated alike.
 */
export const redactedJson = (value: unknown): unknown => redactedAt(value, 0)

const redactedAt = (value: unknown, depth: number): unknown => {
  if (depth > deepest) return redacted
  if (typeof value === "string") return redactedText(value)
  if (Array.isArray(value)) return value.map((member) => redactedAt(member, depth + 1))
  if (Redacted.isRedacted(value)) return redacted
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecretName(name) && isGiven(member) ? redacted : redactedAt(member, depth + 1)
    ])
  )
}

/** Deeper data is hostile: a recursive reader would overflow its stack. */
const deepest = 100

/** The text with each secret in it replaced. Where tags of a highlight split a secret, the tags of the text go too. */
export const redactedText = (text: string): string => {
  if (!highlightTag.test(text)) return withoutSecrets(text)
  const plain = text.replaceAll(highlightTags, "")
  const safe = withoutSecrets(plain)
  return safe === plain ? text : safe
}

const withoutSecrets = (text: string): string => {
  const spans = secretSpans(text, leastConfidence).toSorted((a, b) => a.start - b.start)
  let result = ""
  let end = 0
  for (const span of spans) {
    if (span.start >= end) result += text.slice(end, span.start) + redacted
    end = Math.max(end, span.end)
  }
  return result + text.slice(end)
}

/** Lower than for a search: to redact too much costs nothing. */
const leastConfidence = 0.2

const highlightTag = /<\/?(?:mark|em)>/u
const highlightTags = /<\/?(?:mark|em)>/gu

const isSecretName = (name: string): boolean => /^(?:hash|password|secret|token)$/iu.test(name)

const isGiven = (value: unknown): boolean => value !== null && value !== undefined && value !== ""
