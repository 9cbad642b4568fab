/** Limits the nesting of JSON: recursion over deeply nested data overflows the stack. */

export const maxDepth = 200

/** Expects valid JSON; for any other text the result is arbitrary. */
export const isTooDeep = (json: string): boolean => {
  // Fast path: most texts have few brackets at all.
  if (count(json, "{") + count(json, "[") <= maxDepth) return false
  let depth = 0
  let isInText = false
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charAt(at)
    if (character === '"') isInText = !isInText
    else if (isInText) at += character === "\\" ? 1 : 0
    else if (character === "{" || character === "[") depth += 1
    else if (character === "}" || character === "]") depth -= 1
    if (depth > maxDepth) return true
  }
  return false
}

const count = (text: string, character: string): number => {
  let found = 0
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found += 1
  return found
}
