/** Formats answers of tools: limited in size and redacted. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { highlightTags, mapTexts, redactJson, type RemovedValues, withoutValues } from "../redaction/Redaction.ts"

/**
 * Default limit in bytes, for the structured and for the text part of an answer. Agents show one of the two to their
 * model, and truncate answers over 18 kB in different ways.
 */
export const defaultAnswer = 18_000

/**
 * Upper limit in bytes that a caller can request. Claude Code shows the first 2 kB of an answer over 50,000 characters,
 * and OpenCode nothing of a line over 51,200 bytes; an answer is one line.
 */
export const maxAnswer = 50_000

/** The fields of every answer besides its data. */
export const answerFields = {
  complete: Schema.Boolean.annotate({ description: "Whether the answer is complete" }),
  next: Schema.NullOr(Schema.String).annotate({
    description: "Pass it as from for the next page; null on the last one"
  }),
  searches_used: Schema.Int.annotate({ description: "Searches that this call has cost" }),
  searches_remaining: Schema.NullOr(Schema.Int).annotate({
    description: "What is left of the session's limit or of the quota, whichever is smaller; null if unknown"
  })
}

/** A tool call failed; the message says what to do. It may quote arguments, so it is truncated. */
export class ToolFailed extends Schema.TaggedError<ToolFailed>()("ToolFailed", { reason: Schema.String }) {
  override get message() {
    return cutText(this.reason, maxReason)
  }
}

const maxReason = 2_000

export interface Fitted {
  readonly value: unknown
  readonly isCut: boolean
}

/** Truncates a JSON value to at most `bytes`: first its texts, the longest ones most, then its lists. */
export const fitJson = (value: unknown, bytes: number): Fitted => {
  for (let longest = 100_000; longest >= 50; longest = Math.floor(longest / 2)) {
    const cut = cutTexts(value, longest)
    if (bytesOf(cut.value) <= bytes) return cut
  }
  for (let most = 100; most >= 1; most = Math.floor(most / 2)) {
    const cut = cutTexts(cutLists(value, most), 50)
    if (bytesOf(cut.value) <= bytes) return { value: cut.value, isCut: true }
  }
  return { value: null, isCut: true }
}

/** Truncates the members of an item. */
export interface Cut {
  /** Text from a leak: also redacted. */
  readonly text: (given: string) => string
  readonly json: (given: unknown) => unknown
  /** Text of the service itself, such as an id. */
  readonly own: (given: string) => string
}

/**
 * Truncates the items of a page until all fit into an answer, and marks truncated ones. `itemOf` must pass each text
 * through `cut`; `searched` is removed from text of strangers.
 */
export const fitItems = <Item, Shown extends object>(
  items: ReadonlyArray<Item>,
  itemOf: (item: Item, cut: Cut) => Shown,
  bytes: number,
  searched: RemovedValues = {}
): ReadonlyArray<Shown & { readonly truncated: boolean }> => {
  // Each text is redacted once: redacting is slower than truncating.
  const known = new Map<unknown, unknown>()
  const removed = withoutValues(searched)
  const safeOf = (given: unknown) => {
    if (!known.has(given)) known.set(given, removed(withoutTags(redactJson(given))))
    return known.get(given)
  }
  for (let longest = 4_096; ; longest = Math.floor(longest / 2)) {
    const shown = items.map((item) => {
      let truncated = false
      const noted = ({ isCut, value }: Fitted) => {
        truncated ||= isCut
        return value
      }
      const own = (given: unknown) => String(noted(cutTexts(given, longest)))
      const content = itemOf(item, {
        own,
        text: (given) => own(safeOf(given)),
        json: (given) => noted(fitJson(safeOf(given), longest))
      })
      return { ...content, truncated }
    })
    if (longest <= shortest || bytesOf(shown) <= bytes) return shown
  }
}

/** Length in characters at which the five texts of 100 items always fit. */
const shortest = 8

/**
 * Bytes for the data of an answer; the rest is for its other members. The default grows with the number of requested
 * items.
 */
export const dataBytes = (maxBytes: number | undefined, items = 0): number =>
  (maxBytes ?? Math.min(maxAnswer, Math.max(defaultAnswer, items * defaultItem))) - 800

const defaultItem = 600

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "")

const cutTexts = (value: unknown, longest: number): Fitted => {
  let isCut = false
  const cut = mapTexts(
    value,
    (text) => {
      isCut ||= text.length > longest
      return cutText(text, longest)
    },
    (name) => name.toWellFormed()
  )
  return { value: cut, isCut }
}

/** Replaces lone surrogates, which come from truncation or from the service: some clients reject messages with them. */
const cutText = (text: string, longest: number) =>
  (text.length > longest ? `${text.slice(0, longest)}…` : text).toWellFormed()

const cutLists = (value: unknown, most: number): unknown => {
  if (Array.isArray(value)) return value.slice(0, most).map((member) => cutLists(member, most))
  return Predicate.isObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .slice(0, most)
          .map(([name, member]) => [name, cutLists(member, most)])
      )
    : value
}

/** Removes the tags of highlights. */
export const withoutTags = (value: unknown): unknown => mapTexts(value, (text) => text.replaceAll(highlightTags, ""))
