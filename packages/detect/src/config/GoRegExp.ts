/** Regular expressions of Go (RE2) as regular expressions of JavaScript. */
import { Result } from "effect"

/**
 * The same expression, or a sentence that says why it cannot be used.
 *
 * RE2 takes linear time whatever the expression; JavaScript does not, where what is repeated can match the same text in
 * several ways. A hostile repository could stop the scan with that, so it is refused.
 */
export const goRegExp = (source: string): Result.Result<RegExp, string> => {
  let out = ""
  let unicode = false
  /** What stands before the next character is a group that can match the same text in several ways. */
  let varies = false
  const group = (closing: number, body: number): Group => ({
    closing,
    body,
    varies: false,
    alternative: out.length,
    flagged: false,
    firsts: [firstOf(source, body)]
  })
  const whole = group(0, 0)
  const groups: Array<Group> = [whole]
  const innermost = (): Group => groups[groups.length - 1] ?? whole
  const open = (text: string, body: number) => {
    out += text
    groups.push(group(1, body))
  }

  for (let i = 0; i < source.length;) {
    const rest = source.slice(i)
    const flags = /^\(\?([imsU-]*)([:)])/.exec(rest)
    if (flags !== null && (flags[1] !== "" || flags[2] === ")")) {
      if ((flags[1] ?? "").includes("U")) return Result.fail("(?U) has no counterpart in JavaScript")
      const set = (flags[1] ?? "").replace(/-$/, "")
      const text = set === "" ? "(?:" : `(?${set}:`
      if (flags[2] === ":") open(text, i + flags[0].length)
      else {
        innermost().closing++
        innermost().flagged ||= innermost().alternative < out.length
        out += text
        innermost().alternative = out.length
      }
      i += flags[0].length
      varies = false
      continue
    }
    const named = /^\(\?P?<(\w+)>/.exec(rest)
    if (named !== null) {
      open(`(?<${named[1]}>`, i + named[0].length)
      i += named[0].length
      continue
    }
    const character = source.charAt(i)
    if (character === "(") {
      const text = rest.startsWith("(?:") ? "(?:" : "("
      open(text, i + text.length)
      i += text.length
    } else if (character === ")") {
      const closed = groups.length > 1 ? groups.pop() : undefined
      if (closed === undefined) return Result.fail("a bracket is closed that was never opened")
      out += ")".repeat(closed.closing)
      const ambiguous = closed.varies || !areDistinct(closed.firsts)
      if (ambiguous) innermost().varies = true
      varies = ambiguous && !isSeparated(source.slice(closed.body, i))
      i++
      continue
    } else if (character === "|") {
      if (innermost().flagged) return Result.fail("flags are set in the middle of an alternative")
      out += "|"
      innermost().alternative = out.length
      innermost().firsts.push(firstOf(source, ++i))
    } else if (character === "[") {
      const set = characterSet(source, i)
      if (set === undefined) return Result.fail("a set of characters is not closed")
      out += set.text
      unicode ||= set.unicode
      i = set.end
    } else if (character === "\\") {
      const escape = escaped(source, i)
      if (escape === undefined) return Result.fail(`${source.slice(i, i + 2)} has no counterpart in JavaScript`)
      out += escape.text
      unicode ||= escape.unicode
      i = escape.end
    } else {
      const times = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})[?]?/.exec(rest)
      if (times === null) {
        out += character
        i++
      } else {
        const [, least, comma, most] = times
        const many =
          least === undefined
            ? character !== "?"
            : comma === "," && most === ""
              ? true
              : Number(most || least) >= manyTimes
        if (many && varies) return Result.fail("what it repeats can match the same text in several ways")
        if (least === undefined || (comma === "," && most !== least)) innermost().varies = true
        out += times[0]
        i += times[0].length
      }
    }
    varies = false
  }
  if (groups.length !== 1) return Result.fail("a bracket is not closed")
  out += ")".repeat(innermost().closing)
  return Result.try({
    try: () => new RegExp(out, unicode ? "gu" : "g"),
    catch: () => "JavaScript does not take it"
  })
}

/** So often that to try every way of it takes too long. */
const manyTimes = 4

/** The character that an alternative begins with, undefined where that may be one of several. */
const firstOf = (source: string, at: number): string | undefined =>
  /^(?:\\[^\w\s]|[\w"'/:;,@#%&=<>~ -])(?![*?{])/.exec(source.slice(at, at + 3))?.[0].toLowerCase()

const areDistinct = (firsts: ReadonlyArray<string | undefined>): boolean =>
  firsts.length === 1 || (!firsts.includes(undefined) && new Set(firsts).size === firsts.length)

const atom = String.raw`(?:\\[dws]|\\[^\w\s]|\[(?:\\.|[^\]\\[])+\]|[\w"'/:;,@#%&=<>~ -])`
const separated = new RegExp(String.raw`^(\\?[^\w\s\\])((?:${atom}(?:[*+?]|\{\d+(?:,\d*)?\})?)*)$`)

/** It begins with a mark that nothing else in it can be, as in `(?:\.\w+)+`, so that each turn begins in one place only. */
const isSeparated = (body: string): boolean => {
  const [, mark, rest] = separated.exec(body) ?? []
  if (mark === undefined || rest === undefined || /^[[(.^$|*+?]/.test(mark)) return false
  return Array.from(rest.matchAll(new RegExp(atom, "g"))).every(([one]) => !new RegExp(`^${one}$`).test(mark.slice(-1)))
}

interface Group {
  /** Brackets that close it. */
  closing: number
  /** Where in the source it begins, after the bracket. */
  readonly body: number
  /** Something in it can match more or less. */
  varies: boolean
  /** Where the alternative that is being read begins. */
  alternative: number
  /** What each alternative begins with. */
  readonly firsts: Array<string | undefined>
  /** Flags were set after the alternative had begun: they would reach over the next `|` as well. */
  flagged: boolean
}

const posix: Readonly<Record<string, string>> = {
  alnum: "A-Za-z0-9",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7f",
  blank: " \\t",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\s",
  upper: "A-Z",
  word: "\\w",
  xdigit: "A-Fa-f0-9"
}

const characterSet = (source: string, start: number) => {
  let i = start + 1
  let text = "["
  let unicode = false
  if (source.charAt(i) === "^") {
    text += "^"
    i++
  }
  if (source.charAt(i) === "]") {
    text += "\\]"
    i++
  }
  while (i < source.length) {
    const character = source.charAt(i)
    if (character === "]") return { text: `${text}]`, end: i + 1, unicode }
    const named = /^\[:(\^?)(\w+):\]/.exec(source.slice(i))
    const members = posix[named?.[2] ?? ""]
    if (named !== null && named[1] === "" && members !== undefined) {
      text += members
      i += named[0].length
    } else if (character === "\\") {
      const escape = escaped(source, i)
      if (escape === undefined) return undefined
      text += escape.text
      unicode ||= escape.unicode
      i = escape.end
    } else {
      text += character === "[" ? "\\[" : character
      i++
    }
  }
  return undefined
}

const escaped = (source: string, start: number) => {
  const rest = source.slice(start)
  const literal = /^\\Q([^]*?)(?:\\E|$)/.exec(rest)
  if (literal !== null) {
    return {
      text: (literal[1] ?? "").replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"),
      end: start + literal[0].length,
      unicode: false
    }
  }
  const code = /^\\x\{([\da-fA-F]+)\}/.exec(rest)
  if (code !== null) return { text: `\\u{${code[1]}}`, end: start + code[0].length, unicode: true }
  const property = /^\\([pP])(?:(\w)|\{(\w+)\})/.exec(rest)
  if (property !== null) {
    return { text: `\\${property[1]}{${property[2] ?? property[3]}}`, end: start + property[0].length, unicode: true }
  }
  const letter = rest.charAt(1)
  if (letter === "z") return { text: "(?![^])", end: start + 2, unicode: false }
  if (letter === "A") return { text: "(?<![^])", end: start + 2, unicode: false }
  if (letter === "a") return { text: "\\x07", end: start + 2, unicode: false }
  if (letter === "C" || letter === "") return undefined
  return { text: `\\${letter}`, end: start + 2, unicode: false }
}
