/**
 * The literal beginnings of a pattern, in lower case, such as `ghp_` and `gho_` of `gh[po]_\w+`: a rule that matches
 * there needs no other keywords.
 */
export const keywordsOf = ({ source }: RegExp): ReadonlyArray<string> => [
  ...new Set(alternativesOf(source).flatMap(beginningsOf))
]

const beginningsOf = (source: string): ReadonlyArray<string> => {
  const literal = literalBeginning.exec(source)?.[0] ?? ""
  const rest = source.slice(literal.length)
  const [set = "", characters = ""] = smallSet.exec(rest) ?? []
  if (set !== "") return [...characters].flatMap((one) => beginningsOf(literal + one + rest.slice(set.length)))
  const end = rest.startsWith("(?:") ? endOfGroup(rest) : -1
  if (end < 0 || quantifier.test(rest.slice(end))) return [literal.replaceAll("\\", "").toLowerCase()]
  return alternativesOf(rest.slice(3, end - 1)).flatMap((one) => beginningsOf(literal + one + rest.slice(end)))
}

/** A character with a quantifier is not part of the beginning. */
const literalBeginning = /^(?:(?:[\w :=~<>"-]|\\[./$+{}[\]])(?![?*+{]))*/
const smallSet = /^\[(\w{1,8}| )\](?![?*+{])/
const quantifier = /^[?*+{]/

/** Offset after the group that a pattern begins with. */
const endOfGroup = (source: string): number => {
  let depth = 0
  for (const { 0: mark, index } of source.matchAll(marks)) {
    if (mark === "(") depth++
    else if (mark === ")" && --depth === 0) return index + 1
  }
  return -1
}

/** The alternatives of a pattern that are not in a group. */
const alternativesOf = (source: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let depth = 0
  let from = 0
  for (const { 0: mark, index } of source.matchAll(marks)) {
    if (mark === "(") depth++
    else if (mark === ")") depth--
    else if (mark === "|" && depth === 0) {
      found.push(source.slice(from, index))
      from = index + 1
    }
  }
  return [...found, source.slice(from)]
}

/** Parentheses and bars; escapes and sets, which may contain them, are matched as a whole. */
const marks = /\\.|\[(?:[^\]\\]|\\.)*\]|[()|]/g
