/** `Authorization` headers, and the pairs that become one. */
import { passwordOf } from "../text/Base64.ts"
import { lowered, passwordConfidence } from "../scoring/Confidence.ts"
import { isOrdinary, isPlaceholder, isReference } from "../scoring/Placeholder.ts"
import { randomness } from "../scoring/Randomness.ts"
import type { Rule } from "./Rule.ts"
import { matchAt } from "../text/MatchAt.ts"

export const authorizationHeaders: Rule = {
  id: "authorization-header",
  keywords: ["authorization", "basic ", "bearer "],
  find: (source, start, end, report) => {
    const { text } = source
    const match = matchAt(credentials, text, start) ?? matchAt(standalone, text, start)
    if (match === null) {
      const value = matchAt(bare, text, start)?.[1]
      if (value === undefined || isPlaceholder(value) || isReference(value) || randomness(value) < 0.5) return end
      const at = text.indexOf(value, start)
      report({
        value,
        kind: "generic-secret",
        confidence: lowered(source, 0.65),
        start: at,
        end: at + value.length
      })
      return at + value.length
    }
    const scheme = (match[1] ?? "").toLowerCase()
    const written = match[2] ?? ""
    const at = start + match[0].lastIndexOf(written)
    const next = at + written.length
    if (scheme === "basic") {
      const password = passwordOf(written)
      if (password !== undefined && !isPlaceholder(password) && !isReference(password)) {
        report({
          value: password,
          kind: "basic-auth",
          confidence: lowered(source, passwordConfidence(password, 0.7)),
          start: at,
          end: next
        })
      }
      return next
    }
    if (
      !isPlaceholder(written) &&
      !isReference(written) &&
      randomness(written) >= 0.5 &&
      !/^eyJ|^\w+=[^=]/.test(written)
    ) {
      report({
        value: written,
        kind: "generic-secret",
        confidence: lowered(source, 0.75),
        start: at,
        end: next
      })
      return next
    }
    return end
  }
}

/** `btoa("user:password")`: the value of an `Authorization` header in the making. */
export const encodedPairs: Rule = {
  id: "credential-call",
  keywords: ["btoa(", "b64encode(", "base64_encode(", "encode64(", "buffer.from(", "encodetostring("],
  find: (source, start, end, report) => {
    const match = matchAt(encodedPair, source.text, start)
    const value = match?.[2] ?? ""
    if (match === null || isReference(value) || isPlaceholder(value) || isOrdinary(value)) return end
    const at = start + match[0].length - 1 - value.length
    const confidence = lowered(source, passwordConfidence(value, 0.65))
    report({ value, kind: "basic-auth", confidence, start: at, end: at + value.length })
    return at + value.length
  }
}

const credentials =
  /authorization["']?\]?\s*(?:[:=,]|=>|\()\s*(?:[bru]?["'`]|\\")?\s*([a-z][\w-]{1,24})\s+(?:token=\\?["']?)?([\w+/=.~-]{8,4096})/iy
const standalone = /(basic|bearer)\s+([\w+/=.~-]{16,4096})(?=["'`\s\\,;)]|$)/iy

const bare = /authorization["']?\s*:\s*["']?([\w+/=.~-]{20,512})(?=["'`\s\\,;)]|$)/iy

const encodedPair =
  /(?:btoa|b64encode|base64_encode|encode64|Buffer\.from|encodeToString)\(\s*[bru]?(["'`])[^\s:"'`]{1,64}:([^\s:"'`$%{]{4,128})\1/iy
