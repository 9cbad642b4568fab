/** The private part of a JSON Web Key. */
import { randomness } from "../scoring/Randomness.ts"
import type { Rule } from "./Rule.ts"
import { matchAt } from "../text/MatchAt.ts"

export const jsonWebKeys: Rule = {
  id: "json-web-key",
  keywords: ['"kty'],
  find: (source, start, end, report) => {
    const { text } = source
    const type = matchAt(keyType, text, start)
    if (type === null) return end
    const from = Math.max(0, start - longestJwk)
    const open = text.slice(from, start).lastIndexOf("{")
    const close = text.slice(start, start + longestJwk).indexOf("}")
    if (open < 0 || close < 0) return end
    const member = (type[1] === "oct" ? symmetricMember : privateMember).exec(text.slice(from + open, start + close))
    const value = member?.[1] ?? ""
    if (member === null || randomness(value) < 0.5) return end
    const at = from + open + member.index + member[0].lastIndexOf(value)
    report({ form: "private-key", value, kind: "private-key", start: at, end: at + value.length })
    return end
  }
}

const keyType = /"kty\\?"\s*:\s*\\?"(RSA|EC|OKP|oct)\\?"/y
const privateMember = /(?<![\w])d\\?"\s*:\s*\\?"([\w-]{16,2048})/
const symmetricMember = /(?<![\w])k\\?"\s*:\s*\\?"([\w-]{16,2048})/
/** Characters before and after its type in which the rest of a key is looked for. */
const longestJwk = 4096
