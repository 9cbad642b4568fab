/** Finds JSON Web Tokens, also base64-encoded ones. */
import { decodeBase64 } from "../text/Base64.ts"
import { isEncrypted } from "../scoring/Placeholder.ts"
import type { Rule } from "./Rule.ts"
import { matchAt } from "../text/MatchAt.ts"

export const jwts: Rule = {
  id: "jwt",
  keywords: ["eyj", "eyi"],
  find: (source, start, end, report) => {
    const { text } = source
    if (start > 0 && insideOfToken.test(text.charAt(start - 1))) return end
    const match = matchAt(jwtPattern, text, start)
    if (match === null) return end
    const header = decodeBase64(match[0].slice(0, match[0].indexOf(".")))
    // A NATS JWT is public: its user also has to prove possession of the seed.
    if (header === undefined || !/"alg"|"typ"/.test(header) || header.includes("ed25519-nkey")) return end
    const payload = decodeBase64(match[0].split(".")[1] ?? "") ?? ""
    // Skips the example token of JWT tutorials.
    const next = start + match[0].length
    if (/"John Doe"|"1234567890"|supabase-demo/.test(payload) || isEncrypted(match[0])) return next
    report({ form: "jwt", value: match[0], kind: "jwt", start, end: next })
    return next
  }
}

/**
 * A base64-encoded token, as Kubernetes and some clouds store it. Unlike any other text in base64, it counts whatever
 * its header says.
 */
export const encodedJwts: Rule = {
  id: "jwt",
  keywords: ["zxlk"],
  find: (source, start, end, report) => {
    const { text } = source
    if (start > 0 && /[\w+/-]/.test(text.charAt(start - 1))) return end
    const written = matchAt(/ZXlK[\w+/-]{60,8192}={0,2}/y, text, start)?.[0]
    const value = written === undefined ? undefined : decodeBase64(written)
    if (written === undefined || value === undefined || !/^ey[\w-]+\.ey[\w-]+\.[\w-]*$/.test(value)) return end
    report({ form: "jwt", value, kind: "jwt", start, end: start + written.length })
    return start + written.length
  }
}

/** Matches start only at the beginning of a run of these characters: trying every offset takes quadratic time. */
const insideOfToken = /[\w.-]/

const jwtPattern = /ey[JI][\w-]{15,}\.ey[JI][\w-]{10,}\.([\w-]{20,})(?![\w-])/y
