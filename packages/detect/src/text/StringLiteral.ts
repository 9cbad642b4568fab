/** Reads string literals in the syntax of each language and format. */
import { type FileKind, type Format, ofLastName } from "./FileKind.ts"
import { isMatch, matchAt } from "./MatchAt.ts"

export interface StringLiteral {
  /** The content without quotes and escapes. */
  readonly value: string
  /** Offsets of the written form between the quotes. */
  readonly start: number
  readonly end: number
  /** Offset after the closing quote. */
  readonly next: number
  /** Whether the literal is only a part of the value, which is concatenated at run time. */
  readonly composed: boolean
}

/** The literal that opens at an offset; undefined if none opens there, or it does not close on its line. */
export const stringLiteralAt = (text: string, at: number, kind: FileKind): StringLiteral | undefined => {
  const { format, name } = kind
  const long = longLiteralAt(text, at, kind)
  if (long !== undefined) {
    const written = text.slice(long.from, long.to)
    const value = written.trim()
    const start = long.from + written.indexOf(value)
    return { value, start, end: start + value.length, next: long.next, composed: false }
  }
  const open = matchAt(opening, text, at)
  if (open === null) return undefined
  const [, prefix = "", escape = "", quotes = ""] = open
  const one = quotes.charAt(0)
  const verbatim = prefix.includes("@") && !objectiveC.test(name)
  const unescaped = verbatim || quotesDoubledIn(name).includes(one)
  const doubled = unescaped || (one === "'" && (format === "yaml" || format === "sql"))
  // Where quotes are doubled, three of them begin a literal whose first character is a quote.
  const quote = doubled ? one : quotes
  const from = at + open[0].length - quotes.length + quote.length
  const raw =
    escape === "" &&
    (/r/i.test(prefix) ||
      unescaped ||
      format === "xml" ||
      quote === "`" ||
      (quote.startsWith("'") && rawSingleQuotes.has(format)))
  // PowerShell escapes with a backtick.
  const mark = quote === '"' && powerShell.test(name) ? "`" : "\\"
  const close = closeOf(text, from, quote, { doubled, escape, mark, raw })
  if (close < 0) return undefined
  const written = text.slice(from, close)
  const next = close + quote.length
  const composed =
    (/[fF$]/.test(prefix) && written.includes("{")) ||
    (quote === "`" &&
      (written.includes("${") ||
        format === "shell" ||
        format === "dockerfile" ||
        (format === "env" && /\s/.test(written)))) ||
    ((format === "code" || format === "shell") && matchAt(concatenated, text, next) !== null)
  const trimmed = quote.length === 3 ? written.trim() : written
  const start = from + written.indexOf(trimmed)
  const undoubled = doubled ? trimmed.replaceAll(quote + quote, quote) : trimmed
  const unmarked = mark === "`" ? undoubled.replace(/`(.)/g, "$1") : undoubled
  let plain = unmarked
  // A literal within others is escaped once more for each of them, as its quotes show.
  const depth = raw || mark !== "\\" ? -1 : Math.log2(escape.length + 1)
  for (let level = 0; level <= depth && plain.includes("\\"); level++) plain = unescape(plain)
  const decoded = format === "xml" ? unescapeXml(plain) : plain
  const value = decoded.replace(/^(["'])(.+)\1$/s, "$2")
  // Quotes within the literal do not belong to the value.
  const inner = value === decoded ? 0 : Math.max(0, trimmed.indexOf(value))
  return { value, start: start + inner, end: start + trimmed.length - inner, next, composed }
}

/**
 * Maximum length of a value in characters: enough for an 8192-bit RSA key in base64. A longer literal is an embedded
 * file.
 */
export const maxValue = 8192

const opening = /([bBrRuULN@]{0,2}|[fF$]@?)(\\{0,7})("""|'''|["'`])/y
const powerShell = /\.ps[md]?1$/
/** In Objective-C, `@"…"` is an ordinary string; in C#, it is a verbatim one. */
const objectiveC = /\.(?:mm?|h)$/
const rawSingleQuotes: ReadonlySet<Format> = new Set<Format>(["yaml", "toml", "shell"])

/** Languages without escapes: a quote within a literal is doubled. */
const doubling: ReadonlyArray<readonly [files: RegExp, quotes: string]> = [
  [/\.(?:vb|vbs|bas|cls|frm)$/, '"'],
  [/\.(?:pas|dpr|lpr|m)$/, "'"],
  [/\.psm?1$/, "'"]
]

const quotesDoubledIn = ofLastName((name) => doubling.find(([files]) => files.test(name))?.[1] ?? "")

export interface LongLiteral {
  /** Start and end of the content. */
  readonly from: number
  readonly to: number
  /** Offset after the closing delimiter. */
  readonly next: number
}

const brackets: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["{", "}"],
  ["[", "]"]
])

/** A delimiter that is no bracket closes itself. */
const closingBracket = (mark: string): string => brackets.get(mark) ?? mark

/** Literals with their own delimiters, in which nothing is escaped. */
const longLiterals: ReadonlyArray<{
  readonly files: RegExp
  /** A sticky expression for the opening delimiter. */
  readonly open: RegExp
  /** Returns the closing delimiter for the first group of `open`. */
  readonly close: (mark: string) => string
}> = [
  { files: /\.nix$/, open: /('')(?=[^'\n])/y, close: (mark) => mark },
  { files: /\.lua$/, open: /\[(={0,4})\[/y, close: (mark) => `]${mark}]` },
  { files: /\.(?:rs|swift)$/, open: /b?r?(#{1,4})"(?!"")/y, close: (mark) => `"${mark}` },
  {
    files: /\.(?:c|cc|cpp|cxx|cu|h|hh|hpp|hxx)$/,
    open: /(?:u8|[uUL])?R"([^\s()\\"]{0,16})\(/y,
    close: (mark) => `)${mark}"`
  },
  {
    files: /\.(?:pl|pm|t|raku|rb|rake|cr)$/,
    open: /(?:%?q|%Q|qq|%(?=[({[]))([({[|!])/y,
    close: closingBracket
  },
  { files: /\.tcl$/, open: /(\{)(?=[^\s{}]{3,200}\})/y, close: closingBracket },
  { files: /\.exs?$/, open: /~s([({[|])/iy, close: closingBracket },
  { files: /\.(?:p?sql|psql|ddl)$/, open: /(\$(?:[a-z_]\w{0,30})?\$)/iy, close: (mark) => mark }
]

const longLiteralsIn = ofLastName((name) => longLiterals.filter(({ files }) => files.test(name)))

/** The first characters of long literals: a quick check, because most literals begin with a quote. */
const longOpening = /[[{#$%~'a-z]/iy

export const longLiteralAt = (text: string, at: number, { name }: FileKind): LongLiteral | undefined => {
  if (!isMatch(longOpening, text, at)) return undefined
  for (const { close, open } of longLiteralsIn(name)) {
    const match = matchAt(open, text, at)
    if (match === null) return undefined
    const from = at + match[0].length
    const end = close(match[1] ?? "")
    const length = text.slice(from, from + maxValue).indexOf(end)
    return length < 0 ? undefined : { from, to: from + length, next: from + length + end.length }
  }
  return undefined
}

/** A concatenation, or a call that derives another string from the literal. */
const concatenated =
  /\s*(?:[+&%]|\.\.)\s*[\w"'($]|\s*\.\s*["'($]|\s+\.\s+\w|\s*\.(?:format|replace\w*|gsub|sub|join|split|repeat|concat|append)\b/y

/** Offset of the closing quote; -1 if there is none on the line or within `maxValue` characters. */
const closeOf = (
  text: string,
  start: number,
  quote: string,
  {
    doubled,
    escape,
    mark,
    raw
  }: { readonly doubled: boolean; readonly escape: string; readonly mark: string; readonly raw: boolean }
): number => {
  if (quote.length === 3) {
    const close = text.indexOf(quote, start)
    return close - start > maxValue ? -1 : close
  }
  const limit = Math.min(text.length, start + maxValue + 1)
  for (let i = start; i < limit; i++) {
    const character = text.charAt(i)
    if (character === "\n" || character === "\r") return -1
    if (escape !== "") {
      if (character !== "\\") continue
      const run = i
      while (text.charAt(i + 1) === "\\") i++
      // The backslashes of the literal itself, which are escaped too: an odd number of them escapes the quote.
      const own = Math.floor((i + 1 - run - escape.length) / (escape.length + 1))
      if (own >= 0 && own % 2 === 0 && text.startsWith(quote, i + 1)) return i + 1 - escape.length
    } else if (character === mark && !raw) i++
    else if (character === quote) {
      if (!doubled || text.charAt(i + 1) !== quote) return i
      i++
    }
  }
  return -1
}

export const unescape = (raw: string): string =>
  raw.replace(
    /\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|(.))/g,
    (whole, unicode: string | undefined, byte: string | undefined, character: string | undefined) => {
      if (unicode !== undefined || byte !== undefined)
        return String.fromCharCode(Number.parseInt(unicode ?? byte ?? "", 16))
      if (character === "n") return "\n"
      if (character === "t") return "\t"
      if (character === "r") return "\r"
      return character !== undefined && /[\\"'`/$]/.test(character) ? character : whole
    }
  )

export const unescapeXml = (value: string): string =>
  value.includes("&") || value.includes("<")
    ? value
        .replace(/^<!\[CDATA\[|\]\]>$/g, "")
        .replaceAll("&quot;", '"')
        .replaceAll("&apos;", "'")
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replace(/&#(?:x([\da-f]{1,6})|(\d{1,7}));/gi, (whole, hexadecimal?: string, decimal?: string) => {
          const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16)
          return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
        })
        .replaceAll("&amp;", "&")
    : value

/** `%%` is not URL encoding, but an escape of the surrounding file. */
export const decodePercent = (raw: string): string => {
  if (!raw.includes("%")) return raw
  try {
    return decodeURIComponent(raw.replaceAll("%%", "%"))
  } catch {
    return raw
  }
}
