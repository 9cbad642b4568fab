/**
 * Finds passwords, keys and tokens in free text.
 *
 * A value that is certainly a secret is hidden: it is not indexed as a word, masked in highlights, and found by its
 * exact value only. That is the value after a name such as `DB_PASSWORD=` or `password:`, the second half of an
 * `account:password` line, the password of a URL, and a value that looks random (`looksRandom`). Any other run of
 * characters that could be a password is indexed as a word, and also found by its exact value.
 */
import * as Redacted from "effect/Redacted"
import { passwordsInLines } from "./prose/CredentialLines.ts"
import { passwordsInPhrases } from "./prose/PasswordPhrases.ts"
import { isSecretName, nameParts } from "./rules/SecretName.ts"
import { secretSpans } from "./Text.ts"
import { isEmail } from "./text/Address.ts"
import { type Span, Spans } from "./text/Spans.ts"

export interface SecretInText extends Span {
  readonly value: string
  readonly hidden: boolean
  /** The account next to it in the text, if any. */
  readonly account?: string
}

/** In no particular order: hidden values, and values that could be a password. One span may have several values. */
export const secretsIn = (text: string): ReadonlyArray<SecretInText> => {
  const runs = [...text.matchAll(runPattern)].filter(([run]) => run.length <= longestRun)
  const inUrls = runs.flatMap(({ 0: run, index }) => (run.includes("://") ? secretsInUrl(run, index) : []))
  const urlSpans = Spans.of(inUrls)
  const at = ({ end, start }: Span, account?: string) => ({
    ...secret(text.slice(start, end), start, true),
    ...(account === undefined ? undefined : { account })
  })
  return [
    ...(text.includes("@") ? pairs(text) : []),
    ...passwordsInLines(text).map(({ account, ...span }) => at(span, account)),
    ...inUrls,
    ...assignments(text).filter(({ end, start }) => !urlSpans.overlap(start, end)),
    ...namedValues(text).map((span) => at(span)),
    ...passwordsInPhrases(text).map((span) => at(span)),
    ...secretSpans(text, leastConfidence).flatMap((span) => {
      const value = Redacted.value(span.value)
      const whole = at(span)
      return value === whole.value ? [whole] : [whole, { ...whole, value, hidden: false }]
    }),
    ...formats.flatMap((pattern) =>
      [...text.matchAll(pattern)].map(({ indices }) => {
        const [start, end] = indices?.groups?.["value"] ?? [0, 0]
        return at({ start, end })
      })
    ),
    ...after(text, "private key", privateKey),
    ...after(text, "authorization", authorization),
    ...[...text.matchAll(loginAtAddress)].map(({ 1: login = "", 2: password = "", index }) => {
      const start = index + login.length + 1
      return at({ start, end: start + password.length }, login)
    }),
    ...runs.flatMap(({ 0: run, index }) => (run.includes("://") ? [] : secretsInRun(run, index)))
  ]
}

/** The spans of hidden values in text order; overlapping ones are merged. */
export const hiddenIn = (
  text: string,
  secrets: ReadonlyArray<SecretInText> = secretsIn(text)
): ReadonlyArray<HiddenSpan> =>
  Spans.of(secrets.filter(({ hidden }) => hidden)).all.map((span) => hiddenSpan(text, span))

/** The text with `mask` in place of each hidden value. */
export const withoutSecrets = (text: string, mask: string): string => {
  let shown = ""
  let from = 0
  for (const { end, start } of hiddenIn(text)) {
    shown += text.slice(from, start) + mask
    from = end
  }
  return shown + text.slice(from)
}

export const hiddenSpan = (text: string, { end, start }: Span): HiddenSpan => {
  const value = text.slice(start, end)
  return { start, end, value, random: looksRandom(value) }
}

export interface HiddenSpan extends Span {
  readonly value: string
  /** Queries recognise it too, and then use a keyed digest instead of the word. */
  readonly random: boolean
}

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
const runPattern = /[^\s"'`<>()[\]{},;|\\]+/gu

/** Without trailing punctuation. */
const withoutEndSigns = (run: string): string => {
  let end = run.length
  while (end > 0 && ".,;:!?".includes(run.charAt(end - 1))) end -= 1
  return run.slice(0, end)
}

/**
 * The end of each match of a pattern that only occurs in texts with this word: a plain search for the word is faster.
 */
const after = (text: string, word: string, pattern: RegExp): ReadonlyArray<SecretInText> =>
  text.toLowerCase().includes(word)
    ? [...text.matchAll(pattern)].map(({ 0: match, 1: value = "", index }) =>
        secret(value, index + match.length - value.length, true)
      )
    : []

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

const namedValues = (text: string): ReadonlyArray<Span> => {
  if (!partOfSecretName.test(text)) return []
  return namedPatterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(({ groups: { name = "", value = "" } = {}, indices }) => {
      const [start, end] = indices?.groups?.["value"] ?? [0, 0]
      return isSecretName(name) && !notASecret.test(value) ? [{ start, end }] : []
    })
  )
}

/** Lines of a dump: `account@host:password`, separated by `:`, `;` or `|`. */
const pairs = (text: string): ReadonlyArray<SecretInText> =>
  [...text.matchAll(accountAndPassword)].flatMap(({ 0: line, 1: account = "", 2: password = "", index }) =>
    isEmail(password) ? [] : [{ ...secret(password, index + line.length - password.length, true), account }]
  )

/** A password may contain the sign itself, so what follows the first one is looked at as a whole too. */
const secretsInRun = (run: string, start: number): ReadonlyArray<SecretInText> => {
  const sign = run.search(/[=:]/)
  if (sign <= 0 || sign >= run.length - 1) return pieces(run, start)
  const parts = [...run.matchAll(/[^=:]+/g)].filter(({ 0: part }) => looksRandom(withoutEndSigns(part)))
  return [
    ...pieces(run.slice(0, sign), start),
    ...pieces(run.slice(sign + 1), start + sign + 1),
    ...parts.map(({ 0: part, index }) => secret(withoutEndSigns(part), start + index, true))
  ]
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
  hidden
})

const couldBePassword = (run: string): boolean =>
  run.length >= 6 && run.length <= 512 && /\p{L}/u.test(run) && /[\p{N}!#$%&*+^~]/u.test(run)

/** A low threshold: a word that is hidden by mistake can still be found by its exact value. */
const leastConfidence = 0.001

/** To its end mark or, where a text breaks off, to its own end. */
const privateKey = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----([\s\S]{1,20000}?)(?=-----END|$)/g

const loginAtAddress = /(?<![\w/:.-])([\w.-]{2,64}):([^\s:@/]{3,256})@(?=(?:\d{1,3}\.){3}\d)/g

const authorization =
  /\bauthorization["']?[ \t]*[:=][ \t]*["']?(?:bearer|basic|token|apikey)[ \t]+([^\s"'`<>]{6,4096})/gi

/** A longer run is data, not a password; the bound keeps every pattern here linear. */
const longestRun = 4096

const namesSecret = String.raw`pass(?:word|wd|phrase|code)?|pwd|psk|secret|token|api[-_.]?key|(?:access|private|secret|auth|encryption|signing)[-_.]?key(?:[-_.]?id)?|credential`
const secretName = new RegExp(String.raw`(?:^|[\w.-])(?:${namesSecret})|^(?:${namesSecret}|pw|key)$`, "i")
const assignmentPattern = new RegExp(
  String.raw`(?<![\w.-])(?:[\w.-]{0,64}?(?:${namesSecret})[\w.-]{0,32}|pw|key)["'\x60\]]?[ \t]{0,4}(=>|:=|[=:])[ \t]{0,4}(?:"([^"\n]+)"|'([^'\n]+)'|\x60([^\x60\n]+)\x60|([^\s"'\x60<>()[\]{},;|\\]+))`,
  "giu"
)
const partOfSecretName = new RegExp(nameParts.join("|"), "i")
/** A value that belongs to a name without an operator between them. */
const namedPatterns: ReadonlyArray<RegExp> = [
  // The next argument of a call or item of a list: `define('DB_PASSWORD', 'tiger')`.
  String.raw`(["'])(?<name>[\w.-]{2,80})\1[ \t]{0,4},[ \t]{0,4}(["'])(?<value>[^"'\n]{1,256})\3`,
  // Attributes of an element: `<add key="SmtpPassword" value="tiger">`, `<input type="password" value="tiger">`.
  String.raw`\b(?:key|name|id|type)[ \t]*=[ \t]*(["'])(?<name>[\w.-]{2,80})\1[^<>]{0,256}?\bvalue[ \t]*=[ \t]*(["'])(?<value>[^"'\n]{1,256})\3`,
  String.raw`\bvalue[ \t]*=[ \t]*(["'])(?<value>[^"'\n]{1,256})\1[^<>]{0,256}?\b(?:key|name|id|type)[ \t]*=[ \t]*(["'])(?<name>[\w.-]{2,80})\3`,
  // The text of an element: `<string name="password">tiger</string>`, `<key>password</key><string>tiger</string>`.
  String.raw`\b(?:key|name|id)[ \t]*=[ \t]*(["'])(?<name>[\w.-]{2,80})\1[^<>]{0,256}>(?<value>[^<>\n]{1,256})</`,
  String.raw`<key>(?<name>[\w.-]{2,80})</key>\s{0,16}<string>(?<value>[^<>\n]{1,256})<`,
  // The argument of a hash function: `user_pass = MD5('tiger')`.
  String.raw`(?<name>[\w.-]{2,80})[ \t]{0,4}=[ \t]{0,4}\w{1,32}\([ \t]{0,4}(["'])(?<value>[^"'\n]{1,256})\2`,
  // An option of a command: `--password tiger`.
  String.raw`(?<![\w-])--?(?<name>[\w.-]{2,80})[ \t]{1,4}(?!-)(?<value>[^\s"'\x60<>|;&]{3,256})`,
  // A directive on a line of its own: `requirepass tiger`. A plain word there can be the end of a sentence.
  String.raw`^[ \t]{0,16}(?!(?:pass(?:word|phrase|code)?|secret|token|key|credential)s?[ \t])(?<name>[\w.-]{2,80})[ \t]{1,4}(?<value>[^\s"'\x60<>]{3,256})[ \t]{0,4};?[ \t]{0,4}$`
].map((source) => new RegExp(source, "dgimu"))
/** Commands, protocols and files whose form alone says where the password is. */
const formats: ReadonlyArray<RegExp> = [
  // The options of a command: `-u jane -p tiger`, `/u:jane /p:tiger`. A number is a port.
  /[ \t](?:-[ulU]|--user(?:name)?|\/u(?:ser)?)[ =:]?["']?[^\s"']{1,128}["']?[ \t](?:[^\n]{0,256}?[ \t])??(?:-[pP]|\/p(?:ass(?:word)?)?)[ =:]?["']?(?!\d{1,5}(?:\s|$))(?<value>[^\s"'-][^\s"']{2,256})/dg,
  // `connect("localhost", "root", "tiger", "shop")`
  /connect\w{0,16}\([ \t]*(["'])[^"'\n]{0,256}\1,[ \t]*(["'])[^"'\n]{0,128}\2,[ \t]*(["'])(?<value>[^"'\n]{1,256})\3/dgi,
  // A line of `chap-secrets`: client, server, secret and address.
  /^[ \t]*\S{1,128}[ \t]+\S{1,128}[ \t]+"(?<value>[^\s"]{3,256})"[ \t]+(?:\*|\d{1,3}(?:\.\d{1,3}){3})[ \t]*$/dgm,
  /^[ \t]*\S{1,128}[ \t]+\*[ \t]+(?<value>[^\s"']{3,256})[ \t]+\*[ \t]*$/dgm,
  // User and password of an OpenVPN configuration.
  /<auth-user-pass>\s{0,16}\S{1,128}[ \t]*\r?\n[ \t]*(?<value>\S{1,256})/dg,
  // A line of `.pgpass`: host, port, database, user and password.
  /^[ \t]*(?:[\w-]+(?:\.[\w-]+)+|localhost|\*):(?:\d{2,5}|\*):(?:[a-z_][\w-]{0,62}|\*):[^\s:]{1,64}:(?<value>\S{1,256})[ \t]*$/dgim,
  // The answer to `Password:` in a dialogue of SMTP.
  /^(?:S:[ \t]*)?334 UGFzc3dvcmQ6[ \t]*\r?\n(?:C:[ \t]*)?(?<value>\S{1,512})/dgm,
  // `AUTH tiger` of Redis, `AUTH PLAIN` of SMTP, `a1 LOGIN jane tiger` of IMAP.
  /(?:^|[>#$])[ \t]*AUTH[ \t]+(?:\S{1,64}[ \t]+)?(?<value>\S{3,4096})[ \t]*$/dgm,
  /^(?:C:[ \t]*)?[\w.]{1,16}[ \t]+LOGIN[ \t]+["']?[^\s"']{1,128}["']?[ \t]+["']?(?<value>[^\s"']{3,256})["']?[ \t]*$/dgm,
  // The QR code of a wireless network.
  /\bWIFI:(?:[TSHERAIP]{1,4}\d?:(?:\\.|[^;\\\n]){0,64};){0,6}?P:(?<value>(?:\\.|[^;\\\n]){1,128})/dg
]
const accountAndPassword = /([^\s"'<>:;|@/]{1,64}@[^\s"'<>:;|@/]{1,253})[:;|](?!\/\/)([^\s"'<>]{1,512})/gu
const notASecret = /^(?:null|none|nil|true|false|undefined)$/i
const randomAlphabet = /^[A-Za-z0-9+/=_.-]+$/
const ordinaryPart = /^(?:[A-Za-z]?[a-z]*|[A-Z]+|\d+)$/
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
