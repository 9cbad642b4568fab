/** Regular expressions of Go (RE2) as regular expressions of JavaScript. */
import { Result } from "effect"

/**
 * The same expression, or a sentence that says why it cannot be used.
 *
 * RE2 takes linear time whatever the expression; JavaScript does not, where what is repeated can match the same text in
 * several ways. A hostile repository could stop the scan with that, so it is refused.
 *
 * Flags are written out, as `[aA]` for `(?i)a`: groups with flags are younger than the oldest Node that this runs on.
 */
export const goRegExp = (source: string): Result.Result<RegExp, string> => {
  let out = ""
  let unicode = false
  /** The next character follows a group that can match the same text in several ways. */
  let varies = false
  const group = (flags: string, body: number): Group => ({
    flags,
    body,
    varies: false,
    firsts: [firstOf(source, body)]
  })
  const whole = group("", 0)
  const groups: Array<Group> = [whole]
  const innermost = (): Group => groups[groups.length - 1] ?? whole
  const open = (text: string, body: number, flags = innermost().flags) => {
    out += text
    groups.push(group(flags, body))
  }
  const has = (flag: string) => innermost().flags.includes(flag)

  for (let i = 0; i < source.length;) {
    const rest = source.slice(i)
    const flags = /^\(\?([imsU-]*)([:)])/.exec(rest)
    if (flags !== null && (flags[1] !== "" || flags[2] === ")")) {
      if ((flags[1] ?? "").includes("U")) return Result.fail("(?U) has no counterpart in JavaScript")
      const [set = "", unset = ""] = (flags[1] ?? "").split("-")
      const kept = Array.from(innermost().flags + set).filter((flag) => !unset.includes(flag))
      if (flags[2] === ":") open("(?:", i + flags[0].length, kept.join(""))
      // To the end of the group, over each `|` that follows.
      else innermost().flags = kept.join("")
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
      if (closed === undefined) return Result.fail("a closing bracket has no opening one")
      out += ")"
      const ambiguous = closed.varies || !areDistinct(closed.firsts)
      if (ambiguous) innermost().varies = true
      varies = ambiguous && !isSeparated(source.slice(closed.body, i))
      i++
      continue
    } else if (character === "|") {
      out += "|"
      innermost().firsts.push(firstOf(source, ++i))
    } else if (character === "[") {
      const set = characterSet(source, i)
      if (set === undefined) return Result.fail("a set of characters is not closed")
      out += has("i") ? withBothCases(set.text) : set.text
      unicode ||= set.unicode
      i = set.end
    } else if (character === "\\") {
      const escape = escaped(source, i)
      if (escape === undefined) return Result.fail(`${source.slice(i, i + 2)} has no counterpart in JavaScript`)
      out += has("i") && escape.literal ? bothCases(escape.text) : escape.text
      unicode ||= escape.unicode
      i = escape.end
    } else {
      const times = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})[?]?/.exec(rest)
      if (times === null) {
        if (character === ".") out += has("s") ? "[^]" : "[^\\n]"
        else if (character === "^" && has("m")) out += "(?<![^\\n])"
        else if (character === "$" && has("m")) out += "(?![^\\n])"
        else out += has("i") ? bothCases(character) : character
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
  return Result.try({
    try: () => new RegExp(out, unicode ? "gu" : "g"),
    catch: () => "JavaScript does not accept it"
  })
}

/** Repeated so often that backtracking takes too long. */
const manyTimes = 4

/** The character that an alternative begins with, undefined where that may be one of several. */
const firstOf = (source: string, at: number): string | undefined =>
  /^(?:\\[^\w\s]|[\w"'/:;,@#%&=<>~ -])(?![*?{])/.exec(source.slice(at, at + 3))?.[0].toLowerCase()

const areDistinct = (firsts: ReadonlyArray<string | undefined>): boolean =>
  firsts.length === 1 || (!firsts.includes(undefined) && new Set(firsts).size === firsts.length)

const atom = String.raw`(?:\\[dws]|\\[^\w\s]|\[(?:\\.|[^\]\\[])+\]|[\w"'/:;,@#%&=<>~ -])`
const separated = new RegExp(String.raw`^(\\?[^\w\s\\])((?:${atom}(?:[*+?]|\{\d+(?:,\d*)?\})?)*)$`)

/**
 * It begins with a character that cannot occur elsewhere in it, as in `(?:\.\w+)+`, so each iteration can start at one
 * position only.
 */
const isSeparated = (body: string): boolean => {
  const [, mark, rest] = separated.exec(body) ?? []
  if (mark === undefined || rest === undefined || /^[[(.^$|*+?]/.test(mark)) return false
  return Array.from(rest.matchAll(new RegExp(atom, "g"))).every(([one]) => !new RegExp(`^${one}$`).test(mark.slice(-1)))
}

interface Group {
  /** Of `i`, `m` and `s` those that are set. */
  flags: string
  /** Where in the source it begins, after the bracket. */
  readonly body: number
  /** A part of it has variable length. */
  varies: boolean
  /** The literal prefix of each alternative. */
  readonly firsts: Array<string | undefined>
}

/** Each letter of a text as a set of its two cases. */
const bothCases = (text: string): string =>
  text.replace(/\p{L}/gu, (letter) => {
    const other = otherCase(letter)
    return other === letter ? letter : `[${letter}${other}]`
  })

/** A set of characters with the other case of each letter in it. */
const withBothCases = (set: string): string => {
  const others = new Set<string>()
  for (const [, from, to, letter] of set.matchAll(
    /\\(?:u\{[\da-f]+\}|[pP]\{\w+\}|x[\da-f]{2}|[^])|(\p{L})-(\p{L})|(\p{L})/giu
  )) {
    if (letter !== undefined) others.add(otherCase(letter))
    const last = to?.codePointAt(0) ?? -1
    for (let code = from?.codePointAt(0) ?? 0; code <= last; code++) others.add(otherCase(String.fromCodePoint(code)))
  }
  return `${set.slice(0, -1)}${[...others].filter((other) => /^\p{L}$/u.test(other)).join("")}]`
}

/** The letter itself if it has one case only, else a character class of its cases. */
const otherCase = (letter: string): string => {
  const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
  return other.length === letter.length ? other : letter
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
      unicode: false,
      literal: true
    }
  }
  const code = /^\\x\{([\da-fA-F]+)\}/.exec(rest)
  if (code !== null) return { text: `\\u{${code[1]}}`, end: start + code[0].length, unicode: true, literal: false }
  const property = /^\\([pP])(?:(\w)|\{(\w+)\})/.exec(rest)
  if (property !== null) {
    return {
      text: `\\${property[1]}{${property[2] ?? property[3]}}`,
      end: start + property[0].length,
      unicode: true,
      literal: false
    }
  }
  const letter = rest.charAt(1)
  if (letter === "z") return { text: "(?![^])", end: start + 2, unicode: false, literal: false }
  if (letter === "A") return { text: "(?<![^])", end: start + 2, unicode: false, literal: false }
  if (letter === "a") return { text: "\\x07", end: start + 2, unicode: false, literal: false }
  if (letter === "C" || letter === "") return undefined
  return { text: `\\${letter}`, end: start + 2, unicode: false, literal: false }
}
