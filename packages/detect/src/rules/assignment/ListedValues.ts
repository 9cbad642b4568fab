/** Finds the values of a list or mapping that is named for secrets: `tokens = ["…", "…"]`. */
import { isAbout, secretName } from "../SecretName.ts"
import { matchAt } from "../../text/MatchAt.ts"
import type { Source } from "../../text/Source.ts"
import { stringLiteralAt, unescapeXml } from "../../text/StringLiteral.ts"

export interface ListedValue {
  readonly value: string
  readonly start: number
  readonly end: number
}

/** Values of the list that opens at an offset, except those whose own key has a meaning. */
export const listedValues = (source: Source, at: number): ReadonlyArray<ListedValue> => {
  const { kind, text } = source
  if (kind.format === "yaml") {
    const items = [...entriesAt(text, at, blockItem), ...blockEntries(text, at)]
    if (items.length > 0) return items
  }
  if (kind.format === "xml")
    return entriesAt(text, at, childElement).map(({ end, start, value }) => ({
      value: unescapeXml(value),
      start,
      end
    }))
  const open = matchAt(opening, text, at)
  if (open === null) return []
  const found: Array<ListedValue> = []
  let next = at + open[0].length
  while (found.length < maxValues && next - at < maxListLength) {
    next += matchAt(between, text, next)?.[0].length ?? 0
    const pair = matchAt(pairOpening, text, next)
    const key = pair ?? matchAt(elementKey, text, next)
    if (key !== null) next += key[0].length
    const literal = stringLiteralAt(text, next, kind)
    const bare =
      literal === undefined && kind.format === "yaml" ? matchAt(flowItem, text, next)?.[0].trimEnd() : undefined
    if (literal === undefined && bare === undefined) break
    const name = key?.[1] ?? ""
    const { end, start, value } = literal ?? { value: bare ?? "", start: next, end: next + (bare ?? "").length }
    next = literal?.next ?? end
    if (pair !== null) next += matchAt(pairClosing, text, next)?.[0].length ?? 0
    if (literal?.composed !== true && !isAbout(name) && secretName(name) === "none") found.push({ value, start, end })
  }
  return found
}

const maxValues = 50
/** Maximum length of a list in characters. */
const maxListLength = 8000

const opening = /(?!\[\s*\{)(?:new[ \t]+)?(?:\[\d*\])?[\w.<>[\], ]{0,40}?[ \t]*[[{(](?=[\s\w"'`(])/y
const between = /(?:[\s,;]|(?:\/\/|#)[^\n]*\n)*/y
/** `("user", `, the first half of a pair. */
const pairOpening = /[([{][ \t]*["']([\w.@-]{1,80})["'][ \t]*,[ \t]*(?=["'])/y
const pairClosing = /[ \t]*[)\]}]/y
const elementKey = /["'`]?([\w.@-]{1,80})["'`]?[ \t]*(?::|=>|=)[ \t]*(?=["'`])/y
const flowItem = /[^\s,[\]{}"':#&*!|>%@`][^,[\]{}:\n]*/y

/** The values of a multi-line literal, one per line, or those between commas. */
export const valuesOfLines = (text: string, { end, start }: Omit<ListedValue, "value">): ReadonlyArray<ListedValue> => {
  const written = text.slice(start, end)
  const parts = lines.test(written) ? /\S+/g : betweenCommas.test(written) ? /[^,]+/g : /(?!)/g
  return Array.from(written.matchAll(parts), ({ 0: value, index }) => ({
    value,
    start: start + index,
    end: start + index + value.length
  }))
}

const lines = /^[ \t]*\S+(?:[ \t]*\r?\n[ \t]*\S+)+$/
const betweenCommas = /^[^\s,]{8,}(?:,[^\s,]{8,})+$/

/** The values of an INI or TOML section, `[api_keys]`, whose header ends at an offset. */
export const sectionValues = (text: string, at: number): ReadonlyArray<ListedValue> => entriesAt(text, at, setting)

/** Values in the group `value` of successive matches, except those whose own name, if they have one, has a meaning. */
const entriesAt = (text: string, at: number, entry: RegExp): ReadonlyArray<ListedValue> => {
  const found: Array<ListedValue> = []
  let next = at
  for (
    let match = matchAt(entry, text, next);
    match !== null && found.length < maxValues;
    match = matchAt(entry, text, next)
  ) {
    const { attribute, key = attribute, tag = "", name = key ?? tag, value = "" } = match.groups ?? {}
    const [start, end] = match.indices?.groups?.["value"] ?? [next, next]
    next += match[0].length
    if (!isAbout(name) && secretName(name) === "none") found.push({ value, start, end })
  }
  return found
}

/** A setting on a following line, perhaps after comments and empty lines. */
const setting =
  /[ \t]*(?:[#;][^\n]{0,200})?\r?\n(?:[ \t]*(?:[#;][^\n]{0,200})?\r?\n){0,9}[ \t]*["']?(?<name>[\w.@-]{1,80})["']?[ \t]*=[ \t]*(["']?)(?<value>[^\s"'#;\\][^"'\\\n]{0,511}?)\2(?=[ \t]*(?:[#;][^\n]*)?\r?(?:\n|$))/dy

/** The text of an element, `<bob>…</bob>` or `<entry key="bob">…</entry>`; in a property list, a key precedes it. */
const childElement =
  /\s{0,200}(?:<key>(?<key>[^<>]{1,80})<\/key>\s{0,200})?<(?<tag>[\w.:-]{1,80})(?:\s(?:key|name|id)="(?<attribute>[^"<>]{0,80})")?(?:\s[^<>]{0,400})?>(?<value>[^<>\n]{1,512})<\/\k<tag>>/dy

/** `- value` on a following line. */
const blockItem = /[ \t]*\r?\n[ \t]*-[ \t]+(["']?)(?<value>[^\s"':#&*!|>{}[\]%@`][^\s"':]*)\1(?=[ \t]*\r?(?:\n|$))/dy

/** `key: value` on the following lines with the same indentation. */
const blockEntries = (text: string, at: number): ReadonlyArray<ListedValue> => {
  const indent = matchAt(firstIndent, text, at)?.[1]
  if (indent === undefined) return []
  const entry = new RegExp(
    `[ \\t]*\\r?\\n${indent}(?<name>[\\w.-]+):[ \\t]+(["']?)(?<value>[^\\s"':#&*!|>{}[\\]%@\`][^\\s"':]*)\\2(?=[ \\t]*\\r?(?:\\n|$))`,
    "dy"
  )
  return entriesAt(text, at, entry)
}

const firstIndent = /[ \t]*\r?\n([ \t]{1,40})[\w.-]+:[ \t]+\S/y
