/** Regular expressions of Go (RE2) as regular expressions of JavaScript. */
import { Result } from "effect"

/**
 * The same expression, or a sentence that says why it cannot be used.
 *
 * RE2 takes linear time whatever the expression; JavaScript does not. A repetition without end inside another one is
 * therefore refused: a hostile repository could stop the scan with it.
 */
export const goRegExp = (source: string): Result.Result<RegExp, string> => {
  let out = ""
  let unicode = false
  let repeats = false
  /** For each open group: the brackets that close it, whether something in it repeats without end, where its alternative begins. */
  const groups: Array<Group> = [{ closing: 0, repeats: false, alternative: 0, flagged: false }]
  const innermost = (): Group =>
    groups[groups.length - 1] ?? { closing: 0, repeats: false, alternative: 0, flagged: false }
  const open = (text: string) => {
    out += text
    groups.push({ closing: 1, repeats: false, alternative: out.length, flagged: false })
  }

  for (let i = 0; i < source.length;) {
    const rest = source.slice(i)
    const flags = /^\(\?([imsU-]*)([:)])/.exec(rest)
    if (flags !== null && (flags[1] !== "" || flags[2] === ")")) {
      if ((flags[1] ?? "").includes("U")) return Result.fail("(?U) has no counterpart in JavaScript")
      const set = (flags[1] ?? "").replace(/-$/, "")
      const text = set === "" ? "(?:" : `(?${set}:`
      if (flags[2] === ":") open(text)
      else {
        innermost().closing++
        innermost().flagged ||= innermost().alternative < out.length
        out += text
        innermost().alternative = out.length
      }
      i += flags[0].length
      repeats = false
      continue
    }
    const named = /^\(\?P?<(\w+)>/.exec(rest)
    if (named !== null) {
      open(`(?<${named[1]}>`)
      i += named[0].length
      continue
    }
    const character = source.charAt(i)
    if (character === "(") {
      const text = rest.startsWith("(?:") ? "(?:" : "("
      open(text)
      i += text.length
    } else if (character === ")") {
      const group = groups.length > 1 ? groups.pop() : undefined
      if (group === undefined) return Result.fail("a bracket is closed that was never opened")
      out += ")".repeat(group.closing)
      if (group.repeats) innermost().repeats = true
      repeats = group.repeats
      i++
      continue
    } else if (character === "|") {
      if (innermost().flagged) return Result.fail("flags are set in the middle of an alternative")
      out += "|"
      innermost().alternative = out.length
      i++
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
      const times = /^(?:[*+?]|\{\d+(?:,\d*)?\})[?]?/.exec(rest)
      if (times === null) {
        out += character
        i++
      } else {
        const endless = /^[*+]|^\{\d+,\}/.test(times[0])
        if (endless && repeats) return Result.fail("a repetition without end stands inside another one")
        if (endless) innermost().repeats = true
        out += times[0]
        i += times[0].length
      }
    }
    repeats = false
  }
  if (groups.length !== 1) return Result.fail("a bracket is not closed")
  out += ")".repeat(innermost().closing)
  return Result.try({
    try: () => new RegExp(out, unicode ? "gu" : "g"),
    catch: () => "JavaScript does not take it"
  })
}

interface Group {
  closing: number
  repeats: boolean
  alternative: number
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
