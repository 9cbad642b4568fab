/** Indexes every leaf of `data`, so that events of unknown types are found by their content too. */
import type { Field, FieldText, SearchDocument, TextSpan } from "../search/SearchDocument.ts"
import { namedMembers } from "@threat-exposure/detect/rules/prose/NamedMembers"
import { isSecretName } from "@threat-exposure/detect/rules/SecretName"
import { hiddenIn, secretsIn } from "@threat-exposure/detect/SecretsInText"
import { Spans } from "@threat-exposure/detect/text/Spans"
import {
  azureTenantOf,
  binOf,
  type BlindIndex,
  domainsOf,
  emailOf,
  hostOf,
  ipOf,
  pairOf,
  repositoryOf,
  termKey,
  type TermKind,
  usernameOf
} from "../search/Term.ts"
import { tokenize } from "../search/Tokenizer.ts"
import { type AccountInText, labelledAccounts, secretsOfAccounts } from "./AccountsInText.ts"

export interface EventContent {
  readonly event_type: string
  readonly metadata: { readonly severity: string }
  readonly data: unknown
}

export interface EventDocument extends SearchDocument {
  readonly texts: ReadonlyArray<EventText>
}

export interface EventText extends FieldText {
  /** The names and array positions that lead from `data` to the text. */
  readonly pointer: ReadonlyArray<string | number>
}

export const eventDocument = (blindIndex: BlindIndex, { data, event_type, metadata }: EventContent): EventDocument => {
  const texts: Array<EventText> = []
  const terms = new Map<string, { kind: TermKind; value: string; spans: Array<TextSpan> }>()
  const add = (kind: TermKind, value: string | undefined, span?: TextSpan) => {
    if (value === undefined || value === "") return
    const key = termKey({ kind, value })
    let term = terms.get(key)
    if (term === undefined) terms.set(key, (term = { kind, value, spans: [] }))
    if (span !== undefined) term.spans.push(span)
  }
  add("type", event_type)
  add("severity", metadata.severity)

  const addPair = (account: string, password: string, span: TextSpan) => {
    for (const name of accountNames(account)) add("credentials", pairOf(name, password), span)
  }

  const leaf = (pointer: EventText["pointer"], key: string, text: string) => {
    if (text === "" || timeKey.test(key)) return
    const span = (start: number, end: number, secret = false): TextSpan => ({ text: texts.length, start, end, secret })
    const whole = span(0, text.length)
    const path = pathOf(pointer)
    const field = fieldOf(path, key)

    if (isSecretName(key)) {
      add("secret", text, span(0, text.length, true))
      texts.push({ pointer, path, field, text, words: [], hidden: [whole] })
      return
    }

    const secrets = secretsIn(text)
    const hidden = hiddenIn(text, secrets)
    for (const { account, end, start, value } of secrets) {
      add("secret", value, span(start, end, true))
      if (account === undefined) continue
      addPair(account, value, span(start, end, true))
      for (const name of accountNames(account)) add("username", usernameOf(name), span(start, end, true))
    }

    const isHidden = Spans.of(hidden)
    const open = (start: number, end: number) => !isHidden.overlap(start, end)
    const labelled = labelledAccounts(text)
    for (const { end, name, start } of labelled) {
      for (const form of accountNames(name)) add("username", usernameOf(form), span(start, end, !open(start, end)))
    }
    const addresses: Array<AccountInText> = []
    const paired = new Set(secrets.map(({ account, start }) => (account === undefined ? -1 : start - 1)))
    const plain = withoutEscapes(text)
    for (const { 0: found, index } of plain.matchAll(hostPattern)) {
      const host = hostOf(withDots(found))
      const end = index + found.length
      if (host === undefined || !open(index, end)) continue
      for (const domain of domainsOf(host)) add("domain", domain, span(index, end))
      const sign = ["@", "[@]"].find((sign) => plain.endsWith(sign, index)) ?? ""
      for (const name of sign === "" ? [] : localNamesIn(plain, index - sign.length)) {
        const address = span(index - sign.length - name.length, end)
        if (!open(address.start, end)) continue
        add("email", emailOf(`${name}@${host}`), address)
        if (!paired.has(end)) addresses.push({ name: `${name}@${host}`, ...address })
      }
    }
    for (const { name, secret } of secretsOfAccounts([...labelled, ...addresses], secrets)) {
      if (secret.account !== name) addPair(name, secret.value, span(secret.start, secret.end, true))
    }
    if (!networkKey.test(key)) {
      for (const { 0: found, index } of plain.matchAll(ipPattern)) {
        const end = index + found.length
        if (open(index, end)) add("ip", ipOf(withDots(found)), span(index, end))
      }
    }
    for (const match of text.matchAll(repositoryPattern)) {
      const { 0: found, 1: owner = "", 2: name = "", index } = match
      const bare = name.replace(/[.]+$/, "")
      if (open(index, index + found.length))
        add("github_repository", repositoryOf(owner, bare), span(index, index + found.length))
    }
    if (key !== "tenant_integration_id") {
      for (const { 0: found, index } of plain.matchAll(uuidPattern)) {
        add("azure_tenant", azureTenantOf(found), span(index, index + found.length))
      }
    }
    for (const { 0: list, index } of text.matchAll(binListPattern)) {
      for (const { 0: digits, index: at } of list.matchAll(/(?<!\d)\d{5,8}(?!\d)/g)) {
        for (const bin of binsOf(digits)) add("bin", bin, span(index + at, index + at + digits.length))
      }
    }
    for (const { 1: handle = "", index } of text.matchAll(handlePattern)) {
      if (open(index, index + handle.length + 1))
        add("username", usernameOf(handle), span(index, index + handle.length + 1))
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
    texts.push({ pointer, path, field, text, words: tokenize(blindIndex, text, hidden), hidden })
  }

  const walk = (pointer: EventText["pointer"], key: string, value: unknown): void => {
    if (typeof value === "string") leaf(pointer, key, value)
    else if (typeof value === "number") leaf(pointer, key, String(value))
    else if (value !== null && typeof value === "object") {
      const members = namedMembers(value, { name: key, isRow: typeof pointer.at(-1) === "number" })
      for (const { account, name, step, value: member } of members) {
        walk([...pointer, step], name, member)
        if (account === undefined || typeof member !== "string") continue
        addPair(account, member, { text: texts.length - 1, start: 0, end: member.length, secret: true })
      }
      if (Array.isArray(value)) return

      const named = new Map<string, unknown>(Object.entries(value))
      const text = (pattern: RegExp) => {
        for (const [name, nested] of named)
          if (pattern.test(name) && typeof nested === "string" && nested !== "") return nested
        return undefined
      }
      const account = text(accountKey)
      const password = text(passwordKey)
      if (account !== undefined && password !== undefined) {
        const path = pathOf(pointer)
        const prefix = path === "" ? "" : `${path}.`
        const at = texts.findLastIndex(({ path: of, text }) => text === password && of.startsWith(prefix))
        addPair(account, password, { text: at, start: 0, end: password.length, secret: true })
      }
      const owner = named.get("repo_owner")
      const name = named.get("repo_name")
      if (typeof owner === "string" && typeof name === "string") add("github_repository", repositoryOf(owner, name))
    }
  }
  walk([], "", data)
  return { texts, terms }
}

/** The names joined by dots, without array positions. */
export const pathOf = (pointer: EventText["pointer"]): string =>
  pointer.filter((step) => typeof step === "string").join(".")

/** The text with blanks in place of percent-encoded bytes: in `%3A%2F%2Fexample.com`, the host begins after the `F`. */
const withoutEscapes = (text: string): string => text.replaceAll(/%[0-9a-f]{2}/gi, "   ")

/**
 * All possible local parts of an e-mail address before the `@` at this index. The signs that a local part may contain
 * also stand before addresses, as in `email=` or `**`, and so do words without blanks and escaped line ends.
 */
const localNamesIn = (text: string, at: number): ReadonlyArray<string> => {
  const [local = ""] = localPart.exec(text.slice(Math.max(0, at - 65), at)) ?? []
  const isEscaped = text.charAt(at - local.length - 1) === "\\"
  // Fast path: most addresses stand alone.
  if (!isEscaped && /^[a-z\d][\w.+-]*$/i.test(local)) return [local]
  const [bare = ""] = /[\p{L}\p{N}][\p{L}\p{N}_.+-]*$/u.exec(local) ?? []
  const [latin = ""] = /[a-z\d][\w.+-]*$/iu.exec(bare) ?? []
  const unescaped = isEscaped ? local.replace(/^[nrt]/, "") : local
  return [...new Set([local, bare, latin, unescaped])].filter((name) => name !== "")
}

/** An account is found by its full name and, if that is an address, by the part before the `@`. */
const accountNames = (account: string): ReadonlyArray<string> => {
  const at = account.lastIndexOf("@")
  return at > 0 ? [account, account.slice(0, at)] : [account]
}

/** The number, and its prefixes of at least six digits. */
const binsOf = (text: string): ReadonlyArray<string> => {
  const bin = binOf(text)
  if (bin === undefined) return []
  return Array.from({ length: Math.max(1, bin.length - 5) }, (_, dropped) => bin.slice(0, bin.length - dropped))
}

const fieldOf = (path: string, key: string): Field => {
  if (/(?:^|\.)actor\./.test(path) || accountKey.test(key) || key === "owner") return "actor"
  if (titleKey.test(key) || path === "name") return "title"
  if (key === "content" || key === "body") return "content"
  if (key === "description" || key === "subject") return "description"
  return urlKey.test(key) ? "url" : "other"
}

const timeKey = /_(?:at|time)$/
const passwordKey = /^(?:password|passwd|pwd|pass|secret)$/i
const accountKey = /^(?:identity_name|username|user_name|user|login|email|account)$/i
const usernameKey =
  /^(?:identity_name|username|user_name|login|account|handle|screen_name|nickname|forwarded_from_username|author|seller)$/i
const actorName = /(?:^|\.)actor\.name$/
const networkKey = /^ip_network$/
const repositoryKey = /^(?:repository|repo|repo_full_name|full_name)$/i
const titleKey = /^(?:title|topic_title|conversation_name|display_name|term)$/
const urlKey = /(?:^|_)(?:url|host|hostname|domain|domains|ip_address|ip_network)$/

/** A dot, also as people write it so that nobody follows the address: `example[.]com`. */
const dot = String.raw`(?:\.|\[\.\])`
const withDots = (address: string): string => address.replaceAll("[.]", ".")

const label = String.raw`[\p{L}\p{N}_]+(?:-+[\p{L}\p{N}_]+)*`

/** A host name. Matches whole labels, so that no text is scanned twice. */
const hostPattern = new RegExp(String.raw`(?<![\p{L}\p{N}_-])${label}(?:${dot}${label})+`, "gu")
const localPart = /[\p{L}\p{N}!#$%&*+/=?^_{}~.'-]{1,64}$/u
const ipPattern = new RegExp(
  String.raw`(?<![\w.])(?:\d{1,3}${dot}){3}\d{1,3}(?![\w]|\.\d)|(?<![\w:.])(?:[0-9a-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]{0,4})(?![\w:])`,
  "giu"
)
const repositoryPattern =
  /(?<![\w.-])(?:www\.)?(?:github\.com|raw\.githubusercontent\.com|codeload\.github\.com|api\.github\.com\/repos)[/:]([\w-]{1,39})\/([\w.-]{1,100})/gi
const uuidPattern = /(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])/gi
const binListPattern = /\bbins?\b[^\d\n]{0,12}(?:(?<!\d)\d{5,8}(?!\d)[\s,;/&]*(?:and\s+|or\s+)?)+/gi
const handlePattern = /(?<![\p{L}\p{N}_@.+-])@([A-Za-z0-9_]{3,32})(?![\w.-]*\.\w|\w)/gu
