/** How deep JSON may go. What walks through it takes a call for each level, and a thread has calls for some thousands. */

/** Objects and lists within one another. */
export const deepest = 200

/** Of text that is JSON; of any other it may say either. */
export const isTooDeep = (json: string): boolean => {
  // Most have few openings in all, and those are found much faster.
  if (count(json, "{") + count(json, "[") <= deepest) return false
  let depth = 0
  let isInText = false
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charAt(at)
    if (character === '"') isInText = !isInText
    else if (isInText) at += character === "\\" ? 1 : 0
    else if (character === "{" || character === "[") depth += 1
    else if (character === "}" || character === "]") depth -= 1
    if (depth > deepest) return true
  }
  return false
}

const count = (text: string, character: string): number => {
  let found = 0
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found += 1
  return found
}
