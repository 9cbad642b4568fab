/**
 * Reads the value that a name is assigned: a literal, also in a call or a fallback, element content or a bare value.
 */
import { decodeBase64 } from "../../text/Base64.ts"
import { matchAt } from "../../text/MatchAt.ts"
import { shellWordAt } from "../../text/ShellWord.ts"
import type { Source } from "../../text/Source.ts"
import { maxValue, type StringLiteral, stringLiteralAt, unescapeXml } from "../../text/StringLiteral.ts"
import { readBare, type WrittenValue } from "./BareValue.ts"
import { isOpenAt } from "./OpenQuotes.ts"
import type { ValuePosition } from "./ValuePosition.ts"

/** Undefined if the text does not contain the value, or only part of it. */
export const readValue = (
  source: Source,
  position: ValuePosition,
  nameStart: number
): (WrittenValue & { readonly indirect?: true }) | undefined => {
  const { text, kind } = source
  if (position.by === "element") {
    const unparsed = text.startsWith("<![CDATA[", position.at - 9)
    const content = text.slice(position.at, position.at + maxValue + 3)
    const close = content.indexOf(unparsed ? "]]>" : "<")
    if (close < 0 || (!unparsed && content.charAt(close + 1) !== "/")) return undefined
    const raw = content.slice(0, close)
    const value = raw.trim()
    if (value === "" || value.includes("\n")) return undefined
    const start = position.at + raw.indexOf(value)
    const tag = /[^<]*$/.exec(text.slice(Math.max(0, position.at - 400), position.at))?.[0] ?? ""
    // The value is encrypted with a key that the element names.
    if (/\bencoding\s*=\s*["']crypt["']/.test(tag)) return undefined
    const encoded = /\bencoding\s*=\s*["']base64["']/.test(tag)
    const decoded = encoded ? decodeBase64(value)?.trimEnd() : undefined
    const written = { value: decoded ?? (unparsed ? value : unescapeXml(value)), start, end: start + value.length }
    return { ...keyOf(written), delimited: true }
  }

  const parameter = matchAt(bashDefault, text, position.at) ?? matchAt(expressionDefault, text, position.at)
  if (parameter !== null) {
    const value = parameter[1] ?? ""
    const start = position.at + parameter[0].lastIndexOf(value)
    return { value, start, end: start + value.length, delimited: true, indirect: true }
  }

  // `${name:default}` in Spring and `${NAME:-default}` in a shell.
  const inBraces =
    position.by === "colon" && text.startsWith("${", nameStart - 2) ? matchAt(defaultValue, text, position.at) : null
  if (inBraces !== null) {
    const value = inBraces[1] ?? ""
    const end = position.at + inBraces[0].length
    return { value, start: end - value.length, end, delimited: true, indirect: true }
  }

  const scheme = matchAt(schemeBefore, text, position.at)
  let at = position.at + (scheme?.[0].length ?? 0)
  const wrapped =
    matchAt(wrapper, text, at) ??
    matchAt(binary, text, at) ??
    (kind.format === "code" ? (matchAt(braced, text, at) ?? matchAt(lambda, text, at)) : null) ??
    (kind.format === "code" || kind.format === "other" ? matchAt(applied, text, at) : null)
  if (wrapped !== null) at += wrapped[0].length
  const closes = closesInstead(source, nameStart, at)
  const word = closes || position.by === "colon" || position.by === "call" ? undefined : shellWordAt(text, at, kind)
  if (word !== undefined) return { ...word, delimited: true }
  const quoted = closes ? undefined : stringLiteralAt(text, at, kind)
  if (quoted !== undefined) return quoted.composed ? undefined : literal(quoted)

  if (
    kind.format === "code" ||
    kind.format === "terraform" ||
    kind.format === "shell" ||
    kind.format === "other" ||
    text.startsWith("<%=", at)
  ) {
    const otherwise = matchAt(fallback, text, at)
    const value = otherwise === null ? undefined : stringLiteralAt(text, at + otherwise[0].length, kind)
    if (value !== undefined && !value.composed) return { ...literal(value), indirect: true as const }
  }
  return readBare(source, scheme === null ? position : { ...position, at }, nameStart)
}

const literal = ({ end, start, value }: StringLiteral) => ({ ...keyOf({ value, start, end }), delimited: true })

/** The key in a value that also contains a scheme, blanks around the key, or words in braces: `{acme production …}`. */
const keyOf = ({ end, start, value }: Omit<WrittenValue, "delimited">): Omit<WrittenValue, "delimited"> => {
  const key = value.includes(" ") ? lastWord.exec(value)?.[1] : undefined
  if (key === undefined || end - start !== value.length) return { value, start, end }
  const at = start + value.lastIndexOf(key)
  return { value: key, start: at, end: at + key.length }
}

/** A scheme of an HTTP header before a key: `api_key: OAuth …`. */
const scheme = String.raw`(?:oauth|token|api-?key|key|x-[a-z-]{3,30}) {1,9}`
const schemeBefore = new RegExp(String.raw`${scheme}(?=[\w+/=.~-]{16,8192}[ \t]{0,9}(?:[#\r\n]|$))`, "iy")
const lastWord = new RegExp(String.raw`^(?:${scheme}|\{(?:[\w.-]{1,60} {1,9}){1,3})? {0,9}(\S{16,}?) {0,9}\}?$`, "i")

/** Whether the quote at the value closes a string that contains the name: `"password: " + password`. */
const closesInstead = (source: Source, nameStart: number, at: number): boolean => {
  const quote = source.text.charAt(at)
  return at >= nameStart && (quote === '"' || quote === "'") && isOpenAt(source, nameStart, at, quote)
}

const wrapper =
  /(?:(?:\[\]byte|bytes|bytearray|[Ss]tring|Buffer\.from|SecretStr|SecureString|Secret|Sensitive|new [\w.]+|(?:[\w.]+\.)?(?:GetBytes|FromBase64String)|\w+::(?:from|new)|(?:base64\.)?b64decode|std\.base64|base64encode|atob|toBytes|str|decode|Base64\.\w+|Some|Ok|Just|std::string|Q(?:Latin1)?String(?:Literal)?|NSString|NSData|(?:[\w.]+[.])?(?:make_password|pw_hash|password_hash|generate_password_hash|hash(?:pw|Sync)?|encode|encrypt|crypt|md5|sha\d+|password)|(?:\w+\.)?[Ff]ield|signal|ref)\(\s*(?:default\s*=\s*|default_factory\s*=\s*lambda:\s*)?){1,3}(?=[bru]?["'`])/y
/** A function or constructor, with a space before its argument: `T.pack "…"`, `Just (fromString "…")`. */
const applied = /(?:(?:[A-Z]\w{0,40}\.)?(?:[A-Z]\w{0,40}|(?:un)?pack|fromString|encodeUtf8)[ \t]+\(?){1,3}(?=")/y
/** A binary in Erlang, `{api_key, <<"…">>}`, a default in CUE, `apiKey: *"…" | string`, and a string in assembly. */
const binary = /(?:<<|(?:string[ \t]*\|[ \t]*)?\*|\.(?:asci[iz]|string)[ \t]+)(?=b?")/y
/** A function that only returns the value: `getToken: () => "…"`, `token = lambda: "…"`. */
const lambda =
  /(?:(?:async[ \t]+)?\(\)(?:[ \t]*:[ \t]*[\w.<>]{1,40})?[ \t]*=>\s{0,80}(?:\{\s{0,80}return[ \t]+)?|lambda[ \t]*:[ \t]*)(?=["'\x60])/y
/** A JSX attribute: `token={"…"}`. */
const braced = /\{\s*(?=(["'`])[^"'`\n]{1,200}\1\s*\})/y
/** Part of an expression, in which the name of a variable or setting may be quoted. */
const operand = String.raw`(?:[^\n"'\x60]|[([]["'][\w.-]{1,60}["'][)\]]|["'][\w.-]{1,60}["'](?= (?:not )?in\b))`
/**
 * A fallback for a missing variable or setting: `getenv("TOKEN", "…")`, `process.env.TOKEN || "…"`,
 * `hasProperty("token") ? property("token") : "…"`.
 */
const fallback = new RegExp(
  `${operand}{0,90}?(?:` +
    String.raw`(?:getenv|environ\.get|fetch|env|get_env|getEnv|Env|getProperty|config|get(?:Or(?:Else|Default))?)\(\s*["'][\w.-]+["']\s*,\s*` +
    String.raw`|\b(?:coalesce|try|nvl|ifnull|cmp\.Or)\(\s*${operand}{1,90}?,\s*` +
    String.raw`|\bfetch\(\s*["'][\w.-]+["']\s*\)\s*\{\s*` +
    String.raw`|(?:\|\||\?\?|\?:|\bor|\b(?:or)?else|\.(?:default|getOrElse|orElse)\(|\.unwrap_or(?:_else)?\((?:\|_?\||\(\)[ \t]*->)?)\s*` +
    String.raw`|\?[ \t]${operand}{1,90}?[ \t]:[ \t]*` +
    ")(?=[bru]?[\"'`])",
  "y"
)
const bashDefault = /["']?\$\{(?:\w+:?[-=]|[\w.]+:(?![-=?+]))([^}"'\n$]+)\}/y
/** `${{ secrets.TOKEN || '…' }}` in a workflow, `#{ENV['TOKEN'] || '…'}` in Fluentd. */
const expressionDefault = /["']?(?:\$\{\{|#\{)[^}"\n]{1,100}?\|\|[ \t]*'([^'\n]+)'[ \t]*\}{1,2}/y
const defaultValue = /-?([^\s{}$"'?+=-][^\s{}$"']{3,200})(?=\})/y
