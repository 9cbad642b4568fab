/** Generates random texts that match a Go (RE2) expression, from its syntax. */
import { type Random, seededRandom } from "../../testing/ValueGenerators.ts"

export const matchesOf = (expression: string, count: number): ReadonlyArray<string> => {
  const draw = alternatives({ at: 0, text: expression, random: seededRandom(expression.length) })
  return Array.from({ length: count }, draw)
}

interface Reader {
  at: number
  readonly text: string
  readonly random: Random
}
type Draw = () => string

const alternatives = (reader: Reader): Draw => {
  const options = [sequence(reader)]
  while (reader.text.charAt(reader.at) === "|") {
    reader.at++
    options.push(sequence(reader))
  }
  return () => reader.random.pick(options)()
}

const sequence = (reader: Reader): Draw => {
  const parts: Array<Draw> = []
  while (reader.at < reader.text.length && !"|)".includes(reader.text.charAt(reader.at))) {
    const draw = atom(reader)
    const [all = "", least = "", comma, most = ""] =
      /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(reader.text.slice(reader.at)) ?? []
    reader.at += all.length
    const from = all === "" || all.startsWith("+") ? 1 : Number(least)
    const to =
      all === "" || all.startsWith("?")
        ? 1
        : least !== "" && comma === ""
          ? from
          : most === ""
            ? from + 3
            : Number(most)
    parts.push(() => Array.from({ length: reader.random.between(from, Math.min(to, from + 12)) }, draw).join(""))
  }
  return () => parts.map((draw) => draw()).join("")
}

const atom = (reader: Reader): Draw => {
  const rest = reader.text.slice(reader.at)
  const oneOf = (set: ReadonlyArray<string>, length: number): Draw => {
    reader.at += length
    return set.length === 0 ? () => "" : () => reader.random.pick(set)
  }
  if (rest.startsWith("(")) {
    const [open = "", flags] = /^\((?:\?(?:P?<\w+>|[imsU-]*([:)])))?/.exec(rest) ?? []
    reader.at += open.length
    if (flags === ")") return () => ""
    const group = alternatives(reader)
    reader.at++
    return group
  }
  if (rest.startsWith("[")) {
    const { length, set } = setOf(rest)
    return oneOf(set, length)
  }
  if (rest.startsWith("\\")) {
    const [members, next] = memberAt(rest, 0)
    return oneOf(/^\\[bBAz]/.test(rest) ? [] : members, next)
  }
  return oneOf(/^[$^]/.test(rest) ? [] : rest.startsWith(".") ? word : [rest.charAt(0)], 1)
}

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
const matching = (pattern: RegExp) => printable.filter((character) => pattern.test(character))
const word = matching(/\w/)
const classes: Readonly<Record<string, ReadonlyArray<string>>> = {
  d: matching(/\d/),
  w: word,
  s: [" "],
  D: matching(/[A-Za-z]/),
  W: [..." -:;"],
  S: word,
  n: ["\n"],
  r: ["\r"],
  t: ["\t"],
  alnum: matching(/[A-Za-z\d]/),
  alpha: matching(/[A-Za-z]/),
  digit: matching(/\d/),
  word
}

/** Parses a character class with its brackets. */
const setOf = (text: string): { readonly length: number; readonly set: ReadonlyArray<string> } => {
  const isNegated = text.startsWith("[^")
  const start = isNegated ? 2 : 1
  const set = new Set<string>()
  let at = start
  while (at === start || text.charAt(at) !== "]") {
    const [members, next] = memberAt(text, at)
    const isRange = members.length === 1 && text.charAt(next) === "-" && text.charAt(next + 1) !== "]"
    const [last, after] = isRange ? memberAt(text, next + 1) : [members, next]
    at = after
    for (const member of members) set.add(member)
    const end = isRange ? (last[0]?.charCodeAt(0) ?? 0) : -1
    for (let code = members[0]?.charCodeAt(0) ?? 0; code <= end; code++) set.add(String.fromCharCode(code))
  }
  return { length: at + 1, set: isNegated ? word.filter((character) => !set.has(character)) : [...set] }
}

const memberAt = (text: string, at: number): readonly [members: ReadonlyArray<string>, next: number] => {
  const rest = text.slice(at)
  const named = /^\[:(\w+):\]/.exec(rest)
  if (named !== null) return [classes[named[1] ?? ""] ?? [], at + named[0].length]
  const code = /^\\x(?:\{([\da-fA-F]+)\}|([\da-fA-F]{2}))/.exec(rest)
  if (code !== null) return [[String.fromCodePoint(Number.parseInt(code[1] ?? code[2] ?? "", 16))], at + code[0].length]
  const escaped = rest.charAt(1)
  return rest.startsWith("\\") ? [classes[escaped] ?? [escaped], at + 2] : [[rest.charAt(0)], at + 1]
}
