/** Reads unquoted values, whose end depends on the format of the text. */
import type { Format } from "../../text/FileKind.ts"
import { isMatch, matchAt } from "../../text/MatchAt.ts"
import type { Source } from "../../text/Source.ts"
import { decodePercent, maxValue, unescape, unescapeXml } from "../../text/StringLiteral.ts"
import { isGrouped, isPassphrase, isSpacedRandom } from "../../scoring/Placeholder.ts"
import { isOpenAt } from "./OpenQuotes.ts"
import type { ValuePosition } from "./ValuePosition.ts"

export interface WrittenValue {
  readonly value: string
  /** Start offset of the written form. */
  readonly start: number
  readonly end: number
  /** Whether quotes or an element mark the end of the value. */
  readonly delimited: boolean
}

export const readBare = (source: Source, position: ValuePosition, nameStart: number): WrittenValue | undefined => {
  const { kind, text } = source
  const take = (pattern: RegExp) => {
    const raw = isInLongRun(source, pattern, position.at) ? "" : (matchAt(pattern, text, position.at)?.[0] ?? "")
    if (raw.length > maxValue) {
      addLongRun(source, pattern, position.at)
      return undefined
    }
    const commentless = raw.replace(commentIn(kind.name), "").trimEnd()
    const value = pattern === lineValue ? withoutBlockEnd(commentless) : withoutClosing(commentless)
    const mayBeginWithHash = kind.format === "ini" || (kind.format !== "env" && text.charAt(position.at - 1) === "=")
    return value === "" || (value.startsWith("#") && !(mayBeginWithHash && beginsWithHash.test(value)))
      ? undefined
      : { value, start: position.at, end: position.at + value.length, delimited: false }
  }
  const previous = nameStart > 0 ? text.charAt(nameStart - 1) : "\n"
  if (inTemplate(source, nameStart) || /^\\[nrt]/.test(text.slice(position.at, position.at + 2))) return undefined
  if (position.by === "assign" && text.charAt(position.at - 1) === "=" && /[;, ]/.test(previous)) {
    const value = inDataSource(source, nameStart, position.at)
    if (value !== undefined) return value
  }
  // Settings within a string, `…;Password=x;` and `?token=x&`, have their own delimiters in every format.
  if (
    position.by === "assign" &&
    text.charAt(position.at - 1) === "=" &&
    (/["'&?]/.test(previous) || (previous === ";" && !isStatement(source, nameStart)))
  ) {
    const braced = matchAt(bracedValue, text, position.at)?.[0]
    if (braced !== undefined) {
      const value = braced.slice(1, -1)
      return { value, start: position.at + 1, end: position.at + 1 + value.length, delimited: true }
    }
    // `"DB_PASS=x"`: an environment entry, which ends with the string.
    const spaced = previous === '"' || previous === "'" ? matchAt(spacedEntry, text, position.at)?.[0] : undefined
    if (spaced !== undefined && text.charAt(position.at + spaced.length) === previous && isSpaced(spaced))
      return { value: spaced, start: position.at, end: position.at + spaced.length, delimited: true }
    const entry =
      previous === '"' || previous === "'" ? take(previous === '"' ? inDoubleQuotes : inSingleQuotes) : undefined
    if (entry !== undefined) return { ...entry, delimited: true }
    const read = take(inString) ?? (kind.format === "code" ? undefined : take(wordValue))
    if (read === undefined) return undefined
    const value = inQuery.test(source.before(nameStart, 5)) ? decodePercent(read.value) : read.value
    return { ...read, value, delimited: kind.format !== "code" || value.length >= 6 }
  }
  // `"host=db user=app password=x dbname=app"`: a connection string of PostgreSQL (libpq, keyword/value).
  if (position.by === "assign" && previous === " " && inSettings(source, nameStart)) return take(settingInString)
  // `"codecov --token=x"`: an option of a command within a string.
  if (
    position.by === "assign" &&
    text.startsWith("--", nameStart) &&
    (kind.format === "json" || kind.format === "code")
  )
    return take(flagValue)
  // Settings on lines of a string: the name wrongly begins with the `n` of `\n`.
  if (previous === "\\" && /[nrt]/.test(text.charAt(nameStart))) return take(inString)
  if (position.by === "colon" && (kind.format === "code" || kind.format === "shell" || /["'`]/.test(previous))) {
    const value = take(headerValue)
    return value === undefined ? undefined : { ...value, delimited: true }
  }
  if (position.by === "flag") {
    const value = take(kind.format === "prose" || bareFormats.has(kind.format) ? wordValue : flagValue)
    return value === undefined || value.value.startsWith("-") ? undefined : { ...value, delimited: true }
  }
  // A line of a shell script in another text.
  if (position.by === "assign" && exported.test(source.before(nameStart, 40)))
    return take(kind.format === "code" ? inString : wordValue)
  // In prose, `**Password: Winter42.**` ends with the full stop of the sentence and the marks of emphasis.
  const inProse = kind.format === "prose"
  const isPhrase = position.indirect && position.by === "assign" && (inProse || kind.format === "other")
  if (isPhrase || (inProse && (position.by === "assign" || position.by === "colon"))) {
    const read = take(inProse ? wordValue : textValue)
    if (read === undefined || !(isPhrase || (wordWithDigit.test(read.value) && !isExample(source, nameStart))))
      return undefined
    const value = read.value.replace(inProse ? endOfSentence : /\.$/, "")
    return { ...read, value, end: read.start + value.length }
  }
  if (position.by === "call" || !bareFormats.has(kind.format)) return undefined
  if (position.by === "blank") return take(kind.format === "ini" ? endedValue : blankValue)
  if (kind.format === "shell" || kind.format === "dockerfile")
    return position.by === "colon" ? undefined : take(setsEnvironment(source, nameStart) ? blankValue : wordValue)
  if (kind.format === "yaml") {
    const block = matchAt(blockValue, text, position.at)
    if (block !== null) {
      const value = block[2] ?? ""
      const end = position.at + block[0].length
      return { value, start: end - value.length, end, delimited: true }
    }
    const isRest = isFirst(source, nameStart) && !setsVariable(source, nameStart, position)
    const isSpaced = !isRest && isMatch(spacedLine, text, position.at)
    const value = take(inFlow(source, position.at) ? flowScalar : isRest || isSpaced ? lineValue : textValue)
    return value === undefined || /^[&*!|>{[%@]/.test(value.value) ? undefined : value
  }
  if (kind.format === "sql" || kind.format === "other") return take(textValue)
  const first = take(isFirst(source, nameStart) ? lineValue : textValue)
  if (first?.value.includes("\\") !== true) return first
  const value = kind.name.endsWith(".properties") ? withContinuations(text, first) : first
  // In java.util.Properties, a backslash escapes any character.
  if (kind.name.endsWith(".properties")) return { ...value, value: unescapeProperties(value.value) }
  const isEscaped = value.value.includes("\\u") || kind.name.endsWith(".cnf")
  return isEscaped ? { ...value, value: unescape(value.value) } : value
}

/**
 * In a properties file, a backslash at the end of a line continues the value on the next line, without its indentation.
 */
const withContinuations = (text: string, value: WrittenValue): WrittenValue => {
  let { end, value: written } = value
  for (let lines = 0; lines < maxContinuations && endsOpen(written); lines++) {
    const match = matchAt(continuation, text, end)
    if (match === null || written.length + match[0].length > maxValue) break
    written = written.slice(0, -1) + (match[1] ?? "")
    end += match[0].length
  }
  return { ...value, value: written, end }
}

/** True for an odd number of trailing backslashes: each pair is an escaped backslash. */
const endsOpen = (line: string): boolean => {
  let at = line.length
  while (line.charAt(at - 1) === "\\") at--
  return (line.length - at) % 2 === 1
}

const maxContinuations = 30

const continuation = /\r?\n[ \t]{0,200}([^\r\n]{0,8192})/y

/**
 * Where the last run ends that a pattern matched and that is longer than any value. It may contain many names, but is
 * read only once.
 */
const longRuns = new WeakMap<Source, Map<RegExp, number>>()

const isInLongRun = (source: Source, pattern: RegExp, at: number): boolean =>
  at + maxValue < (longRuns.get(source)?.get(pattern) ?? 0)

const addLongRun = (source: Source, pattern: RegExp, at: number) => {
  let end = at
  for (let length = 1; length > 0; end += length) length = matchAt(pattern, source.text, end)?.[0].length ?? 0
  const runs = longRuns.get(source) ?? new Map<RegExp, number>()
  longRuns.set(source, runs.set(pattern, end))
}

/** Whether the name is code and not within a string: minifiers write `;client.apiKey=options.apiKey||key;`. */
const isStatement = (source: Source, nameStart: number): boolean =>
  source.kind.format === "code" && !['"', "'", "`"].some((quote) => isOpenAt(source, nameStart, nameStart, quote))

/** Whether the name is in the code of a sentence: "Start it with `DB_PASSWORD=x npm start`". */
const isExample = (source: Source, nameStart: number): boolean => {
  const parts = source.lineBefore(nameStart, 200).split("`")
  return parts.length % 2 === 0 && /[A-Za-z]/.test(parts[0] ?? "")
}

/** Whether the name is within `{{ }}` of a template, where a bare value is a call or another name. */
const inTemplate = (source: Source, nameStart: number): boolean => {
  const before = source.lineBefore(nameStart, 200)
  return before.lastIndexOf("{{") > before.lastIndexOf("}}")
}

/**
 * Whether no other setting and no command precedes the name on its line, unlike in `host a=1 password=2`,
 * `Environment=A=1` and `run --set password=2`.
 */
const isFirst = ({ kind, lineBefore, text }: Source, nameStart: number): boolean => {
  const before = lineBefore(nameStart, 200)
  return (
    !text.startsWith("--", nameStart) &&
    !/=(?:\S*[\s,])?["']?$|=\S*[\s,]/.test(before) &&
    !(kind.format === "yaml" && /\s--?\w[\w-]*\s+[\w.-]*$/.test(before))
  )
}

/**
 * `Server=db;User Id=app;Password=x;` of ADO.NET and ODBC, and `host:6380,password=x,ssl=True` of Redis clients: the
 * value extends to the separator, whatever other characters it has.
 */
const inDataSource = ({ lineBefore, text }: Source, nameStart: number, at: number): WrittenValue | undefined => {
  const before = lineBefore(nameStart, 400)
  const isNamed = dataSource.test(before)
  const quoted = isNamed ? matchAt(quotedSetting, text, at) : null
  if (quoted !== null) {
    const { 0: written, 1: quote = "", 2: value = "" } = quoted
    const start = at + quote.length
    return { value: unescapeXml(value), start, end: at + written.length - quote.length, delimited: true }
  }
  const pattern = isNamed ? upToSemicolon : hostAndOptions.test(before) ? upToComma : undefined
  const raw = pattern === undefined ? "" : (matchAt(pattern, text, at)?.[0] ?? "")
  if (raw === "") return undefined
  return { value: unescapeXml(unescape(raw)), start: at, end: at + raw.length, delimited: true }
}

/** Whether other settings, separated by spaces, precede the name in the same string. */
const inSettings = ({ lineBefore }: Source, nameStart: number): boolean =>
  /["'`](?:\w{1,40}=[^\s"'`=]{0,128} +){1,12}$/.test(lineBefore(nameStart, 400))

/** Whether the name is that of a variable in an instruction of a Dockerfile or a batch file, whose value no shell reads. */
const setsEnvironment = ({ kind, lineBefore }: Source, nameStart: number): boolean =>
  (kind.format === "dockerfile" && /^\s*(?:ENV|ARG)\s/i.test(lineBefore(nameStart, 400))) ||
  (/\.(?:bat|cmd)$/.test(kind.name) && /^\s*@?set\s+$/i.test(lineBefore(nameStart, 400)))

/**
 * Whether a flow mapping or sequence is open: on the line of the value, or on the previous one if the value's line ends
 * with a comma.
 */
const inFlow = ({ before: textBefore, lineEnd, lineStart, text }: Source, at: number): boolean => {
  const from = lineStart(at)
  const before = text.slice(Math.max(from, at - 300), at).replace(/\{\{[^{}\n]{0,100}\}\}|"[^"]*"|'[^']*'/g, "")
  const opened = before.match(/[{[]/g)?.length ?? 0
  if (opened > (before.match(/[}\]]/g)?.length ?? 0)) return true
  return from > 1 && text.charAt(lineEnd(at) - 1) === "," && /[,{[]\s*$/.test(textBefore(from, 200))
}

/**
 * `TOKEN=value command` sets a variable for one command in a shell; in other settings, the text after the space belongs
 * to the value.
 */
const setsVariable = ({ text }: Source, nameStart: number, { at, by }: ValuePosition): boolean =>
  by === "assign" && isMatch(variableSet, text, nameStart) && text.charAt(at - 1) === "="

const variableSet = /[A-Z_][A-Z\d_]*=(?=\S)/y

/** The value without closing brackets whose opening bracket precedes it. */
const withoutClosing = (value: string): string => {
  let end = value.length
  while (end > 0) {
    const opened = closings.get(value.charAt(end - 1))
    if (opened === undefined || value.includes(opened)) break
    end--
  }
  return value.slice(0, end)
}

/** The value without the closing brace of a one-line block, such as `client a { secret = value }`. */
const withoutBlockEnd = (value: string): string => (value.includes("{") ? value : value.replace(/[ \t]+\}$/, ""))

const closings: ReadonlyMap<string, string> = new Map([
  ["}", "{"],
  ["]", "["]
])

const bareFormats: ReadonlySet<Format> = new Set<Format>(["env", "ini", "yaml", "shell", "dockerfile", "other", "sql"])
const unescapeProperties = (raw: string): string =>
  raw.replace(/\\(?:u([\da-fA-F]{4})|(.))/g, (_, code: string | undefined, character: string = "") =>
    code === undefined ? (controls.get(character) ?? character) : String.fromCharCode(Number.parseInt(code, 16))
  )

const controls = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["f", "\f"]
])

/** In an option file of MySQL, a comment needs no space before it. */
const commentIn = (name: string): RegExp =>
  name.endsWith(".properties") ? commentInProperties : name.endsWith(".cnf") ? /#.*$/ : comment

/** A value that begins with `#`; a comment there has a space after its mark. */
const beginsWithHash = /^#[^\s#]{5,}$/
const comment = /\s+(?:[#;]|\/\/).*$/
/**
 * Properties files have no comments at the end of a line, but people write them. Several words, or one word in a single
 * case, are taken for a comment; anything else belongs to the value.
 */
const commentInProperties = /\s+(?:[#;]|\/\/)(?:[a-z]*|[A-Z]*|\S*\s.*)$/
/** Matches up to one character more than a value may have, to recognize longer runs. */
const run = (characters: string, ending = "", beginning = "") =>
  new RegExp(`${beginning}(?:${characters}){1,${maxValue + 1}}${ending}`, "y")
const lineValue = run(String.raw`[^\r\n]`)
/** A block scalar of one line without spaces: longer ones are a text or a file. */
const blockValue = new RegExp(
  String.raw`[|>][+-]?[ \t]*\r?\n([ \t]{1,40})([^\s#]\S{3,${maxValue - 1}})(?=[ \t]*(?:\r?\n(?!\1)|$(?![^])))`,
  "y"
)
const inWord = String.raw`[^\s;&|)<>"'\x60,]|,(?=[^\s;&|)<>\]}"'\x60,])(?![\w.-]{1,40}[=:])`
/** A word of a shell, or of a list of settings there: `a=1,b=2`. */
const wordValue = run(inWord)
/**
 * A word in other texts: an ampersand only ends it before another parameter, and an angle bracket only as part of a
 * tag.
 */
const textValue = run(String.raw`${inWord}|&(?!&|[\w.-]{1,40}=)|<(?![a-zA-Z/!?])|>(?=\w)`)
const blankValue = run(String.raw`\S`)
const endedValue = new RegExp(String.raw`\S{1,${maxValue}}?(?=;?(?:\s|$))`, "y")
const inString = run(String.raw`[^\s;&"'\x60<>,(){}\\]`, String.raw`(?=[;&"'\x60#]|\\[nrt"])`)
const inEntry = (quote: string) => String.raw`[^\s${quote}\\&;]|[&;](?![\w.-]{1,40}=|["'])`
/** The text before a parameter of a URL. */
const inQuery = /[?&]$|&amp;$/
/** Excludes the beginning of an expression or a remark: `(Uint8Array`, `new Auth2{`. */
const wordWithDigit = /^(?=.*\d)[^([{<].*[^([{<]$/
const endOfSentence = /\*{0,3}\.?\*{0,3}$/
/** Groups or words that are separated by spaces. */
const spacedEntry = /[^\s"'&;=]{2,40}(?: [^\s"'&;=]{2,40}){1,7}(?=["'])/y
const isSpaced = (value: string) => isGrouped(value) || isPassphrase(value) || isSpacedRandom(value)
/** The groups of an app password up to the end of the line. */
const spacedLine = /[a-z\d]{4}(?: [a-z\d]{4}){3,7}[ \t]*$/imy
const inDoubleQuotes = run(inEntry('"'), '(?=")', "(?![{$%])")
const inSingleQuotes = run(inEntry("'"), "(?=')", "(?![{$%])")
const settingInString = run(String.raw`[^\s"'\x60\\]`, String.raw`(?=[\s"'\x60\\])`)
/** Also in a cell of a notebook: `"!export TOKEN=…\n"`, `"%env TOKEN=…"`. */
const exported = /(?:^|\n)[ \t]*export[ \t]+$|"[!%](?:export|env|set_env)[ \t]+$/
const dataSource =
  /(?:^|[;"'`=>\s])(?:server|data source|host|addr(?:ess)?|driver|dsn|provider|database|initial catalog|user ?id|uid|user(?:name)?|endpoint)[ \t]*=[^;"'`=\n]{1,200};[ \t]*(?:[\w .]{1,40}=[^;"'`\n]{0,200};[ \t]*){0,12}$/i
const hostAndOptions = /["'`=>\s][\w.-]{1,100}:\d{2,5},(?:[\w ]{1,40}=[^,"'`\n]{0,100},){0,12}$/
const escaped = String.raw`\\(?:u[\da-fA-F]{4}|[\\/])|&(?:amp|lt|gt|quot|apos);`
const upToSemicolon = run(
  String.raw`${escaped}|[^\s;"'\x60\\<]|<(?!\/[a-z])| (?=[\w.-]{1,40}(?: [\w.-]{1,40}){0,8};)`,
  String.raw`(?=[;"'\x60\s\\<]|$(?![^]))`,
  "(?![{$%])"
)
const upToComma = run(String.raw`${escaped}|[^\s,;"'\x60\\]`, String.raw`(?=[,;"'\x60\s\\]|$(?![^]))`, "(?![{$%])")
/** `Password="…";` in ADO.NET: a value that may contain a semicolon, within an attribute or string. */
const quotedSetting = /(&quot;|\\"|'|"")((?:(?!\1)[^\r\n]){3,128})\1(?=[;"'\s\\]|$)/y
/** `PWD={…};` in ODBC: a value that may contain a semicolon. */
const bracedValue = /\{[^{}"'\r\n]{3,128}\}(?=[;"']|\s*$)/my

/** The argument of a command within a string. */
const flagValue = /[^\s"'`\\;&|<>$,(){}[\]]{6,2048}(?=["'`\s\\;&|])/y
/** A plain scalar in a flow mapping or sequence ends at its delimiters (YAML 1.2, section 7.3.3). */
const flowScalar = /[^\s,[\]{}"'][^,[\]{}\r\n]{0,2048}/y

/** A header within a string, `"X-Api-Key: value"`: only a long value with a digit. */
const headerValue = /(?=[^"'`\s]{0,999}\d)[^\s"'`<>,;{}()\\$]{16,2048}(?=["'`]|\\[nr])/y
