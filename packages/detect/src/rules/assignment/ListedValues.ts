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
    const items = [...blockItems(text, at), ...blockEntries(text, at)]
    if (items.length > 0) return items
  }
  if (kind.format === "xml") return childElements(text, at)
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

/** The values of a multi-line literal, one per line. */
export const valuesOfLines = (text: string, { end, start }: Omit<ListedValue, "value">): ReadonlyArray<ListedValue> => {
  const written = text.slice(start, end)
  if (!/^[ \t]*\S+(?:[ \t]*\r?\n[ \t]*\S+)+$/.test(written)) return []
  return Array.from(written.matchAll(/\S+/g), ({ 0: value, index }) => ({
    value,
    start: start + index,
    end: start + index + value.length
  }))
}

/** The values of an INI or TOML section, `[api_keys]`, whose header ends at an offset. */
export const sectionValues = (text: string, at: number): ReadonlyArray<ListedValue> => {
  const found: Array<ListedValue> = []
  let next = at
  for (let match = matchAt(setting, text, next); match !== null; match = matchAt(setting, text, next)) {
    const [whole, name = "", quote = "", value = ""] = match
    next += whole.length
    const end = next - quote.length
    if (!isAbout(name) && secretName(name) === "none") found.push({ value, start: end - value.length, end })
    if (found.length >= maxValues) break
  }
  return found
}

/** A setting on a following line, perhaps after comments and empty lines. */
const setting =
  /[ \t]*(?:[#;][^\n]{0,200})?\r?\n(?:[ \t]*(?:[#;][^\n]{0,200})?\r?\n){0,9}[ \t]*["']?([\w.@-]{1,80})["']?[ \t]*=[ \t]*(["']?)([^\s"'#;\\][^"'\\\n]{0,511}?)\2(?=[ \t]*(?:[#;][^\n]*)?\r?(?:\n|$))/y

/** The texts of the elements at an offset, `<bob>…</bob>`; in a property list, each has a key before it. */
const childElements = (text: string, at: number): ReadonlyArray<ListedValue> => {
  const found: Array<ListedValue> = []
  let next = at
  for (let match = matchAt(childElement, text, next); match !== null; match = matchAt(childElement, text, next)) {
    const [whole, key, tag = "", value = ""] = match
    next += whole.length
    const end = next - tag.length - 3
    const name = key ?? namedAttribute.exec(whole)?.[1] ?? tag
    if (!isAbout(name) && secretName(name) === "none")
      found.push({ value: unescapeXml(value), start: end - value.length, end })
    if (found.length >= maxValues) break
  }
  return found
}

const namedAttribute = /^[^<]*<[^<>]*?\s(?:key|name|id)="([^"<>]{0,80})"/
const childElement =
  /\s{0,200}(?:<key>([^<>]{1,80})<\/key>\s{0,200})?<([\w.:-]{1,80})(?:\s[^<>]{0,400})?>([^<>\n]{1,512})<\/\2>/y

/** `- value` on the following lines. */
const blockItems = (text: string, at: number): ReadonlyArray<ListedValue> => {
  const found: Array<ListedValue> = []
  let next = at
  for (let match = matchAt(blockItem, text, next); match !== null; match = matchAt(blockItem, text, next)) {
    const value = match[2] ?? ""
    next += match[0].length
    found.push({ value, start: next - value.length - (match[1] ?? "").length, end: next - (match[1] ?? "").length })
    if (found.length >= maxValues) break
  }
  return found
}

const blockItem = /[ \t]*\r?\n[ \t]*-[ \t]+(["']?)([^\s"':#&*!|>{}[\]%@`][^\s"':]*)\1(?=[ \t]*\r?(?:\n|$))/y

/** `key: value` on the following lines with the same indentation. */
const blockEntries = (text: string, at: number): ReadonlyArray<ListedValue> => {
  const indent = matchAt(firstIndent, text, at)?.[1]
  const found: Array<ListedValue> = []
  if (indent === undefined) return found
  const entry = new RegExp(
    `[ \\t]*\\r?\\n${indent}([\\w.-]+):[ \\t]+(["']?)([^\\s"':#&*!|>{}[\\]%@\`][^\\s"':]*)\\2(?=[ \\t]*\\r?(?:\\n|$))`,
    "y"
  )
  let next = at
  for (let match = matchAt(entry, text, next); match !== null; match = matchAt(entry, text, next)) {
    const [whole, name = "", quote = "", value = ""] = match
    next += whole.length
    const end = next - quote.length
    if (!isAbout(name) && secretName(name) === "none") found.push({ value, start: end - value.length, end })
    if (found.length >= maxValues) break
  }
  return found
}

const firstIndent = /[ \t]*\r?\n([ \t]{1,40})[\w.-]+:[ \t]+\S/y
