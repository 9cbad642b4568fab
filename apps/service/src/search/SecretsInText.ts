/**
 * Finds passwords, keys and tokens inside a text that somebody wrote.
 *
 * A value that is certainly a secret is hidden: it is left out of the words, masked in highlights, and found by its exact
 * value alone. That is the value after a name such as `DB_PASSWORD=` or `password:`, the second half of an
 * `account:password` line, the password of a URL, and a value that looks random (`looksRandom`). Any other run of
 * characters that could be a password stays a word among words, and is found by its exact value as well.
 */
import { type Span, Spans } from "./Spans.ts"

export interface SecretInText extends Span {
  readonly value: string
  readonly hidden: boolean
  /** Hidden because it looks random, so a query for it is recognised too. */
  readonly random: boolean
  /** The account that the text names beside it. */
  readonly account?: string
}

/** In no particular order. Hidden ones never overlap one another. */
export const secretsIn = (text: string): ReadonlyArray<SecretInText> => {
  const runs = [...text.matchAll(runPattern)].filter(([run]) => run.length <= longestRun)
  const found: Array<SecretInText> = []
  for (const more of [
    () => pairs(text),
    () => runs.flatMap(({ 0: run, index }) => (run.includes("://") ? secretsInUrl(run, index) : [])),
    () => assignments(text),
    () => runs.flatMap(({ 0: run, index }) => (run.includes("://") ? [] : secretsInRun(run, index)))
  ]) {
    const taken = Spans.of(found.filter(({ hidden }) => hidden))
    for (const secret of more()) if (!taken.overlap(secret.start, secret.end)) found.push(secret)
  }
  return found
}

/** The hidden ones, in the order of the text. */
export const hiddenIn = (text: string): ReadonlyArray<SecretInText> =>
  secretsIn(text)
    .filter(({ hidden }) => hidden)
    .toSorted((a, b) => a.start - b.start)

/**
 * Whether a run of sixteen characters or more mixes letters and digits as no word, number, date, version or file name does.
 * Stored texts and queries use the same rule.
 */
export const looksRandom = (run: string): boolean => {
  if (run.length < 16 || run.length > longestRun || !randomAlphabet.test(run) || uuid.test(run)) return false
  const parts = run.split(/[-_./+=]+/)
  if (parts.some((part) => part.length >= 16 && /\d/.test(part) && /[A-Za-z]/.test(part))) return true
  return (
    run.length >= 20 &&
    /[a-z]/.test(run) &&
    /[A-Z]/.test(run) &&
    /\d/.test(run) &&
    parts.filter((part) => !ordinaryPart.test(part)).length > parts.length / 4
  )
}

/** A run of characters between white space, quotes, brackets and separators. */
export const runPattern = /[^\s"'`<>()[\]{},;|\\]+/gu

/** Without trailing punctuation. */
export const withoutEndSigns = (run: string): string => {
  let end = run.length
  while (end > 0 && ".,;:!?".includes(run.charAt(end - 1))) end -= 1
  return run.slice(0, end)
}

const assignments = (text: string): ReadonlyArray<SecretInText> => {
  const found: Array<SecretInText> = []
  for (const match of text.matchAll(assignmentPattern)) {
    const quoted = match[2] ?? match[3] ?? match[4]
    const value = quoted ?? match[5]
    if (value === undefined || value.length > longestRun || notASecret.test(value)) continue
    const start = match.index + match[0].length - value.length - (quoted === undefined ? 0 : 1)
    if (value.trim() === "") continue
    found.push(secret(value, start, true))
    // A trailing punctuation mark may not belong to the password: index both forms.
    const bare = withoutEndSigns(value)
    if (bare !== value && bare !== "") found.push(secret(bare, start, false))
  }
  return found
}

/** Lines of a dump: `account@host:password`, separated by `:`, `;` or `|`. */
const pairs = (text: string): ReadonlyArray<SecretInText> =>
  [...text.matchAll(accountAndPassword)].flatMap(({ 0: line, 1: account = "", 2: password = "", index }) =>
    emailAlone.test(password) ? [] : [{ ...secret(password, index + line.length - password.length, true), account }]
  )

const secretsInRun = (run: string, start: number): ReadonlyArray<SecretInText> => {
  const sign = run.search(/[=:]/)
  return sign > 0 && sign < run.length - 1
    ? [...pieces(run.slice(0, sign), start), ...pieces(run.slice(sign + 1), start + sign + 1)]
    : pieces(run, start)
}

const secretsInUrl = (run: string, start: number): ReadonlyArray<SecretInText> => {
  const found: Array<SecretInText> = []
  const authority = run.indexOf("://") + 3
  const pathAt = run.slice(authority).search(/[/?#]/)
  const authorityEnd = pathAt === -1 ? run.length : authority + pathAt
  const at = run.slice(0, authorityEnd).lastIndexOf("@")
  let rest = authority
  if (at > authority) {
    const colon = run.indexOf(":", authority)
    if (colon > authority && colon < at - 1) {
      found.push({
        ...secret(run.slice(colon + 1, at), start + colon + 1, true),
        account: run.slice(authority, colon)
      })
    }
    rest = at + 1
  }
  for (const piece of run.slice(rest).matchAll(/([?&#]([\w.-]+)=)?([^/?&#=]+)/g)) {
    const { 1: parameter = "", 2: name = "", 3: value = "", index } = piece
    const bare = withoutEndSigns(value)
    if (bare !== "" && (secretName.test(name) || looksRandom(bare))) {
      found.push(secret(bare, start + rest + index + parameter.length, true))
    }
  }
  return found
}

const pieces = (run: string, start: number): ReadonlyArray<SecretInText> => {
  const bare = withoutEndSigns(run)
  if (looksRandom(bare)) return [secret(bare, start, true)]
  return [...new Set([run, bare])].filter(couldBePassword).map((value) => secret(value, start, false))
}

const secret = (value: string, start: number, hidden: boolean): SecretInText => ({
  value,
  start,
  end: start + value.length,
  hidden,
  random: hidden && looksRandom(value)
})

const couldBePassword = (run: string): boolean =>
  run.length >= 6 && run.length <= 512 && /\p{L}/u.test(run) && /[\p{N}!#$%&*+^~]/u.test(run)

/** A longer run is data, not a password; the bound keeps every pattern here linear. */
const longestRun = 4096

const namesSecret = String.raw`pass(?:word|wd|phrase|code)?|pwd|secret|token|api[-_.]?key|(?:access|private|secret|auth|encryption|signing)[-_.]?key(?:[-_.]?id)?|credential`
const secretName = new RegExp(String.raw`(?:^|[\w.-])(?:${namesSecret})|^(?:${namesSecret}|pw|key)$`, "i")
const assignmentPattern = new RegExp(
  String.raw`(?<![\w.-])(?:[\w.-]{0,64}?(?:${namesSecret})[\w.-]{0,32}|pw|key)["'\x60\]]?[ \t]{0,4}(=>|:=|[=:])[ \t]{0,4}(?:"([^"\n]+)"|'([^'\n]+)'|\x60([^\x60\n]+)\x60|([^\s"'\x60<>()[\]{},;|\\]+))`,
  "giu"
)
const accountAndPassword = /([^\s"'<>:;|@/]{1,64}@[^\s"'<>:;|@/]{1,253})[:;|](?!\/\/)([^\s"'<>]{1,512})/gu
const emailAlone = /^[^\s:@]+@[\w.-]+$/
const notASecret = /^(?:null|none|nil|true|false|undefined)$/i
const randomAlphabet = /^[A-Za-z0-9+/=_.-]+$/
const ordinaryPart = /^(?:[A-Za-z]?[a-z]*|[A-Z]+|\d+)$/
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
