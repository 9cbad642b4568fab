/** A name that means a secret, and the value it is given, in the ways of source, settings, markup and shells. */
import type { Format } from "../text/FileKind.ts"
import { type SecretName, secretName } from "./SecretName.ts"
import { listedValues } from "./ListedValues.ts"
import type { Source } from "../text/Source.ts"
import { matchAt } from "../text/MatchAt.ts"
import { decodeBase64 } from "../text/Base64.ts"
import { longestValue, type StringLiteral, stringLiteralAt, unescape, unescapeXml } from "../text/StringLiteral.ts"

/** A value and how it stands in the text. */
export interface Assignment {
  readonly name: Exclude<SecretName, "none">
  /** The name as it was written. */
  readonly written: string
  readonly value: string
  /** Offset of the value. */
  readonly start: number
  readonly end: number
  /** Between quotes, or in an element of its own: the value ends where it seems to. */
  readonly delimited: boolean
  /** A comparison, a default, an argument: weaker than an assignment. */
  readonly indirect: boolean
  /** One of several values in a list or a mapping: the name is that of the whole. */
  readonly listed: boolean
}

/**
 * The assignments to the name around an offset: none, one, or those of a list.
 *
 * `resume` is the offset up to which the text has been dealt with, found or not.
 */
export const assignmentAt = (
  source: Source,
  at: number
): { readonly found: ReadonlyArray<Assignment>; readonly resume: number } => {
  const { text } = source
  let start = at
  while (start > 0 && at - start < longestName && isNameCode(text.charCodeAt(start - 1))) start--
  let end = at
  while (end < text.length && end - at < longestName && isNameCode(text.charCodeAt(end))) end++
  while (end > start && /[.-]/.test(text.charAt(end - 1))) end--
  const resume = Math.max(end, at + 1)
  const beside = valueAfter(source, start, end)
  if (beside === undefined) return { found: [], resume }
  const written = text.slice(start, end)
  // `writer.printf("…")` is called `printf`, whatever it is a member of.
  const meaning = beside.by === "call" ? written.slice(written.lastIndexOf(".") + 1) : written
  const name = secretName(meaning.replace(/^[-.]+/, ""))
  if (name === "none") return { found: [], resume }
  const place = { ...beside, at: valueBelow(source, start, beside.at) }
  const value = readValue(source, place, start)
  if (value !== undefined) {
    return {
      found: [{ name, written, indirect: place.indirect, listed: false, ...value }],
      resume: Math.max(resume, value.start)
    }
  }
  const list = place.indirect || !plural.test(written) ? [] : listedValues(source, place.at)
  const found = list.map(({ end, start, value }) => ({
    name,
    written,
    value,
    start,
    end,
    delimited: true,
    indirect: false,
    listed: true
  }))
  return { found, resume }
}

const plural = /s$/i

const defaultValue = /[^\s{}$"'?+=-][^\s{}$"']{3,200}(?=\})/y

/** The value may begin on a later line: behind a line break, or as the `value` of a mapping. */
const valueBelow = (source: Source, nameStart: number, at: number): number => {
  const { kind, text } = source
  const yaml = kind.format === "yaml"
  const inMapping = yaml
    ? (matchAt(nestedValue, text, at) ?? matchAt(flowValue, text, at))
    : kind.format === "json"
      ? matchAt(objectValue, text, at)
      : null
  if (inMapping !== null) return at + inMapping[0].length
  const lineBreak = matchAt(quoteBelow, text, at) ?? (yaml ? matchAt(wordBelow, text, at) : null)
  if (lineBreak === null) return at
  const below = at + lineBreak[0].length
  const indent = (offset: number) => offset - source.lineStart(offset)
  return !yaml || indent(below) > indent(nameStart) ? below : at
}

const quoteBelow = /\(?[ \t]*\\?\r?\n[ \t]{0,80}(?=[bru@$]?["'`])/y
const wordBelow = /\r?\n[ \t]{1,40}(?=[^\s:#&*!|>{}[\]%@"'`,-][^\s:]{3,}[ \t]*(?:\r?\n|$))/y
/** `NAME:` with `value:` and `description:` below it, as GitLab declares a variable and CloudFormation a parameter. */
const nestedValue = /\r?\n(?:[ \t]+(?!value\b|default\b)\w[\w-]*:[^\n]*\n){0,4}?[ \t]+(?:value|default):[ \t]*/iy
const flowValue = /\{[^{}\n]{0,100}?\bvalue["']?:[ \t]*/y
/** `"name": { "value": "…" }` */
const objectValue = /\{\s*(?:"\w+"\s*:\s*"[^"\n]{0,99}"\s*,\s*){0,3}"(?:value|defaultValue|default)"\s*:\s*/iy

const longestName = 80
/** How far before a name a string may begin: in longer lines a quote is taken as it comes. */
const farthest = 2000

interface Place {
  /** Offset of the first character after the operator and the blanks. */
  readonly at: number
  readonly by: "assign" | "colon" | "call" | "element" | "blank" | "flag"
  readonly indirect: boolean
}

const isNameCode = (code: number) =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 45 ||
  code === 46 ||
  (code >= 0xe0 && code <= 0xff)

const closing = /\\{0,7}["'`]?(?:\]|\?)?/y
const operator =
  /[ \t]*(?:\[\d*\][ \t]*)?(?:(is[ \t]+(?=["'`]|[^\s"'`]*\d)|:{1,3}=|=>|->|[=!]==?|[+.]=|\|\|?=|\?\??=|=|<?<-|:(?!:)|\{(?=["']))(?![=~])|(,)|(\())[ \t]*/y
/** `s:8:"password";s:20:"…"`, as PHP serialises an array. */
const serialisedValue = /";s:\d{1,4}:(?=\\?")/y
/** `Password { get; set; } = "…"` */
const propertyAccessors = /[ \t]*\{[ \t]*(?:(?:private|protected|internal)[ \t]+)?get;[^{}"\n]{0,60}\}[ \t]*=[ \t]*/y
const keyedValue = /\s{0,50},?\s{0,50}\\?["']?(?:value|defaultvalue|default|val|content)\\?["']?\s*[:=]\s*/iy
const terraformDefault = /\s*\{[^{}]{0,300}?\bdefault\s*=\s*/y
const element = /(?:\s{1,50}[\w:.-]{1,80}\s{0,9}=\s*(?:"[^"<>]{0,999}"|'[^'<>]{0,999}')){0,20}\s{0,50}>/y
const plistValue = /<\/key>\s*<(?:string|data)>\s*/y
const typed = /[ \t]*(?:&'\w+[ \t]+)?[A-Za-z_&*[][\w.<>[\]| &?*,]{0,60}?[ \t]*=(?![=>])[ \t]*(?=["'`@]|[bru]["'])/y
const typedAfterBlank = /[ \t]+(?:string|\[\]byte|\[\d*\]byte|\*string|As[ \t]+String)[ \t]*=[ \t]*/y
const blanks = /[ \t]+/y
/** `token of the robot: …` */
const phraseValue = /(?:[ \t]+[A-Za-z]{1,20}){1,4}(?::|[ \t]+is)[ \t]+(?=[`"']?[^\s`"']*\d)/y
/** Calls whose first argument is a name, and whose second is what it is given. */
const setter =
  /(?:define|set\w*|put\w*|add\w*|with\w*|\w*param\w*|\w*header\w*|append|insert|env|export|\w*config\w*|\w*option\w*|\w*propert\w+|\w*attr\w*|register|pair|of|entry|save|store|update|assign|default|field|secret|variable)\s*\(\s*["'`]$|(?:buildConfigField|resValue)[ \t(]*["']\w+["'][ \t]*,[ \t]*["']$/i

/** `strcmp(password, "value")` */
const comparison = /(?:str\w{0,4}cmp|equals?|compare\w*)\s*\(\s*$/i

/** The key of a map in a Lisp: `{:password "value"}`. */
const keyword = /(?:^|[\s({[]):$/

/** A row of settings in a dump: `('smtp_password', 'value')`. */
const row = /[(,]\s*'$/

/** `setopt(handle, NAME, "value")` */
const constantSetter = /set\w*\(\s*[$\w.>-]+\s*,\s*$/i
const constant = /^[A-Z][A-Z\d_]+$/
const definition = /[#%][ \t]*define[ \t]+$|^[ \t]*set[ \t]+$|\n[ \t]*set[ \t]+$/i

const valueAfter = (source: Source, start: number, end: number): Place | undefined => {
  const { text, kind } = source
  const previous = start > 0 ? text.charCodeAt(start - 1) : newline
  if (previous === less) {
    const tag = matchAt(element, text, end)
    return tag === null ? undefined : { at: end + tag[0].length, by: "element", indirect: false }
  }
  if (previous === slash && text.charCodeAt(start - 2) === less) return undefined
  if (text.charCodeAt(end) === less && previous === greater) {
    const plist = matchAt(plistValue, text, end)
    return plist === null ? undefined : { at: end + plist[0].length, by: "element", indirect: false }
  }

  const close = matchAt(closing, text, end)?.[0] ?? ""
  const quoted = /["'`]/.test(close)
  const after = end + close.length

  const serialised = quoted ? matchAt(serialisedValue, text, after - 1) : null
  if (serialised !== null) return { at: after - 1 + serialised[0].length, by: "assign", indirect: false }
  const accessors = quoted ? null : matchAt(propertyAccessors, text, after)
  if (accessors !== null) return { at: after + accessors[0].length, by: "assign", indirect: false }

  const op = matchAt(operator, text, after)
  if (op !== null) {
    const at = after + op[0].length
    const sign = op[1] ?? op[2] ?? op[3] ?? ""
    // The address of a badge has a token that shows the badge and nothing else.
    if (sign === "=" && badge.test(text.slice(Math.max(0, start - 80), start))) return undefined
    // `$PWD:/work`, `filter=pass:speed=2`: what stands there is the value of something else.
    if (sign === ":" && !quoted && (previous === dollar || previous === equals)) return undefined
    // `${PASSWORD:+given}` stands for a word of the script's own.
    if (sign === ":" && text.charAt(at) === "+" && text.startsWith("${", start - 2)) return undefined
    if (sign === ",") {
      const keyed = matchAt(keyedValue, text, after)
      if (keyed !== null) return { at: after + keyed[0].length, by: "assign", indirect: false }
      if (quoted && text.charAt(start) === "-") return { at, by: "assign", indirect: false }
      const before = text.slice(Math.max(0, start - 40), start)
      if (kind.format === "sql" && row.test(before) && text.charAt(at) === "'")
        return { at, by: "call", indirect: false }
      if (!quoted && previous === brace && /["']/.test(text.charAt(at))) return { at, by: "assign", indirect: false }
      if (!quoted && comparison.test(before)) return { at, by: "call", indirect: true }
      return (quoted ? setter : constantSetter).test(before) && (quoted || constant.test(text.slice(start, end)))
        ? { at, by: "call", indirect: false }
        : undefined
    }
    if (sign === "(") return quoted || kind.format === "prose" ? undefined : { at, by: "call", indirect: true }
    if (sign === ":" && (kind.format === "code" || kind.format === "other")) {
      const type = matchAt(typed, text, at)
      if (type !== null) return { at: at + type[0].length, by: "assign", indirect: false }
    }
    return { at, by: sign === ":" ? "colon" : "assign", indirect: /^[=!]=/.test(sign) }
  }

  if (
    quoted ||
    text.charCodeAt(end) === newline ||
    text
      .slice(Math.max(0, start - 7), start)
      .trimStart()
      .startsWith("name")
  ) {
    const keyed = matchAt(keyedValue, text, after)
    if (keyed !== null) return { at: after + keyed[0].length, by: "assign", indirect: false }
    const tag = quoted ? matchAt(element, text, after) : null
    if (tag !== null) return { at: after + tag[0].length, by: "element", indirect: false }
    if (quoted && kind.format === "terraform") {
      const block = matchAt(terraformDefault, text, after)
      if (block !== null) return { at: after + block[0].length, by: "assign", indirect: false }
    }
    return undefined
  }

  const type = kind.format === "code" || kind.format === "other" ? matchAt(typedAfterBlank, text, end) : null
  if (type !== null) return { at: end + type[0].length, by: "assign", indirect: false }

  const phrase = kind.format === "prose" || kind.format === "other" ? matchAt(phraseValue, text, end) : null
  if (phrase !== null) return { at: end + phrase[0].length, by: "assign", indirect: true }
  const blank = matchAt(blanks, text, end)
  if (blank === null) return undefined
  const at = end + blank[0].length
  if (kind.format === "terraform" && text.charAt(at) === "{") return { at, by: "assign", indirect: false }
  if (kind.format === "prose" && text.charAt(at) === "`") return { at, by: "blank", indirect: true }
  if (/["']/.test(text.charAt(at)) && definition.test(text.slice(Math.max(0, start - 40), start)))
    return { at, by: "blank", indirect: false }
  if (text.charAt(at) === "'" && sqlFormats.has(kind.format)) return { at, by: "blank", indirect: false }
  if (text.charAt(at) === '"' && keyword.test(text.slice(Math.max(0, start - 2), start)))
    return { at, by: "assign", indirect: false }
  if (text.charAt(start) === "-" || text.startsWith("--", start - 2)) return { at, by: "flag", indirect: false }
  return standsAlone(source, start, at) ? { at, by: "blank", indirect: false } : undefined
}

const badge = /badge[\w./-]*\?(?:[\w=&-]*&)?$/
const less = 60
const greater = 62
const slash = 47
const dollar = 36
const equals = 61
const brace = 123
const newline = 10

/** A line of two words, `password hunter22`, where settings are written so. */
const standsAlone = (source: Source, start: number, at: number): boolean => {
  const { kind, text } = source
  // In source it is a call without brackets, and then its argument is quoted.
  if (!blankFormats.has(kind.format) && !(kind.format === "code" && /["']/.test(text.charAt(at)))) return false
  const lineStart = source.lineStart(start)
  const lineEnd = source.lineEnd(at)
  if (lineEnd - lineStart > longestValue) return false
  const lead = text.slice(lineStart, start)
  const rest = text.slice(at, lineEnd)
  return netrc.test(kind.name)
    ? true
    : /^\s*(?:(?:ENV|ARG|export|set|setx|setenv|let|user\s+\S+|username\s+\S+|default|identified|\S+\s+config(?:ure)?\s+set|\w*header|header\s+set|http-re\w+\s+(?:set|add)-header)\s+)?$/i.test(
        lead
      ) && /^(?:"[^"]*"|'[^']*'|\S+)\s*(?:[#;].*)?$/.test(rest)
}

const netrc = /netrc$/
/** Where `PASSWORD 'value'` of SQL, or a call without brackets, may stand. */
const sqlFormats: ReadonlySet<Format> = new Set<Format>(["sql", "code", "shell", "other"])
const blankFormats: ReadonlySet<Format> = new Set<Format>(["other", "ini", "dockerfile", "shell", "env"])

const wrapper =
  /(?:\[\]byte|bytes|bytearray|String|string|Buffer\.from|SecretStr|SecureString|Secret|new [\w.]+|b64decode|base64\.b64decode|atob|toBytes|str|decode|Base64\.\w+|Some|Ok|Just|std::string|Q(?:Latin1)?String(?:Literal)?|NSString|NSData|(?:[\w.]+[.])?(?:make_password|password_hash|generate_password_hash|hashpw|hashSync|hash|encode|encrypt|crypt|md5|sha1|sha2|sha256|password))\(\s*(?=[bru]?["'`])/y
const fallback =
  /(?:[^\n"'`]|[([]["'][\w.-]{1,60}["'][)\]]){0,60}?(?:(?:getenv|environ\.get|fetch|env|get_env|getEnv|Env|getProperty|config|get)\(\s*["'][\w.-]+["']\s*,\s*|(?:\|\||\?\?|\?:|\bor|\belse|\.unwrap_or\()\s*)(?=[bru]?["'`])/y
const bashDefault = /["']?\$\{(?:\w+:?[-=]|[\w.]+:(?![-=?+]))([^}"'\n$]+)\}/y
const readValue = (
  source: Source,
  place: Place,
  nameStart: number
): (Omit<Assignment, "name" | "written" | "indirect" | "listed"> & { readonly indirect?: true }) | undefined => {
  const { text, kind } = source
  if (place.by === "element") {
    const close = text.indexOf("<", place.at)
    if ((text.charAt(close + 1) !== "/" && !text.startsWith("<![CDATA[", place.at)) || close - place.at > longestValue)
      return undefined
    const raw = text.slice(place.at, close)
    const value = raw.trim()
    if (value === "" || value.includes("\n")) return undefined
    const start = place.at + raw.indexOf(value)
    const encoded = text.slice(nameStart, place.at).includes('encoding="base64"')
    const decoded = encoded ? decodeBase64(value)?.trimEnd() : undefined
    return { value: decoded ?? unescapeXml(value), start, end: start + value.length, delimited: true }
  }

  const parameter = matchAt(bashDefault, text, place.at)
  if (parameter !== null) {
    const value = parameter[1] ?? ""
    const start = place.at + parameter[0].indexOf(value, 3)
    return { value, start, end: start + value.length, delimited: true, indirect: true }
  }

  // `${name:default}` of Spring, whose name is the one that was found.
  const inBraces =
    place.by === "colon" && text.startsWith("${", nameStart - 2) ? matchAt(defaultValue, text, place.at) : null
  if (inBraces !== null) {
    const value = inBraces[0]
    return { value, start: place.at, end: place.at + value.length, delimited: true, indirect: true }
  }

  let at = place.at
  const wrapped = matchAt(wrapper, text, at)
  if (wrapped !== null) at += wrapped[0].length
  const quoted = closesInstead(source, nameStart, at) ? undefined : stringLiteralAt(text, at, kind)
  if (quoted !== undefined) return quoted.composed ? undefined : literal(quoted)

  if (kind.format === "code" || kind.format === "terraform" || kind.format === "shell" || kind.format === "other") {
    const otherwise = matchAt(fallback, text, at)
    const value = otherwise === null ? undefined : stringLiteralAt(text, at + otherwise[0].length, kind)
    if (value !== undefined && !value.composed) return { ...literal(value), indirect: true as const }
  }
  return readBare(source, place, nameStart)
}

const literal = ({ end, start, value }: StringLiteral) => ({ value, start, end, delimited: true })

/** The quote at the value ends a string that the name stands in: `"password: " + password`. */
const closesInstead = (source: Source, nameStart: number, at: number): boolean => {
  const { text } = source
  const quote = text.charAt(at)
  if (!/["']/.test(quote)) return false
  let inside = false
  for (let i = Math.max(source.lineStart(nameStart), nameStart - farthest); i < at; i++) {
    const character = text.charAt(i)
    if (character === "\\") i++
    else if (character === quote) inside = !inside
  }
  return inside
}

const bareFormats: ReadonlySet<Format> = new Set<Format>(["env", "ini", "yaml", "shell", "dockerfile", "other", "sql"])
const lineValue = /[^\r\n]{1,2049}/y
/** A block scalar of one line without a blank: one of more is a text or a file. */
const blockValue = /[|>][+-]?[ \t]*\r?\n([ \t]{1,40})([^\s#]\S{3,2047})(?=[ \t]*(?:\r?\n(?!\1)|$(?![^])))/y
const wordValue = /[^\s;&|)<>"'`,]{1,2049}/y
const blankValue = /\S{1,2049}/y
const endedValue = /\S{1,2048}?(?=;?(?:\s|$))/y
const inString = /[^\s;&"'`<>,(){}\\]{1,2048}(?=[;&"'`#]|\\[nrt"])/y
/** `PWD={…};`, as ODBC writes a value that may hold a semicolon. */
const bracedValue = /\{[^{}"'\r\n]{3,128}\}(?=[;"']|\s*$)/my

/** The argument of a command that stands in a string. */
const flagValue = /[^\s"'`\\;&|<>$,(){}[\]]{6,2048}(?=["'`\s\\;&|])/y
/** A plain scalar in a flow mapping or a flow sequence ends there (YAML 1.2, section 7.3.3). */
const flowScalar = /[^\s,[\]{}"'][^,[\]{}\r\n]{0,2048}/y

/** A header in a string, `"X-Api-Key: value"`: only what is long and has a digit. */
const headerValue = /(?=[^"'`\s]{0,999}\d)[^\s"'`<>,;{}()\\$]{16,2048}(?=["'`])/y

const readBare = (source: Source, place: Place, nameStart: number) => {
  const { kind, text } = source
  const take = (pattern: RegExp) => {
    const raw = matchAt(pattern, text, place.at)?.[0] ?? ""
    if (raw.length > longestValue) return undefined
    const commentless = raw.replace(/\s+[#;].*$|\s+\/\/.*$/, "").trimEnd()
    const value = pattern === lineValue ? commentless : withoutClosing(commentless)
    return value === "" || value.startsWith("#")
      ? undefined
      : { value, start: place.at, end: place.at + value.length, delimited: false }
  }
  const previous = nameStart > 0 ? text.charAt(nameStart - 1) : "\n"
  if (inTemplate(source, nameStart) || /^\\[nrt]/.test(text.slice(place.at, place.at + 2))) return undefined
  // Settings written into a string, `…;Password=x;` and `?token=x&`, end at their own marks wherever they stand.
  if (place.by === "assign" && text.charAt(place.at - 1) === "=" && /[;"'&?]/.test(previous)) {
    const braced = matchAt(bracedValue, text, place.at)?.[0]
    if (braced !== undefined) {
      const value = braced.slice(1, -1)
      return { value, start: place.at + 1, end: place.at + 1 + value.length, delimited: true }
    }
    const value = take(inString) ?? (kind.format === "code" ? undefined : take(wordValue))
    return value === undefined ? undefined : { ...value, delimited: kind.format !== "code" || value.value.length >= 6 }
  }
  // A line of settings within a string: the `n` of its `\n` has been taken for the beginning of the name.
  if (previous === "\\" && /[nrt]/.test(text.charAt(nameStart))) return take(inString)
  if (place.by === "colon" && (kind.format === "code" || kind.format === "shell" || /["'`]/.test(previous))) {
    const value = take(headerValue)
    return value === undefined ? undefined : { ...value, delimited: true }
  }
  if (place.by === "flag") {
    const value = take(kind.format === "prose" || bareFormats.has(kind.format) ? wordValue : flagValue)
    return value === undefined || value.value.startsWith("-") ? undefined : { ...value, delimited: true }
  }
  if (kind.format === "prose" && place.indirect && place.by === "assign") return take(wordValue)
  if (place.by === "call" || !bareFormats.has(kind.format)) return undefined
  if (place.by === "blank") return take(kind.format === "ini" ? endedValue : blankValue)
  if (kind.format === "shell" || kind.format === "dockerfile") return place.by === "colon" ? undefined : take(wordValue)
  if (kind.format === "yaml") {
    const block = matchAt(blockValue, text, place.at)
    if (block !== null) {
      const value = block[2] ?? ""
      const end = place.at + block[0].length
      return { value, start: end - value.length, end, delimited: true }
    }
    const value = take(inFlow(source, nameStart) ? flowScalar : isFirst(source, nameStart) ? lineValue : wordValue)
    return value === undefined || /^[&*!|>{[%@]/.test(value.value) ? undefined : value
  }
  if (kind.format === "sql" || kind.format === "other") return take(wordValue)
  const value = take(isFirst(source, nameStart) ? lineValue : wordValue)
  return value?.value.includes("\\u") === true ? { ...value, value: unescape(value.value) } : value
}

/** Between the braces of a template a bare value is a call, or the name of another one. */
const inTemplate = ({ lineStart, text }: Source, nameStart: number): boolean => {
  const before = text.slice(Math.max(lineStart(nameStart), nameStart - 200), nameStart)
  return before.lastIndexOf("{{") > before.lastIndexOf("}}")
}

/** No other setting and no command stands before it on its line: `host a=1 password=2`, `run --set password=2`. */
const isFirst = ({ kind, lineStart, text }: Source, nameStart: number): boolean => {
  const before = text.slice(Math.max(lineStart(nameStart), nameStart - 200), nameStart)
  return !/=\S*\s/.test(before) && !(kind.format === "yaml" && /\s--?\w[\w-]*\s+[\w.-]*$/.test(before))
}

/** A mapping or a sequence is open: on the line of the name, or before it where its line ends with a comma. */
const inFlow = ({ lineEnd, lineStart, text }: Source, nameStart: number): boolean => {
  const from = lineStart(nameStart)
  const before = text.slice(Math.max(from, nameStart - 500), nameStart).replace(/\{\{.*?\}\}|"[^"]*"|'[^']*'/g, "")
  const opened = before.match(/[{[]/g)?.length ?? 0
  if (opened > (before.match(/[}\]]/g)?.length ?? 0)) return true
  return (
    from > 1 &&
    text.charAt(lineEnd(nameStart) - 1) === "," &&
    /[,{[]\s*$/.test(text.slice(Math.max(0, from - 200), from))
  )
}

/** Without the brackets that were opened before the value. */
const withoutClosing = (value: string): string => {
  let end = value.length
  while (end > 0) {
    const opened = closings.get(value.charAt(end - 1))
    if (opened === undefined || value.includes(opened)) break
    end--
  }
  return value.slice(0, end)
}

const closings: ReadonlyMap<string, string> = new Map([
  ["}", "{"],
  ["]", "["]
])
