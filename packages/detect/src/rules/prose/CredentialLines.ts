/** Finds passwords in lines of dumps, combo lists and stealer logs: separated fields without names. */
import { isEmail, isGitUser, isHostName, isIpAddress } from "../../text/Address.ts"
import type { Span } from "../../text/Spans.ts"
import { proseRule } from "./ProseRule.ts"

export const credentialLines = proseRule((text) => passwordsInLines(text))

interface PasswordInLine extends Span {
  /** The account in the same line, if any. */
  readonly account: string | undefined
}

const passwordsInLines = (text: string): ReadonlyArray<PasswordInLine> => {
  if (!separators.test(text)) return []
  const found: Array<PasswordInLine> = []
  const comboLines: Array<PasswordInLine> = []
  let header: Header | undefined
  let start = 0
  let lines = 0
  for (const line of text.split("\n")) {
    const splits = line.length <= maxLine ? splitsOf(line, start) : []
    const fields = splits[0] ?? []
    const named = header === undefined ? [] : passwordColumn(header, fields)
    if (named.length > 0) found.push(...named)
    else {
      header = headerOf(fields) ?? (fields.length === 0 ? undefined : header)
      const password = splits.map(passwordAfterAccount).find((password) => password !== undefined)
      if (password !== undefined) found.push(password)
      else if (isCombo(fields)) comboLines.push(...pair(fields[0], fields[1]))
    }
    if (line.trim() !== "") lines += 1
    start += line.length + 1
  }
  // A single line with two words and a colon can be anything; several such lines are a list of accounts.
  const isList = comboLines.length >= minComboLines || (comboLines.length > 1 && comboLines.length === lines)
  return isList ? [...found, ...comboLines] : [...found, ...comboLines.filter((pair) => isTyped(text, pair))]
}

interface Field extends Span {
  readonly text: string
}

interface Header {
  readonly password: number
  readonly account: number
  readonly length: number
}

const separators = /[:;|,\t]|@[^\s@]{1,253}[ ]/
const maxLine = 1_000
const maxFields = 12
const minComboLines = 3

/** The index of the password in a row without column names, and the account in the same row, if any. */
export const passwordInRow = (
  row: ReadonlyArray<unknown>
): { readonly at: number; readonly account: string | undefined } | undefined => {
  if (row.length < 2 || row.length > maxFields) return undefined
  const fields = row.map((value, at) => ({ text: typeof value === "string" ? value.trim() : "", start: at, end: at }))
  const password = passwordAfterAccount(fields)
  return password && { at: password.start, account: password.account }
}

/** The fields of a line, for each separator that it contains. `://` and port numbers do not separate. */
const splitsOf = (line: string, lineStart: number): ReadonlyArray<ReadonlyArray<Field>> => {
  const shielded = line.replaceAll("://", "\0\0\0").replaceAll(/:(?=\d{2,5}(?:[/:;|,\s]|$))/g, "\0")
  const present = ["\t", "|", ";", ",", ":", " / "].filter((separator) => shielded.includes(separator))
  return (present.length === 0 ? [" "] : present).map((separator) => fieldsOf(line, lineStart, shielded, separator))
}

const fieldsOf = (line: string, lineStart: number, shielded: string, separator: string): ReadonlyArray<Field> => {
  const parts = shielded.split(separator)
  // Words separated by spaces are a sentence, unless the line is an address and one word.
  if (parts.length < 2 || parts.length > (separator === " " ? 2 : maxFields)) return []
  let at = 0
  return parts.map((part) => {
    const original = line.slice(at, at + part.length)
    const trimmed = separator === ":" ? original : original.trim()
    const bare = trimmed.replace(/^(["'`])(.*)\1[);]*$/, "$2")
    const start = lineStart + at + Math.max(0, original.indexOf(bare))
    at += part.length + separator.length
    return { text: bare, start, end: start + bare.length }
  })
}

/** The first value after an e-mail address, or the second value beside a URL, an address or a host. */
const passwordAfterAccount = (fields: ReadonlyArray<Field>): PasswordInLine | undefined => {
  const email = fields.findIndex(
    ({ text }) => isEmail(text) && !/\s/.test(text) && !isAddress(text) && !isGitUser(text)
  )
  if (email !== -1) {
    const password = fields.slice(email + 1).find(isPlain)
    return password && { ...spanOf(password), account: fields[email]?.text }
  }
  const [hash, cracked, more] = fields
  if (hash && cracked && more === undefined && isDigest(hash.text)) return { ...spanOf(cracked), account: undefined }
  if (fields.length < 3 || fields.some(({ text }) => /\s/.test(text))) return undefined
  const place = placeOf(fields)
  const [account, password] = place === undefined ? [] : fields.filter((field) => field !== place && isValue(field))
  return account && password && { ...spanOf(password), account: account.text }
}

/**
 * The URL, address or host of the account. An account such as `jane.doe` may look like a host: the name with more
 * labels wins.
 */
const placeOf = (fields: ReadonlyArray<Field>): Field | undefined =>
  fields.find(({ text }) => isAddress(text)) ??
  [fields.at(-1), fields[0]]
    .filter((field) => field !== undefined && isHost(field.text))
    .toSorted((a, b) => labels(b) - labels(a))[0]

const labels = (field: Field | undefined): number => field?.text.split(".").length ?? 0

/** Whether the fields are an account and a password without a space: `a: b` is a sentence or a setting. */
const isCombo = ([account, password, more]: ReadonlyArray<Field>): boolean =>
  account !== undefined &&
  password !== undefined &&
  more === undefined &&
  [account, password].every((field) => isValue(field) && /^[^\s/<>(){}[\]"'=]{3,64}$/.test(field.text))

const pair = (account: Field | undefined, password: Field | undefined): ReadonlyArray<PasswordInLine> =>
  account && password ? [{ ...spanOf(password), account: account.text }] : []

/** Excludes a word, a number, a version and a time of day. */
const isTyped = (text: string, { account = "", end, start }: PasswordInLine): boolean => {
  const value = text.slice(start, end)
  return (
    !isHost(account) &&
    value.length >= 6 &&
    /\p{L}/u.test(value) &&
    /[\p{N}]/u.test(value) &&
    !/^v?\d+(?:[._-]\w+)*$/.test(value)
  )
}

/** Whether the field may be an account or a password: it is not empty, a number, a date or a line of dashes. */
const isValue = ({ text }: Field): boolean =>
  text.length > 0 &&
  text.length <= 256 &&
  !/\s/.test(text) &&
  !/^(?:[-=_*#.]+|\d{1,3}|\d{4}-\d\d-\d\d.*|\d\d?[:/.]\d\d?(?:[:/.]\d{2,4})?|null|n\/a|true|false)$/i.test(text)

const isPlain = (field: Field): boolean =>
  isValue(field) && !isAddress(field.text) && !isHost(field.text) && !isEmail(field.text)

const isAddress = (text: string): boolean =>
  /^[a-z][a-z\d+.-]*:\/\//i.test(text) || isIpAddress(text.replace(/:\d{2,5}(?:@.*)?$/, ""))

/** Top-level domains are not capitalized: `Summer.Sun` is a password. */
const isHost = (text: string): boolean => {
  const host = text.replace(/[:/].*$/, "")
  return isHostName(host) && !/\.\p{Lu}[^.]*\p{Ll}[^.]*$/u.test(host)
}

/** MD5, NTLM, SHA-1, SHA-2, or a password hash with parameters. */
const isDigest = (text: string): boolean =>
  /^(?:[\da-f]{32}|[\da-f]{40}|[\da-f]{56}|[\da-f]{64}|[\da-f]{96}|[\da-f]{128}|\$\w{1,12}\$\S{20,200})$/i.test(text)

const headerOf = (fields: ReadonlyArray<Field>): Header | undefined => {
  const password = fields.findIndex(({ text }) => /^(?:user_?)?(?:pass(?:word|wd)?|pwd|pw|passwort|hash)$/i.test(text))
  const account = fields.findIndex(({ text }) =>
    /^(?:e-?mail(?:_?address)?|user(?:_?name)?|login|account)$/i.test(text)
  )
  // `password: tiger` without an account beside it is a setting.
  return password === -1 || account === -1 ? undefined : { password, account, length: fields.length }
}

const passwordColumn = (header: Header, fields: ReadonlyArray<Field>): ReadonlyArray<PasswordInLine> => {
  const password = fields.length === header.length ? fields[header.password] : undefined
  return password === undefined || password.text === "" || /^:?-+:?$/.test(password.text)
    ? []
    : [{ ...spanOf(password), account: fields[header.account]?.text }]
}

const spanOf = ({ end, start }: Field): Span => ({ start, end })
