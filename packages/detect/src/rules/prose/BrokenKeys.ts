/** Finds incomplete private keys: up to the end marker or, without one, up to the maximum length of a key. */
import { matchAt } from "../../text/MatchAt.ts"
import type { Rule } from "../Rule.ts"

export const brokenKeys: Rule = {
  id: "private-key",
  keywords: ["-----begin "],
  find: ({ text }, start, end, report) => {
    const header = matchAt(keyHeader, text, start)
    if (header === null) return end
    const from = start + header[0].length
    const rest = text.slice(from, from + maxKey)
    const marker = rest.search(/-----(?:END|BEGIN)/)
    const value = marker < 0 ? rest : rest.slice(0, marker)
    const to = from + value.length
    if (value.trim() !== "")
      report({ value, kind: "private-key", rule: "private-key", confidence: 1, start: from, end: to })
    return to
  }
}

const keyHeader = /-----BEGIN [A-Z\d ]{0,30}PRIVATE KEY(?: BLOCK)?-----/y
const maxKey = 32_768
