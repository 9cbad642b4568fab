/**
 * What an event is found by: the words of its texts, and the exact values in them, each with the place where it stands.
 *
 * An event's `data` is read leaf by leaf whatever its type, so that a type this version has never heard of is found by its
 * content like any other.
 */
import type { Vault } from "../crypto/Vault.ts"
import { type Range, Ranges, secretsIn } from "./SecretsInText.ts"
import {
  azureTenantOf,
  binOf,
  domainsOf,
  emailOf,
  hostOf,
  ipOf,
  pairOf,
  repositoryOf,
  type Term,
  type TermKind,
  usernameOf
} from "./Term.ts"
import { type Word, wordsOf } from "./Tokenizer.ts"

/** The fields that words can be searched in. `other` holds what has no better place. */
export const columns = ["title", "content", "description", "actor", "url", "other"] as const
export type Column = (typeof columns)[number]

export interface EventText {
  /** The field of `data`, nested names joined by dots, array positions left out. */
  readonly field: string
  readonly column: Column
  readonly text: string
  readonly words: ReadonlyArray<Word>
  /** What must not be shown in a highlight. */
  readonly hidden: ReadonlyArray<Range>
}

export interface FoundTerm extends Term {
  /** Where in `texts` it stands. A term made of the whole event, such as its type, stands nowhere. */
  readonly places: ReadonlyArray<Place>
}

export interface Place extends Range {
  readonly text: number
  /** What stands there is a password, a key or a token. */
  readonly secret: boolean
}

export interface IndexedEvent {
  readonly texts: ReadonlyArray<EventText>
  readonly terms: ReadonlyMap<string, FoundTerm>
}

/** As much of an indexed event as tells whether an expression holds. */
export interface Searchable {
  readonly texts: ReadonlyArray<{ readonly column: Column; readonly words: ReadonlyArray<{ readonly text: string }> }>
  /** By `termKey`. */
  readonly terms: { readonly has: (key: string) => boolean }
}

/** As far as an event's own shape is needed here. */
export interface EventContent {
  readonly event_type: string
  readonly metadata: { readonly severity: string }
  readonly data: unknown
}

/** No word is ever this: it keeps phrases from reaching over a hidden value, or from one field into the next. */
export const gap = "\u00B6"

export const termKey = ({ kind, value }: Term): string => `${kind}\0${value}`

/** The words of a text, stored or asked for: hidden values leave a gap, random ones a keyed digest. */
export const searchedWords = (
  vault: Vault,
  text: string,
  hidden: ReadonlyArray<Range & { readonly value: string; readonly random: boolean }> = hiddenIn(text)
): ReadonlyArray<Word> => {
  if (hidden.length === 0) return wordsOf(text)
  const words: Array<Word> = []
  let from = 0
  const until = (end: number) => {
    for (const word of wordsOf(text.slice(from, end))) {
      words.push({ text: word.text, start: word.start + from, end: word.end + from })
    }
  }
  for (const { end, random, start, value } of hidden) {
    until(start)
    words.push({ text: random ? digestWord(vault, value) : gap, start, end })
    from = end
  }
  until(text.length)
  return words
}

export const indexEvent = (vault: Vault, { data, event_type, metadata }: EventContent): IndexedEvent => {
  const texts: Array<EventText> = []
  const terms = new Map<string, { kind: TermKind; value: string; places: Array<Place> }>()
  const add = (kind: TermKind, value: string | undefined, place?: Place) => {
    if (value === undefined || value === "") return
    const key = termKey({ kind, value })
    let term = terms.get(key)
    if (term === undefined) terms.set(key, (term = { kind, value, places: [] }))
    if (place !== undefined) term.places.push(place)
  }
  add("type", event_type)
  add("severity", metadata.severity)

  const addPair = (account: string, password: string, place: Place) => {
    for (const name of accountNames(account)) add("credentials", pairOf(name, password), place)
  }

  const leaf = (path: string, key: string, text: string) => {
    if (text === "" || timeKey.test(key)) return
    const place = (start: number, end: number, secret = false): Place => ({ text: texts.length, start, end, secret })
    const whole = place(0, text.length)
    const column = columnOf(path, key)

    if (secretKey.test(key)) {
      add("secret", text, place(0, text.length, true))
      texts.push({ field: path, column, text, words: [], hidden: [whole] })
      return
    }

    const secrets = secretsIn(text)
    const hidden = secrets.filter(({ hidden }) => hidden).toSorted((a, b) => a.start - b.start)
    for (const { account, end, start, value } of secrets) {
      add("secret", value, place(start, end, true))
      if (account === undefined) continue
      addPair(account, value, place(start, end, true))
      for (const name of accountNames(account)) add("username", usernameOf(name), place(start, end, true))
    }

    const isHidden = Ranges.of(hidden)
    const open = (start: number, end: number) => !isHidden.overlap(start, end)
    for (const match of text.matchAll(hostPattern)) {
      const [found] = match
      const host = hostOf(found)
      const end = match.index + found.length
      if (host === undefined || !open(match.index, end)) continue
      const local =
        text.charAt(match.index - 1) === "@"
          ? localPart.exec(text.slice(Math.max(0, match.index - 66), match.index - 1))
          : null
      const start = local === null ? match.index : match.index - 1 - local[0].length
      for (const domain of domainsOf(host)) add("domain", domain, place(match.index, end))
      if (local !== null) add("email", emailOf(`${local[0]}@${host}`), place(start, end))
    }
    if (!networkKey.test(key)) {
      for (const match of text.matchAll(ipPattern)) {
        const end = match.index + match[0].length
        if (open(match.index, end)) add("ip", ipOf(match[0]), place(match.index, end))
      }
    }
    for (const match of text.matchAll(repositoryPattern)) {
      const { 0: found, 1: owner = "", 2: name = "", index } = match
      const bare = name.replace(/[.]+$/, "")
      if (open(index, index + found.length))
        add("github_repository", repositoryOf(owner, bare), place(index, index + found.length))
    }
    if (key !== "tenant_integration_id") {
      for (const { 0: found, index } of text.matchAll(uuidPattern)) {
        add("azure_tenant", azureTenantOf(found), place(index, index + found.length))
      }
    }
    for (const { 0: list, index } of text.matchAll(binListPattern)) {
      for (const { 0: digits, index: at } of list.matchAll(/(?<!\d)\d{5,8}(?!\d)/g)) {
        for (const bin of binsOf(digits)) add("bin", bin, place(index + at, index + at + digits.length))
      }
    }
    for (const { 1: handle = "", index } of text.matchAll(handlePattern)) {
      if (open(index, index + handle.length + 1))
        add("username", usernameOf(handle), place(index, index + handle.length + 1))
    }

    if (key === "bin") for (const bin of binsOf(text)) add("bin", bin, whole)
    if (usernameKey.test(key) || actorName.test(path)) {
      for (const name of accountNames(text)) add("username", usernameOf(name), whole)
    }
    if (repositoryKey.test(key)) {
      const [owner, name, rest] = text.split("/")
      if (owner !== undefined && name !== undefined && rest === undefined) {
        add("github_repository", repositoryOf(owner, name), whole)
      }
    }
    texts.push({ field: path, column, text, words: searchedWords(vault, text, hidden), hidden })
  }

  const walk = (path: string, key: string, value: unknown): void => {
    if (typeof value === "string") leaf(path, key, value)
    else if (typeof value === "number") leaf(path, key, String(value))
    else if (Array.isArray(value)) for (const item of value) walk(path, key, item)
    else if (value !== null && typeof value === "object") {
      const entries = Object.entries(value)
      for (const [name, nested] of entries) walk(path === "" ? name : `${path}.${name}`, name, nested)

      const named = new Map(entries)
      const text = (pattern: RegExp) => {
        for (const [name, nested] of named)
          if (pattern.test(name) && typeof nested === "string" && nested !== "") return nested
        return undefined
      }
      const account = text(accountKey)
      const password = text(passwordKey)
      if (account !== undefined && password !== undefined) {
        const prefix = path === "" ? "" : `${path}.`
        const at = texts.findLastIndex(({ field, text }) => text === password && field.startsWith(prefix))
        addPair(account, password, { text: at, start: 0, end: password.length, secret: true })
      }
      const owner = named.get("repo_owner")
      const name = named.get("repo_name")
      if (typeof owner === "string" && typeof name === "string") add("github_repository", repositoryOf(owner, name))
    }
  }
  walk("", "", data)
  return { texts, terms }
}

const hiddenIn = (text: string) =>
  secretsIn(text)
    .filter(({ hidden }) => hidden)
    .toSorted((a, b) => a.start - b.start)

const digestWord = (vault: Vault, value: string): string =>
  `z${Buffer.from(vault.blindIndex("event/word", value.toLowerCase())).toString("hex")}`

/** An account is known by its whole name and, where that is an address, by what stands before the at sign. */
const accountNames = (account: string): ReadonlyArray<string> => {
  const at = account.lastIndexOf("@")
  return at > 0 ? [account, account.slice(0, at)] : [account]
}

/** The number itself and the shorter ones that it begins with, down to six digits. */
const binsOf = (text: string): ReadonlyArray<string> => {
  const bin = binOf(text)
  if (bin === undefined) return []
  return Array.from({ length: Math.max(1, bin.length - 5) }, (_, dropped) => bin.slice(0, bin.length - dropped))
}

const columnOf = (path: string, key: string): Column => {
  if (/(?:^|\.)actor\./.test(path) || accountKey.test(key) || key === "owner") return "actor"
  if (titleKey.test(key) || path === "name") return "title"
  if (key === "content" || key === "body") return "content"
  if (key === "description" || key === "subject") return "description"
  return urlKey.test(key) ? "url" : "other"
}

const timeKey = /_(?:at|time)$/
const secretKey =
  /^(?:password|passwd|passphrase|pwd|pass|secret|token|api_key|private_key|cookie|hash|credential_hash)$/i
const passwordKey = /^(?:password|passwd|pwd|pass|secret)$/i
const accountKey = /^(?:identity_name|username|user_name|user|login|email|account)$/i
const usernameKey =
  /^(?:identity_name|username|user_name|login|account|handle|screen_name|nickname|forwarded_from_username|author|seller)$/i
const actorName = /(?:^|\.)actor\.name$/
const networkKey = /^ip_network$/
const repositoryKey = /^(?:repository|repo|repo_full_name|full_name)$/i
const titleKey = /^(?:title|topic_title|conversation_name|display_name|term)$/
const urlKey = /(?:^|_)(?:url|host|hostname|domain|domains|ip_address|ip_network)$/

/** Whatever a host name may be made of: each label is taken whole, so that no text is read twice. */
const hostPattern = /(?<![\p{L}\p{N}_-])[\p{L}\p{N}_]+(?:-+[\p{L}\p{N}_]+)*(?:\.[\p{L}\p{N}_]+(?:-+[\p{L}\p{N}_]+)*)+/gu
const localPart = /[\p{L}\p{N}!#$%&*+/=?^_{}~.'-]{1,64}$/u
const ipPattern =
  /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)|(?<![\w:.])(?:[0-9a-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]{0,4})(?![\w:])/giu
const repositoryPattern =
  /(?<![\w.-])(?:www\.)?(?:github\.com|raw\.githubusercontent\.com|api\.github\.com\/repos)[/:]([\w-]{1,39})\/([\w.-]{1,100})/gi
const uuidPattern = /(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])/gi
const binListPattern = /\bbins?\b[^\d\n]{0,12}(?:(?<!\d)\d{5,8}(?!\d)[\s,;/&]*(?:and\s+|or\s+)?)+/gi
const handlePattern = /(?<![\p{L}\p{N}_@.+-])@([A-Za-z0-9_]{3,32})(?![\w.-]*\.\w|\w)/gu
