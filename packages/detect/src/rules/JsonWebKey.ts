/** The private part of a JSON Web Key, in JSON, in the notation of a programming language, or as PHP serialises it. */
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
    // Brackets that do not match: the rest of them is not counted again for each type in it.
    if (from === undefined || to === undefined) return end + maxJwk / 4
    const member = (type[1] === "oct" ? symmetricMember : privateMember).exec(text.slice(from, to))
    const value = member?.[1] ?? ""
    // A key that was typed, `0123456789ABCDEF`, in base64 as every other one.
    if (member === null || randomness(value) < 0.5 || isTemplate(decodeBase64(value) ?? "-")) return to
    const at = from + member.index + member[0].length - value.length
    report({ form: "private-key", value, kind: "private-key", start: at, end: at + value.length })
    return to
  }
}

/** Behind the name of a member: a colon, an arrow, or the length of a serialised string, and the quote of the value. */
const sign = String.raw`\\{0,3}["']?(?:\s{0,40}(?::|=>)\s{0,40}|;s:\d+:)\\{0,3}["']`
const keyType = new RegExp(String.raw`kty${sign}(RSA|EC|OKP|oct)\\{0,3}["']`, "y")
const memberOf = (name: string) => new RegExp(String.raw`(?<![\w-])${name}${sign}([\w-]{16,2048})`)
const privateMember = memberOf("d")
const symmetricMember = memberOf("k")

/** Characters before and after its type in which the rest of a key is looked for. */
const maxJwk = 4096

/** Offset of the bracket that is open at an offset. */
const openBefore = (text: string, at: number): number | undefined => {
  let closed = 0
  for (let i = at - 1; i >= Math.max(0, at - maxJwk); i--) {
    const character = text.charAt(i)
    if (closing.includes(character)) closed++
    else if (opening.includes(character) && closed-- === 0) return i
  }
  return undefined
}

/** Offset of the bracket that closes it. */
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
