/** Finds the private member of a JSON Web Key, in JSON, in source code or in PHP's serialization. */
import { isTemplate } from "../scoring/Placeholder.ts"
import { randomness } from "../scoring/Randomness.ts"
import { decodeBase64 } from "../text/Base64.ts"
import { matchAt } from "../text/MatchAt.ts"
import type { Rule } from "./Rule.ts"

export const jsonWebKeys: Rule = {
  id: "json-web-key",
  keywords: ["kty"],
  find: (source, start, end, report) => {
    const { text } = source
    const type = matchAt(keyType, text, start)
    if (type === null) return end
    const from = openBefore(text, start)
    const to = closeAfter(text, start)
    // Unbalanced brackets: skip ahead, so that they are not counted again at each keyword.
    if (from === undefined || to === undefined) return end + maxJwk / 4
    const member = (type[1] === "oct" ? symmetricMember : privateMember).exec(text.slice(from, to))
    const value = member?.[1] ?? ""
    // Skips an invented key, such as base64 of `0123456789ABCDEF`.
    if (member === null || randomness(value) < 0.5 || isTemplate(decodeBase64(value) ?? "-")) return to
    const at = from + member.index + member[0].length - value.length
    report({ form: "private-key", value, kind: "private-key", start: at, end: at + value.length })
    return to
  }
}

/** The text between a member's name and its value: a colon, an arrow or PHP's string length, and the opening quote. */
const sign = String.raw`\\{0,3}["']?(?:\s{0,40}(?::|=>)\s{0,40}|;s:\d+:)\\{0,3}["']`
const keyType = new RegExp(String.raw`kty${sign}(RSA|EC|OKP|oct)\\{0,3}["']`, "y")
const memberOf = (name: string) => new RegExp(String.raw`(?<![\w-])${name}${sign}([\w-]{16,2048})`)
const privateMember = memberOf("d")
const symmetricMember = memberOf("k")

/** How far before and after the type the brackets of a key are searched, in characters. */
const maxJwk = 4096

/** Offset of the innermost bracket that is open at an offset. */
const openBefore = (text: string, at: number): number | undefined => {
  let closed = 0
  for (let i = at - 1; i >= Math.max(0, at - maxJwk); i--) {
    const character = text.charAt(i)
    if (closing.includes(character)) closed++
    else if (opening.includes(character) && closed-- === 0) return i
  }
  return undefined
}

/** Offset of the bracket that closes the innermost one open at `at`. */
const closeAfter = (text: string, at: number): number | undefined => {
  let opened = 0
  for (let i = at; i < Math.min(text.length, at + maxJwk); i++) {
    const character = text.charAt(i)
    if (opening.includes(character)) opened++
    else if (closing.includes(character) && opened-- === 0) return i
  }
  return undefined
}

const opening = "{[("
const closing = "}])"
