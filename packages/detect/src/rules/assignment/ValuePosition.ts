/**
 * Finds where the value of a name begins: after an operator, a bracket or a space, in an element, or on a later line.
 */
import type { FileKind, Format } from "../../text/FileKind.ts"
import { isMatch, matchAt } from "../../text/MatchAt.ts"
import type { Source } from "../../text/Source.ts"
import { maxValue } from "../../text/StringLiteral.ts"
import { isAbout, secretName } from "../SecretName.ts"

export interface ValuePosition {
  /** Offset of the first character after the operator and any spaces. */
  readonly at: number
  readonly by: "assign" | "colon" | "call" | "element" | "blank" | "flag"
  /** True for a comparison, a default or an argument. */
  readonly indirect: boolean
}

/** All positions have the same shape, so that V8 does not recompile `positionBeside` for others. */
const positionAt = (at: number, by: ValuePosition["by"], indirect = false): ValuePosition => ({ at, by, indirect })

/** Position of the value that is assigned to the name between two offsets; undefined if nothing is assigned. */
export const valuePosition = (source: Source, start: number, end: number): ValuePosition | undefined => {
  const beside = positionBeside(source, start, end)
  if (beside === undefined) return undefined
  const marks = source.kind.format === "yaml" ? nodeProperties : source.kind.format === "prose" ? emphasis : undefined
  const marked = marks === undefined ? null : matchAt(marks, source.text, beside.at)
  return positionAt(valueBelow(source, start, beside.at + (marked?.[0].length ?? 0)), beside.by, beside.indirect)
}

/** A quick check of the text after the name: if true, `valuePosition` returns undefined. */
export const isUnassigned = ({ kind, text }: Source, start: number, end: number): boolean =>
  !opensElement(text, start) &&
  !isRobot(kind) &&
  (isMatch(expressionEnd, text, end) ||
    (kind.format === "code" &&
      !isGradle(kind) &&
      text.charAt(start) !== "-" &&
      isMatch(anotherWord, text, end) &&
      !isAfterName(text, start)))

/** Whether the name is that of an element, `<password>`, perhaps with a namespace: `<wsse:Password>`. */
const opensElement = (text: string, start: number): boolean => {
  const before = text.charAt(start - 1)
  return before === "<" || (before === ":" && namespacePrefix.test(text.slice(Math.max(0, start - 22), start)))
}

const namespacePrefix = /<[\w.-]{1,20}:$/

/** In Gradle's Groovy, a setting is a call without parentheses: `keyPassword hasProperty("a") ? a : "…"`. */
const isGradle = ({ name }: FileKind): boolean => name.endsWith(".gradle")

const expressionEnd =
  /[;>&#@$%^~]|\/(?!\/=)|\}(?![ \t]*(?:\|\||\/\/)?=[ \t]*["'q])|\*(?!\*?(?:[ \t]+[="]|:[ \t]))|\.(?![=\w])|\)(?!:[ \t]|[\])]?(?:\s*(?:\?[?:]|\|\||or\b)|\.\w))/y
/** Another word after the name in source code, other than words that may come before the value. */
const anotherWord = /[ \t]+(?!(?:is|or|by|string|as|db|progmem)\b)[a-z]/iy

/** Whether the name is itself the value of `name`, as in `name=TOKEN value=…`. */
const isAfterName = (text: string, at: number): boolean => nameBefore.test(text.slice(Math.max(0, at - 8), at))

const nameBefore = /name\s*[=:]\s*["'`]?$/i

/** An anchor, or a tag that keeps the value as written. */
const nodeProperties = /(?:(?:&[\w-]+|!!str|!unsafe|!Sub)[ \t]+){1,2}/y

/** The marks before the value in `**Password:** …` and `Password: **…**`. */
const emphasis = /\*{1,3}[ \t]{0,4}/y

/** Moves the position if the value begins on a later line, or is the `value` member of a mapping. */
const valueBelow = (source: Source, nameStart: number, at: number): number => {
  const { kind, text } = source
  const yaml = kind.format === "yaml"
  const inMapping = yaml
    ? (matchAt(nestedValue, text, at) ?? matchAt(flowValue, text, at))
    : kind.format === "json" && !plural.test(text.slice(nameStart, at))
      ? matchAt(objectValue, text, at)
      : kind.format === "code"
        ? matchAt(propertyValue, text, at)
        : null
  if (inMapping !== null) return at + inMapping[0].length
  const lineBreak = matchAt(quoteBelow, text, at) ?? (yaml ? matchAt(wordBelow, text, at) : null)
  if (lineBreak === null) return at
  const below = at + lineBreak[0].length
  const indent = (offset: number) => offset - source.lineStart(offset)
  return !yaml || indent(below) > indent(nameStart) ? below : at
}

/** In `"tokens": { "agent": "…", "default": "…" }`, `default` is one value of a list. */
const plural = /^[\w-]*s["']?\s*[:=]/
const quoteBelow = /\(?[ \t]*\\?\r?\n[ \t]{0,80}(?=(?:[bru@$]|\.(?:asci[iz]|string)[ \t]+)?["'`])/y
const wordBelow = /\r?\n[ \t]{1,40}(?=[^\s:#&*!|>{}[\]%@"'`,-][^\s:]{3,}[ \t]*(?:\r?\n|$))/y
/**
 * `NAME:`, with `value:` and `description:` on the following lines: a variable in GitLab or a parameter in
 * CloudFormation.
 */
const nestedValue = /\r?\n(?:[ \t]+(?!value\b|default\b)\w[\w-]*:[^\n]*\n){0,4}?[ \t]+(?:value|default):[ \t]*/iy
const flowValue = /(?:\[[ \t]*)?\{[^{}\n]{0,100}?\b(?:value|default)["']?:[ \t]*/iy
/** `"name": { "value": "…" }` */
const objectValue = /\{\s*(?:"\w+"\s*:\s*"[^"\n]{0,99}"\s*,\s*){0,3}"(?:value|defaultValue|default)"\s*:\s*/iy
/** `name: { value: "…" }` in code */
const propertyValue = /\{\s*(?:value|default)\s*:\s*(?=["'`])/y

/** A list of parameters that is empty or contains only the receiver of a method. */
const noArguments = String.raw`(?:\((?:self|cls|&self|this)?\))`
const closing = /\\{0,7}(?:">>|["'`])?(?:\]|\?|\}(?=[ \t]*(?:\|\||\/\/)?=[ \t]*["'q])|\*{1,2}(?=[ \t]+[="]|:[ \t]))?/y
/** The end of the name in `env(APP_SECRET): …`, the default of a variable in Symfony. */
const closingOfVariable = /\)["']?/y
const operator =
  /[ \t]*(?:\[\d*\][ \t]*)?(?:(is[ \t]+(?=["'`]|[^\s"'`]*\d)|:{1,3}=|=>|->|[=!]==?|[+.]=|\|\|?=|\/\/=|\?\??=|=|<?<-|:(?!:)|\{(?=["']))(?![=~])|(,)|(\())[ \t]*/y
/**
 * A fallback for a missing variable or setting: `env.TOKEN ?? "…"`, `ENV["TOKEN"] || "…"`, `ENV.fetch("TOKEN") { "…"
 * }`, `env::var("TOKEN").unwrap_or("…")`.
 */
const alternative =
  /(?:["'`][\])]{1,2}[ \t]*\{|["'`]?[\])]{0,2}(?:\s{0,80}(?:\?\?|\|\||\?:|\bor(?:else)?\b)|\.(?:unwrap_or|or_else|orElse|getOrElse|unwrap_or_else)\((?:\|_?\||\(\)[ \t]*->)?))\s{0,80}(?=[bru]?["'`])/y
/**
 * A function, property or lazy value that only returns a literal: `getToken() { return "…" }`, `fun token() = "…"`,
 * `var token: String { "…" }`, `def token(self): return "…"`.
 */
const yielded = new RegExp(
  [
    String.raw`${noArguments}?(?:[^\n={}"'\x60;()]|&'static){0,60}(?:\([\w, *]{1,40}\)[ \t]*)?\{\s{0,80}(?:get\s{0,20}\{\s{0,80})?(?:return\s{1,20})?(?=(["'\x60])(?:(?!\1)[^\n\\]|\\.){3,500}\1(?:\.\w{1,20}\(\))?(?:,[ ]nil)?\s{0,20};?\s{0,80}\})`,
    String.raw`(?:[ \t]+get)?${noArguments}(?:[ \t]*:[ \t]*[\w.<>?]{1,40})?[ \t]*=>?[ \t]*(?=["'\x60])`,
    String.raw`${noArguments}[^\n:]{0,60}:\s{1,80}(?:"{3}[^"]{0,300}"{3}\s{1,80})?return[ \t]+(?=[bru]?["'])`
  ].join("|"),
  "y"
)
const yieldedInRuby =
  /(?:\(\))?[ \t]*\r?\n[ \t]{1,80}(?:return[ \t]+)?(?=(["'])(?:(?!\1)[^\n\\]|\\.){3,500}\1[ \t]*\r?\n[ \t]{0,80}end\b)/y
const infixTo = /[ \t]+to[ \t]+(?=")/y
/**
 * The value precedes the name: `SET value = '…' WHERE name = 'password'`, `<add value="…" name="password">`, `{"value":
 * "…", "key": "password"}`. The first group is the text before the value.
 */
const valueBefore =
  /(\b(?:value|val|content)(?:\s*=|["']\s*:)\s*N?)(["'])(?:(?!\2)[^\n]){3,200}\2(?:\s+(?:where\s+)?|\s*,\s*)(?:["']?\w{1,40}["']?\s*[=:]\s*["'][^"'\n]{0,80}["']\s*,?\s*){0,3}[`"'[]?(?:name|key|id|option_name|setting|param)[\]`"']?\s*[=:]\s*N?["']$/i
/** In Rust, `#[arg(default_value = "…")]` above a field. */
const defaultAbove =
  /\bdefault_value(?:_t)?\s*=\s*("[^"\n]{3,200}")[^\n]*\]\s{1,40}(?:#\[[^\n]{0,200}\]\s{1,40}){0,4}(?:pub(?:\([a-z]+\))?\s)?\s*$/
/** `"…" -> token` in R: the value precedes the name. */
const literalToTheRight = /(?:"[^"\n]{3,200}"|'[^'\n]{3,200}')[ \t]*->>?[ \t]*$/
/** In YAML, `- value: …` on the line above `name: PASSWORD`. The first group is the text before the value. */
const valueAbove =
  /(\bvalue:[ \t]+)(?:"[^"\n]{3,200}"|'[^'\n]{3,200}'|[^\s"'#][^\n]{2,200})\n[ \t]+(?:name|key):[ \t]*["']?$/
/** Formats in which the members of an object may be on separate lines. */
const multilineFormats: ReadonlySet<Format> = new Set<Format>(["json", "terraform", "xml", "yaml"])
/** How far before a name the value of the same object is searched, in characters. */
const maxMembers = 300
/** `s:8:"password";s:20:"…"`, in PHP's serialization of an array. */
const serialisedValue = /";s:\d{1,4}:(?=\\?")/y
/** `Password { get; set; } = "…"` */
const propertyAccessors = /[ \t]*\{[ \t]*(?:(?:private|protected|internal)[ \t]+)?get;[^{}"\n]{0,60}\}[ \t]*=[ \t]*/y
const keyedValue =
  /(?:\s[\w:-]{1,40}=["'][^"'<>{}\n]{0,100}["']|,\s{0,50}"\w{1,20}":\s{0,9}(?:"[^"\n]{0,100}"|true|false)|\n[ \t]+(?:#|(?!value)\w{1,20}:[ \t]+\S)[^\n]{0,100}(?=\n)){0,6}\s{0,50},?\s{0,50}\\?["']?(?:[a-z]{1,20}:)?(?:value|parametervalue|defaultvalue|default|val|content|with)\\?["']?\s*[:=]\s*/iy
const terraformDefault = /\s*\{[^{}]{0,300}?\bdefault\s*=\s*/y
const element =
  /(?:\s{1,50}[\w:.-]{1,80}\s{0,9}=\s*(?:"[^"<>]{0,999}"|'[^'<>]{0,999}')){0,20}\s{0,50}>(?:\s{0,50}<(?:[Vv]alue|string)>)?(?:\s{0,50}<!\[CDATA\[)?/y
/** `type="application/pgp-keys"` */
const mediaType = /(?:application|text|image|audio|video|multipart)\/$/
/** `<apiKey value="…"/>` */
const valueAttribute =
  /(?:\s{1,50}[\w:.-]{1,80}=(?:"[^"<>]{0,999}"|'[^'<>]{0,999}')){0,9}?\s{1,50}value\s{0,9}=\s{0,9}(?=["'])/iy
/** The next of the arguments that a list in YAML has on lines of their own. */
const itemBelow = /[ \t]*\r?\n[ \t]*-[ \t]+(?=["']?[^\s"'-])/y
/**
 * Adjacent elements for name and value: `<key>token</key><string>…`, `<name>token</name><value>…`,
 * `<param-name>token</param-name><param-value>…`, cells of a table, and JMeter's properties `Header.name` and `Header.value`.
 */
const nextElement =
  /<\/(?:key>\s*<(?:string|data|dict|array)|t[dh]>\s*<td|dt>\s*<dd|[\w-]{0,20}name>\s*<[\w-]{0,20}value|stringProp>\s*<stringProp name="\w{1,40}\.value")>\s*/iy
const typed =
  /[ \t]*(?:&'\w+[ \t]+)?[A-Za-z_&*[](?:[\w.<>[\]| &?*,]|;[ ]?\d+\]){0,60}?[ \t]*:?=(?![=>])[ \t]*(?=["'`@]|\*?[bru]["']|b?r?#{1,4}"|(?:\w{1,20}\.)?[Ff]ield\()/y
const typedAfterBlank =
  /[ \t]+(?:(?:string|\[\]byte|\[\d*\]byte|\*string|As[ \t]+String)[ \t]*=[ \t]*|PROGMEM[ \t]*=[ \t]*|PIC[ \t]+[\w()]{1,20}[ \t]+VALUE[ \t]+(?=["'])|db[ \t]+(?=["'])|(?:constant[ \t]+)?n?varchar2?\(\d+\)[ \t]*:?=[ \t]*|(?:type|as)[ \t]+\w{1,20}[ \t]+(?:value|initial)[ \t]+(?=["']))/iy
/** `token::String = "…"` in Julia, `token:: "…"` in Jsonnet, `TOKEN :: "…"` in Odin. */
const typedByColons = /[ \t]*::[ \t]*(?:[A-Z][\w.{}, ]{0,60}=(?![=>])[ \t]*)?(?=["'])/y
/** A field of a struct whose tag has its default: ``Password string `envDefault:"…"` ``. */
const defaultOfTag = /[ \t]+\*?string[ \t]+`[^`\n]{0,200}?default:(?=")/iy
const blanks = /[ \t]+/y
/** `token of the robot: …`, `password (staging): …` */
const phraseValue =
  /(?:(?:[ \t]+[A-Za-z]{1,20}){1,4}|[ \t]?[([][\w ./-]{1,40}[)\]])(?::|[ \t]+is|[ \t]+[–—→])[ \t]+(?=[`"']?[^\s`"']*\d)/y
/** `password (staging): …`: unlike in a call, a colon or a dash follows. */
const noteInBrackets = /[ \t]\([\w ./-]{1,40}\)(?::|[ \t]+[–—→])[ \t]/y
/** `token - '…'` and `token → …` in notes, or a tab between them. */
const dashed =
  /[ \t]{1,9}(?:-(?=[ \t]{1,9}["'`])|[–—→]|::)[ \t]{1,9}(?=["'`]?[^\s"'`]*\d)|\t(?=[^\s"'`]*\d[^\s"'`]*\r?(?:\n|$))/y
/** `key id: …` */
const oneWord = /^[ \t]+(?!is:)(\w+):/
/** Calls that take a name, and then its value. */
const setter =
  /(?:define|set\w*|put\w*|add\w*|with\w*|\w*param\w*|\w*header\w*|append|insert|env|export|\w*config\w*|\w*option\w*|\w*propert\w+|\w*attr\w*|register|pair|of|entry|save|store|update|assign|default|field|secret|variable)\s*\(\s*["'`]$|(?:buildConfigField|resValue)[ \t(]*["']\w+["'][ \t]*,[ \t]*["']$|\bsetattr\(\s*\w{1,40},\s*["']$/i

/** Calls that take the name of a variable or setting, and then a default. */
const getter = /(?:get|fetch|getenv|get_?or_?(?:default|else)|flags?\.\w+)\(\s*(?:&[\w.]{1,60},\s*)?["'`]$/i

/** A pair: `("X-Api-Key", "value")`, `{"token", "value"}`, `[["token", "value"]]`. */
const pair = /(?:(?:^|[^\w\s)\]])\s*[({]|[[(,]\s*\[)\s*["']$/

/** `strcmp(password, "value")` */
const comparison = /(?:str\w{0,4}cmp|equals?|compare\w*)\s*\(\s*$/i

/** A map key in a Lisp: `{:password "value"}`. */
const keyword = /(?:^|[\s({[])#?:(?:[\w.-]{1,30}\/)?$/

/** A row of a settings table in a dump: `('smtp_password', 'value')`. */
const row = /[(,]\s*'$/

/** A call with alternating names and values: `weboptions("Username", "app", "Password", "value")`. */
const afterUser = /["']user(?:name|id)?["']\s*,\s*["'][^"'\n]{1,64}["']\s*,\s*["']$/i

/** `setopt(handle, NAME, "value")` */
const constantSetter = /set\w*\(\s*[$\w.>-]+\s*,\s*$|(?:put|addToEnvironment)\(\s*(?:\w{1,40}\.)?$|-define\(\s*$/i
const constant = /^(?:[A-Z]\w{0,40}\.)?[A-Z][A-Z\d_]+$/
const definition =
  /[#%!][ \t]*define[ \t]+$|(?:^|\n)[ \t]*(?:set|local|global)[ \t]+$|\bset\($|\((?:def(?:ine(?:-public)?|var|once|parameter|const|custom)?|setq(?:-default)?|setf|local|global|var)[ \t]+\*?$/i

const definedLiteral = /@?["']/y
/** `(or (System/getenv "TOKEN") "…")`, after its first parenthesis. */
const lispDefault = /or[ \t]+\([^()\n]{1,90}\)\s{1,40}(?=")/y
/** An equals sign before a value that begins with a sign, in formats without comparisons. */
const signFollows = /[ \t]*=(?=[=~][^\s=~])/y
/** The text before the name in `(let ((password "…")) …)` and `(let [password "…"] …)`, or a line break. */
const bound = /(?:[([]|\n[ \t]*)$/
const bindsInLisp = ({ before, kind }: Source, start: number): boolean =>
  /\.(?:el|lisp|lsp|cl|scm|ss|rkt|clj[cs]?|fnl|hy|janet)$/.test(kind.name) && bound.test(before(start, 40))

const positionBeside = (source: Source, start: number, end: number): ValuePosition | undefined => {
  const { text, kind } = source
  const previous = start > 0 ? text.charCodeAt(start - 1) : newline
  if (opensElement(text, start)) {
    const tag = matchAt(element, text, end)
    if (tag !== null) return positionAt(end + tag[0].length, "element")
    const attribute = matchAt(valueAttribute, text, end)
    return attribute === null ? undefined : positionAt(end + attribute[0].length, "assign")
  }
  if (previous === slash && text.charCodeAt(start - 2) === less) return undefined
  if (text.charCodeAt(end) === less && previous === greater) {
    const next = matchAt(nextElement, text, end)
    return next === null ? undefined : positionAt(end + next[0].length, "element")
  }

  if (isRobot(kind)) {
    const cell = matchAt(variable.test(text.slice(start - 2, start)) ? nextCell : lastCell, text, end)
    if (cell !== null) return positionAt(end + cell[0].length, "assign")
  }

  const isSymfony = kind.format === "yaml" && text.startsWith("env(", start - 4)
  const close = matchAt(isSymfony ? closingOfVariable : closing, text, end)?.[0] ?? ""
  const quoted = /["'`]/.test(close)
  const after = afterElement(text, end + close.length)

  const ofKey = kind.format === "yaml" && isComplexKey(source, start) ? matchAt(valueOfKey, text, after) : null
  if (ofKey !== null) return positionAt(after + ofKey[0].length, "colon")
  const nextItem = kind.format === "yaml" && isOption(text, start) ? matchAt(itemBelow, text, after) : null
  if (nextItem !== null) return positionAt(after + nextItem[0].length, "flag")

  const pairOfKotlin = quoted && /\.kts?$/.test(kind.name) ? matchAt(infixTo, text, after) : null
  if (pairOfKotlin !== null) return positionAt(after + pairOfKotlin[0].length, "assign")
  const beforeName = () =>
    text.slice(Math.max(multilineFormats.has(kind.format) ? 0 : source.lineStart(start), start - maxMembers), start)
  const earlier =
    kind.format === "yaml" ? valueAbove.exec(beforeName()) : quoted ? valueBefore.exec(beforeName()) : null
  if (earlier !== null) {
    const [written = "", lead = ""] = earlier
    return positionAt(start - written.length + lead.length, "assign")
  }
  const serialised = quoted ? matchAt(serialisedValue, text, after - 1) : null
  if (serialised !== null) return positionAt(after - 1 + serialised[0].length, "assign")
  const accessors = quoted ? null : matchAt(propertyAccessors, text, after)
  if (accessors !== null) return positionAt(after + accessors[0].length, "assign")

  const otherwise = kind.format === "code" || kind.format === "other" ? matchAt(alternative, text, end) : null
  if (otherwise !== null) return positionAt(end + otherwise[0].length, "assign", true)

  if ((kind.format === "code" || kind.format === "other") && !quoted) {
    const value =
      matchAt(yielded, text, end) ?? (source.before(start, 4) === "def " ? matchAt(yieldedInRuby, text, end) : null)
    if (value !== null) return positionAt(end + value[0].length, "assign", true)
  }

  // Two comparisons are cheaper than the expression, and rule out most names.
  const hasColons = text.startsWith("::", after) || text.startsWith(" ::", after)
  const colons =
    hasColons && (kind.format === "code" || kind.format === "other") ? matchAt(typedByColons, text, after) : null
  if (colons !== null) return positionAt(after + colons[0].length, "assign")
  const assigned = kind.name.endsWith(".r") ? literalToTheRight.exec(text.slice(source.lineStart(start), start)) : null
  if (assigned !== null) return positionAt(source.lineStart(start) + assigned.index, "assign")

  const above = kind.name.endsWith(".rs") ? defaultAbove.exec(source.before(start, maxMembers)) : null
  if (above !== null) return positionAt(start - above[0].length + above[0].indexOf('"'), "assign", true)
  const sign = kind.format === "env" || kind.format === "ini" ? matchAt(signFollows, text, after) : null
  if (sign !== null) return positionAt(after + sign[0].length, "assign")
  const op = matchAt(noteInBrackets, text, after) === null ? matchAt(operator, text, after) : null
  const name = { start, end, after, quoted, previous }
  return op === null ? positionWithoutOperator(source, name) : positionBehindOperator(source, name, op)
}

/** Skips the key in `passwords["bob"] = "…"`, unless its own meaning decides. */
const afterElement = (text: string, at: number): number => {
  const key = matchAt(keyOfElement, text, at)
  return key === null || isAbout(key[1] ?? "") || secretName(key[1] ?? "") !== "none" ? at : at + key[0].length
}

const keyOfElement = /\[["']([\w.@-]{1,60})["']\]/y

interface NameBounds {
  readonly start: number
  readonly end: number
  /** Offset after the closing quote and bracket. */
  readonly after: number
  readonly quoted: boolean
  /** Code of the character before the name. */
  readonly previous: number
}

const positionBehindOperator = (
  source: Source,
  { after, end, previous, quoted, start }: NameBounds,
  op: RegExpExecArray
): ValuePosition | undefined => {
  const { text, kind } = source
  const at = after + op[0].length
  const sign = op[1] ?? op[2] ?? op[3] ?? ""
  // A token in the URL of a badge or a download only gives access to that file.
  if (sign === "=" && oneFile.test(source.before(start, 80))) return undefined
  // In `$PWD:/work`, `filter=pass:speed=2` and `arn:…:secret:name`, the name is part of another value.
  if (
    sign === ":" &&
    !quoted &&
    ((previous === dollar && kind.format !== "yaml") ||
      previous === equals ||
      (previous === colon && !isKeyOfNamespace(source, start, at)))
  )
    return undefined
  // `"AWS::IAM::AccessKey": "…"` is the name of a type.
  if (quoted && namespacedType.test(text.slice(start - 2, end))) return undefined
  // A YAML key ends with a colon and a space: `rule:token:create` is one value.
  if (kind.format === "yaml" && op[0] === ":" && !quoted && isMatch(wordAfter, text, at)) return undefined
  // `${PASSWORD:+given}` only substitutes the fixed word.
  if (sign === ":" && text.charAt(at) === "+" && text.startsWith("${", start - 2)) return undefined
  if (sign === ",") {
    const keyed = matchAt(keyedValue, text, after)
    if (keyed !== null) return positionAt(after + keyed[0].length, "assign")
    if (quoted && text.charAt(start) === "-")
      return isMatch(openingQuote, text, at) ? positionAt(at, "assign") : undefined
    const before = source.before(start, 40)
    if (kind.format === "sql" && row.test(before) && text.charAt(at) === "'") return positionAt(at, "call")
    if (!quoted && tupleStart.test(before) && /^(?:<<)?["']/.test(text.slice(at, at + 3)))
      return positionAt(at, "assign")
    if (!quoted && comparison.test(before)) return positionAt(at, "call", true)
    if (
      quoted &&
      (kind.format === "code" || kind.name.endsWith(".config")) &&
      (pair.test(before) || getter.test(before))
    )
      return positionAt(at, "call", true)
    // `{<<"password">>, <<"…">>}` in Erlang.
    if (quoted && text.startsWith('{<<"', start - 4) && text.startsWith('<<"', at)) return positionAt(at, "assign")
    if (quoted && afterUser.test(source.before(start, 160))) return positionAt(at, "call")
    return (quoted ? setter : constantSetter).test(before) && (quoted || constant.test(text.slice(start, end)))
      ? positionAt(at, "call")
      : undefined
  }
  if (sign === "(" && (definition.test(source.before(start, 40)) || bindsInLisp(source, start))) {
    const otherwise = matchAt(lispDefault, text, at)
    return otherwise === null ? undefined : positionAt(at + otherwise[0].length, "assign", true)
  }
  // In `new Credential("user", password)`, the first of several arguments is the user.
  if (sign === "(" && namesPair.test(text.slice(start, end)) && isMatch(literalAndMore, text, at)) return undefined
  if (sign === "(") return quoted || kind.format === "prose" ? undefined : positionAt(at, "call", true)
  const template = matchAt(templateDefault, text, at)
  if (template !== null) return positionAt(at + template[0].length, "assign", true)
  if (sign === ":" && (kind.format === "code" || kind.format === "other")) {
    const type = matchAt(typed, text, at)
    if (type !== null) return positionAt(at + type[0].length, "assign")
  }
  return positionAt(at, sign === ":" ? "colon" : "assign", /^[=!]=|^is/.test(sign))
}

const positionWithoutOperator = (
  source: Source,
  { after, end, quoted, start }: NameBounds
): ValuePosition | undefined => {
  const { text, kind } = source
  if (quoted || text.charCodeAt(end) === newline || isAfterName(text, start)) {
    const keyed = matchAt(keyedValue, text, after)
    if (keyed !== null) return positionAt(after + keyed[0].length, "assign")
    if (quoted && kind.format === "other" && isFirstOnLine(source, start) && isMatch(quotedAfterBlanks, text, after))
      return positionAt(text.indexOf('"', after), "assign")
    const isType = mediaType.test(source.before(start, 12))
    const tag = quoted && !isType ? matchAt(element, text, after) : null
    if (tag !== null) return positionAt(after + tag[0].length, "element")
    if (quoted && (kind.format === "terraform" || kind.format === "other")) {
      const block = matchAt(terraformDefault, text, after)
      if (block !== null) return positionAt(after + block[0].length, "assign")
    }
    return undefined
  }

  const tag = kind.name.endsWith(".go") ? matchAt(defaultOfTag, text, end) : null
  if (tag !== null) return positionAt(end + tag[0].length, "assign", true)
  const type = sqlFormats.has(kind.format) ? matchAt(typedAfterBlank, text, end) : null
  if (type !== null) return positionAt(end + type[0].length, "assign")

  const phrase = kind.format === "prose" || kind.format === "other" ? matchAt(phraseValue, text, end) : null
  if (phrase !== null)
    return isAbout(oneWord.exec(phrase[0])?.[1] ?? "") ? undefined : positionAt(end + phrase[0].length, "assign", true)
  const dash = kind.format === "prose" || kind.format === "other" ? matchAt(dashed, text, end) : null
  if (dash !== null) return positionAt(end + dash[0].length, "assign", true)
  // `*api-key*`: the name of a global variable in Lisp.
  const from = text.charAt(end) === "*" ? after : end
  const blank = matchAt(blanks, text, from)
  if (blank === null) return undefined
  const at = from + blank[0].length
  if (kind.format === "terraform" && text.charAt(at) === "{") return positionAt(at, "assign")
  if (kind.format === "prose" && text.charAt(at) === "`") return positionAt(at, "blank", true)
  const before = source.before(start, 40)
  if (definition.test(before)) {
    if (isMatch(definedLiteral, text, at)) return positionAt(at, "blank")
    if (text.charAt(at) === "{" && kind.name.endsWith(".tcl")) return positionAt(at, "blank")
  }
  if (text.charAt(at) === '"' && bindsInLisp(source, start)) return positionAt(at, "blank")
  if (text.charAt(at) === '"' && kind.format === "other" && /(?:with|enter) $/.test(before))
    return positionAt(at, "blank")
  if (text.charAt(at) === "'" && sqlFormats.has(kind.format)) return positionAt(at, "blank")
  if (text.charAt(at) === '"' && keyword.test(source.before(start, 40))) return positionAt(at, "assign")
  if (isOption(text, start)) return positionAt(at, "flag")
  if (isGradle(kind) && isMatch(word, text, at)) return positionAt(at, "assign", true)
  return standsAlone(source, start, at) ? positionAt(at, "blank") : undefined
}

/** Whether the name is an option of a command; its dashes may count as part of the name. */
const isOption = (text: string, start: number): boolean =>
  text.charAt(start) === "-" || text.startsWith("--", start - 2)

/** Whether the name is a key after a question mark in YAML, `? password`, whose value is on the next line. */
const isComplexKey = ({ lineBefore }: Source, start: number): boolean => /\?[ \t]+["']?$/.test(lineBefore(start, 9))
const valueOfKey = /[ \t]*\r?\n[ \t]*:[ \t]+/y

/** `"password" "…"`: a line in Valve's KeyValues format. */
const isFirstOnLine = ({ lineStart, text }: Source, start: number): boolean =>
  text.slice(lineStart(start), start).trimStart() === '"'
const quotedAfterBlanks = /[ \t]+"[^"\n]+"[ \t]*\r?(?:\n|$)/y

/** Robot Framework separates cells by a tab or two spaces. */
const isRobot = ({ name }: FileKind): boolean => /\.(?:robot|resource)$/.test(name)

/**
 * Whether the name ends a namespaced mapping key, which a space follows: `app::api_key: value` in Hiera, `app:apiKey:
 * value` in Pulumi.
 */
const isKeyOfNamespace = ({ kind, lineStart, text }: Source, start: number, at: number): boolean =>
  (kind.format === "yaml" || kind.format === "ini" || kind.format === "other" || kind.format === "prose") &&
  (/\s/.test(text.charAt(at - 1)) || /[\r\n]/.test(text.charAt(at))) &&
  start - lineStart(start) < maxNamespaceLength &&
  namespaces.test(text.slice(lineStart(start), start))

/** `{{ password | default("…") }}` in Jinja, `{{ .Password | default "…" }}` in Go. */
const templateDefault = /["']?\{\{-?[ \t]{0,4}[\w.[\]$]{1,80}[ \t]{0,4}\|[ \t]{0,4}default[ \t(]{1,3}(?=["'])/y
/** `{password, <<"…">>}` in Erlang, `{:password, "…"}` in Elixir. */
const tupleStart = /\{:?$/
/** Excludes `metavar="…"`, another argument of the call that declares an option. */
const openingQuote = /[bru@]?["'`]/y
const word = /[A-Za-z]/y
const namespacedType = /^::[A-Z]/
const wordAfter = /[^\s"'`]/y
const maxNamespaceLength = 200
/** The text before a namespaced name, or before a Ruby symbol such as `:api_key`. */
const namespaces = /^[ \t]*(?::|(?:[\w-]+::?)+)$/
const variable = /[$@&]\{/
/**
 * The cell after `${PASSWORD}`. `lastCell` is the one after the field that `Input Password` or `Input Text id:password`
 * fills in.
 */
const nextCell = /\}[ \t]?=?(?:\t| {2})[ \t]*(?=[^\s$@&%#])/y
const lastCell = /(?:(?:\t| {2})[ \t]*\S+)?["'\])]*(?:\t| {2})[ \t]*(?![a-z]+=)(?=[^\s$@&%#]\S{3,}[ \t]*\r?$)/my
const namesPair = /credentials?$/i
const literalAndMore = /(?:"[^"\n]{0,200}"|'[^'\n]{0,200}')\s*,/y
const oneFile = /(?:badge|shields\.io)[^\s"'()<>]*[?&]$|[?&]alt=media&$/
const less = 60
const greater = 62
const slash = 47
const dollar = 36
const equals = 61
const colon = 58
const newline = 10

/** Whether the line has only a name and a value, `password hunter22`, in a format that allows it. */
const standsAlone = (source: Source, start: number, at: number): boolean => {
  const { kind, text } = source
  // In code, this is a call without parentheses, whose argument is quoted.
  if (!blankFormats.has(kind.format) && !(kind.format === "code" && /["']/.test(text.charAt(at)))) return false
  const lineStart = source.lineStart(start)
  const lineEnd = source.lineEnd(at)
  if (lineEnd - lineStart > maxValue) return false
  const lead = text.slice(lineStart, start)
  const rest = text.slice(at, lineEnd)
  // `credentials { username "a"; password "b" }` in Groovy: statements in a one-line block.
  if (/[{;]\s*$/.test(lead)) return /^(?:"[^"]*"|'[^']*'|[^\s;{}"']*\d[^\s;{}"']*(?=;))\s*(?:[;}]|$)/.test(rest)
  return netrc.test(kind.name)
    ? true
    : /^\s*(?:(?:ENV|ARG|export|set(?:\s+-[\w-]{1,20}){0,3}|(?:fastcgi|uwsgi|scgi)_param|php_(?:admin_)?value|setx|setenv|let|user\s+\S+|username\s+\S+|default|identified|\S+\s+config(?:ure)?\s+set|\w*header(?:\s+(?:always\s+)?(?:set|add|append|merge))?|http-re\w+\s+(?:set|add)-header)\s+|@)?\$?$/i.test(
        lead
      ) && /^(?:"[^"]*"|'[^']*'|\S+)\s*(?:[#;}].*|\/m\s*)?$/i.test(rest)
}

const netrc = /netrc$/
/** Formats with `PASSWORD 'value'` in SQL, calls without parentheses, or a type after the name. */
const sqlFormats: ReadonlySet<Format> = new Set<Format>(["sql", "code", "shell", "other"])
const blankFormats: ReadonlySet<Format> = new Set<Format>(["other", "ini", "dockerfile", "shell", "env"])
