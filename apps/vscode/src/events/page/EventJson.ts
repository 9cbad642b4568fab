/** Formats an event as JSON without its secrets. */
import type { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import { Predicate, Redacted } from "effect"
import type { DocumentOptions } from "../../editor/page/Document.ts"
import { masked as hidden, namesSecret, withoutSecrets } from "../../editor/page/Secrets.ts"
import { maskText } from "../../words/Mask.ts"

export const eventJson = ({ event_type, metadata, data }: TypedEvent, options: DocumentOptions): string =>
  `${JSON.stringify({ event_type, metadata, data: shown(data, false, options, 0) }, undefined, 2)}\n`

const shown = (value: unknown, isSecret: boolean, options: DocumentOptions, depth: number): unknown => {
  if (value == null || typeof value === "boolean") return value
  if (Redacted.isRedacted(value)) return hidden
  if (Predicate.isObjectOrArray(value)) {
    if (depth > maxDepth) return "…"
    if (Array.isArray(value)) return value.map((item: unknown) => shown(item, isSecret, options, depth + 1))
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, shown(part, isSecret || namesSecret(key), options, depth + 1)])
    )
  }
  if (isSecret) return hidden
  if (typeof value !== "string") return value
  const text = withoutSecrets(value, options.secretsIn(value))
  return options.masked ? maskText(text) : text
}

/** Maximum depth: deeper records are omitted, because they would overflow the stack. */
const maxDepth = 200
