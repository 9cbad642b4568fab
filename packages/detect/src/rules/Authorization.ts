/** Finds `Authorization` headers, and `user:password` pairs that become one. */
import { passwordOf } from "../text/Base64.ts"
import { isEncryptedToken } from "../scoring/Placeholder.ts"
import { randomness } from "../scoring/Randomness.ts"
import { isMatch, matchAt } from "../text/MatchAt.ts"
import { isSession } from "./programs/Cookies.ts"
import type { Rule } from "./Rule.ts"
import { secretName } from "./SecretName.ts"

export const authorizationHeaders: Rule = {
  id: "authorization-header",
  keywords: ["authorization", "basic ", "bearer "],
  find: (source, start, end, report) => {
    const { kind, text } = source
    const clear = requestFile.test(kind.name) ? matchAt(clearPair, text, start) : null
    if (clear !== null) {
      const [pair, value = ""] = clear
      const next = start + pair.trimEnd().length
      report({ form: "login", value, kind: "basic-auth", start: next - value.length, end: next })
      return next
    }
    const match = matchAt(credentials, text, start) ?? matchAt(standalone, text, start)
    if (match === null) {
      const value = matchAt(bare, text, start)?.[1]
      if (value === undefined || randomness(value) < 0.5) return end
      const at = text.indexOf(value, start)
      const password = passwordOf(value)
      if (password === undefined)
        report({ form: "header", value, kind: "generic-secret", start: at, end: at + value.length })
      else report({ form: "login", value: password, kind: "basic-auth", start: at, end: at + value.length })
      return at + value.length
    }
    const scheme = (match[1] ?? "").toLowerCase()
    const written = match[2] ?? ""
    const at = start + match[0].lastIndexOf(written)
    const next = at + written.length
    if (scheme === "basic") {
      const password = passwordOf(written)
      if (password !== undefined) report({ form: "login", value: password, kind: "basic-auth", start: at, end: next })
      return next
    }
    // An application id, which its web pages show.
    if (scheme === "client-id" || randomness(written) < 0.5 || /^\w+=[^=]/.test(written)) return end
    if (written.startsWith("eyJ") && !isEncryptedToken(written)) return end
    report({ form: "header", value: written, kind: "generic-secret", start: at, end: next })
    return next
  }
}

/**
 * In Swift and Objective-C, the name follows the value: `request.setValue("…", forHTTPHeaderField: "X-Api-Key")`,
 * `store.set("…", forKey: "password")`.
 */
export const namedHeaders: Rule = {
  id: "authorization-header",
  keywords: ["forhttpheaderfield", "forkey"],
  find: (source, start, end, report) => {
    const { text } = source
    const name = matchAt(headerName, text, end)?.[1] ?? ""
    const form = secretName(name)
    const value = headerValue.exec(source.lineBefore(start, 300))?.[1]
    if (form === "none" || value === undefined) return end
    const at = text.lastIndexOf(value, start)
    const kind = form === "password" ? "password" : "generic-secret"
    report({ form, value, kind, name, indirect: true, start: at, end: at + value.length })
    return end
  }
}

const headerName = /\s{0,40}:\s{0,40}@?"([\w-]{1,80})"/iy
const headerValue = /[(:]\s*@?"([^"\\\n]{6,200})"[\s,]*$/

/** `btoa("user:password")`: a pair that the code encodes for an `Authorization` header. */
export const encodedPairs: Rule = {
  id: "credential-call",
  keywords: ["btoa(", "b64encode(", "base64_encode(", "encode64(", "buffer.from(", "encodetostring("],
  find: (source, start, end, report) => {
    const match = matchAt(encodedPair, source.text, start)
    const value = match?.[2] ?? ""
    if (match === null) return end
    const at = start + match[0].length - 1 - value.length
    report({ form: "login", value, kind: "basic-auth", start: at, end: at + value.length })
    return at + value.length
  }
}

/** `Cookie: theme=dark; sessionid=…`: the cookie of an open session gives access to the account. */
export const sessionCookies: Rule = {
  id: "session-cookie",
  keywords: [
    "cookie:",
    'cookie":',
    "cookie':",
    'cookie",',
    "cookie =",
    "cookie=",
    "curlopt_cookie,",
    "--cookie ",
    "-b "
  ],
  find: (source, start, end, report) => {
    const { text } = source
    const list = matchAt(cookies, text, end)
    // Skips a run that is longer than any cookie, so that it is read only once however many keywords it contains.
    if (list === null && isMatch(longRun, text, end)) return end + maxCookie
    // Programs other than curl also have an option -b.
    const isOption = text.startsWith("-b", start)
    if (list === null || (isOption && !/\bcurl\b/.test(source.lineBefore(start, 400)))) return end
    for (const { 0: pair, 1: name = "", 2: value = "", index } of list[0].matchAll(cookie)) {
      if (!isSession(name, value)) continue
      const next = end + index + pair.length
      report({ form: "header", value, kind: "generic-secret", name, start: next - value.length, end: next })
    }
    return end + list[0].length
  }
}

/** The cookies after a header's name, or after the `value` member of a HAR file. */
const cookies =
  /(?:\s{0,40}"value"\s{0,9}:)?\s{0,40}["']?(?:[\w.-]{1,60}=[^;\s"']{0,4096}(?:;[ \t]*|(?=["'\s]|$))){1,50}/y
const maxCookie = 4096
const longRun = new RegExp(String.raw`[^;\s"']{${maxCookie}}`, "y")
const cookie = /([\w.-]{1,60})=([\w%+/.~-]{16,4096})/g

/** HTTP requests of an editor, which itself encodes the pair. */
const requestFile = /\.(?:http|rest)$/
/**
 * `Basic user password` and `Basic user:password`. The user is limited to 64 characters, because anything longer may be
 * an encoded pair.
 */
const clearPair = /(?:authorization[ \t]*:[ \t]*)?basic[ \t]+[\w.@-]{1,64}(?:[ \t]+|:)(?!\{\{)(\S{3,128})[ \t]*\r?$/imy
const credentials =
  /authorization["']?\]?\s{0,40}(?:[:=,]|=>|\()\s{0,40}(?:(?:[bruf]?["'`]|\\")\s{0,40})?([a-z][\w-]{1,24})\s{1,40}(?:token=\\?["']?)?([\w+/=.~-]{8,8192})(?![\w+/=.~-])/iy
/** Also matches a token that the code appends: `"Bearer " + "…"`. */
const standalone = /(basic|bearer)\s{1,40}(?:["']\s{0,40}[+.]\s{0,40}["'])?([\w+/=.~-]{16,8192})(?=["'`\s\\,;)<]|$)/iy

const bare = /authorization["']?\s{0,40}:\s{0,40}["']?([\w+/=.~-]{20,8192})(?=["'`\s\\,;)]|$)/iy

const encodedPair =
  /(?:btoa|b64encode|base64_encode|encode64|Buffer\.from|encodeToString)\(\s*[bru]?(["'`])[^\s:"'`]{1,64}:([^\s:"'`$%{](?:[^:"'`$%{\n]{2,126})[^\s:"'`$%{])\1/iy
