/** Finds session cookies, in files of browsers and clients and in code that sets cookies. */
import { randomness } from "../../scoring/Randomness.ts"
import { matchAt } from "../../text/MatchAt.ts"
import { unescape, unescapeXml } from "../../text/StringLiteral.ts"
import type { Rule } from "../Rule.ts"

/** A line of a cookie file in Netscape format, as curl writes it. */
export const cookieFiles: Rule = {
  id: "session-cookie",
  keywords: ["\ttrue\t", "\tfalse\t"],
  find: (source, start, end, report) => {
    const lineStart = source.lineStart(start)
    const match = start - lineStart > maxDomain ? null : matchAt(cookieLine, source.text, lineStart)
    const [line = "", name = "", value = ""] = match ?? []
    if (match === null) return end
    const next = lineStart + line.length
    if (isSession(name, value)) {
      report({ form: "header", value, kind: "generic-secret", name, start: next - value.length, end: next })
    }
    return next
  }
}

/** A notation of cookies as objects with the members `name` and `value`, in either order. */
interface CookieNotation {
  readonly keyword: string
  /** A sticky expression that matches after the keyword. The first group is the value. */
  readonly value: RegExp
  /** The beginning and the end of an object. */
  readonly open: string
  readonly close: string
  readonly name: RegExp
  readonly decode: (written: string) => string
}

const cookieNotations: ReadonlyArray<CookieNotation> = [
  // Storage state of Playwright, HAR 1.2, and exports of browsers.
  {
    keyword: '"value":',
    value: /\s*"((?:[^"\\\s]|\\.){16,4096})(?=")/y,
    open: "{",
    close: "}",
    name: /"name"\s*:\s*"([\w.-]{1,80})"/,
    decode: unescape
  },
  // JMeter's cookie manager.
  {
    keyword: '"cookie.value">',
    value: /([^<\s]{16,4096})(?=<)/y,
    open: "<elementProp",
    close: "</elementProp",
    name: /\bname="([\w.-]{1,80})"/,
    decode: unescapeXml
  }
]

export const cookieObjects: ReadonlyArray<Rule> = cookieNotations.map(
  ({ close, decode, keyword, name: namePattern, open, value: valuePattern }) => ({
    id: "session-cookie",
    keywords: [keyword],
    find: (source, start, end, report) => {
      const { text } = source
      const match = matchAt(valuePattern, text, end)
      if (match === null) return end
      const next = end + match[0].length
      // The name may precede or follow the value.
      const before = source.before(start, maxObject)
      const after = text.slice(next, next + maxObject)
      const ownBefore = before.slice(before.lastIndexOf(open) + 1)
      const name = (
        namePattern.exec(ownBefore) ?? namePattern.exec(after.slice(0, Math.max(0, after.indexOf(close))))
      )?.[1]
      const written = match[1] ?? ""
      const value = decode(written)
      if (name === undefined || !isSession(name, value)) return end
      report({ form: "header", value, kind: "generic-secret", name, start: next - written.length, end: next })
      return next
    }
  })
)

/** `cookies={"sessionid": "…"}` in a client, and calls that set a cookie: `set_cookie("sessionid", "…")`. */
export const cookieArguments: Rule = {
  id: "session-cookie",
  keywords: ["cookies", "cookie(", "cookie{", "jar.set("],
  find: (source, start, end, report) => {
    const { text } = source
    const inYaml = source.kind.format === "yaml" ? matchAt(cookieBlock, text, start) : null
    const match =
      inYaml ??
      matchAt(cookieMapping, text, start) ??
      matchAt(cookieCall, text, start) ??
      matchAt(cookieElement, text, start)
    if (match === null) return end
    for (const { 0: pair, 1: name = "", 2: value = "", index } of match[0].matchAll(
      inYaml === null ? cookiePair : cookieEntry
    )) {
      if (!isSession(name, value)) continue
      const at = start + index + pair.lastIndexOf(value)
      report({ form: "header", value, kind: "generic-secret", name, start: at, end: at + value.length })
    }
    return start + match[0].length
  }
}

const cookieLine =
  /(?:#HttpOnly_)?[\w.:-]{1,253}\t(?:TRUE|FALSE)\t\/[^\t\r\n]{0,200}\t(?:TRUE|FALSE)\t\d{1,20}\t([^\t\r\n]{1,128})\t([^\t\r\n]{16,4096})/iy
/** Maximum length of the domain at the beginning of a line. */
const maxDomain = 200
/** How far before and after its value the name of a cookie is searched, in characters. */
const maxObject = 600
const cookieMapping = /cookies["']?\s*[=:]\s*(?:dict\(|\{)[^{}()]{0,2000}/iy
const cookieCall =
  /(?:cookies?(?:\.set)?|jar\.set)[({]\s{0,40}(?:\w{1,40}\s{0,9},\s{0,40})?\[?\s{0,40}(?:&?[\w.]{0,60}\{)?[^{}()[\]]{0,400}/iy
/** `cookies["sessionid"] = "…"` */
const cookieElement = /cookies\[\s*["'][\w.-]{1,80}["']\s*\]\s*=\s*["'][^"'\n]{16,4096}["']/iy
/** `cookies:` and the following lines that are indented or begin a list item. */
const cookieBlock = /cookies["']?:[ \t]*(?:\r?\n(?:[ \t]+|(?=-))[^\r\n]{0,4200}){1,40}/iy
/** `sessionid: …`, or `name: sessionid` with `value: …` on a later line. */
const cookieEntry =
  /^[ \t]*(?:-[ \t]+)?(?:name:[ \t]*)?["']?([\w.-]{1,80})["']?(?::|[ \t]*\r?\n(?:[ \t]+(?!value:)\w{1,40}:[^\n]{0,300}\n){0,6}[ \t]+value:)[ \t]*["']?([\w%+/.~=-]{16,4096})["']?[ \t]*\r?$/gm
/** A name and a value, or the members `name` and `value` of an object. */
const cookiePair =
  /(?<![\w.-])(?:["']?name["']?\s{0,9}[:=]\s{0,9}["'])?([\w.-]{1,80})["']?\s{0,9}\]?\s{0,9}(?:=>|[:=,])\s{0,40}(?:["']?value["']?\s{0,9}[:=]\s{0,9})?["']([\w%+/.~-]{16,4096})["']/gi

/** Whether the cookie gives access to an account. */
export const isSession = (name: string, value: string): boolean =>
  ofSession.test(name) && !/^(?:eyJ[\w-]+\.eyJ|\d+$)/.test(value) && randomness(value) >= 0.5

/** Session cookies of frameworks, and of the largest sites; Google's end in SID. */
const ofSession =
  /sess(?:ion)?(?:[._-]?(?:id|key|token))?$|^(?:connect\.)?sid$|^(?:[hs]|s?ap)?sid$|^__secure-[13]p(?:ap)?sid(?:ts|cc)?$|^jsessionid|^li_at$|^estsauth(?:persistent)?$|remember(?:_me)?_token|^remember_(?:web|me|user)|auth(?:_?token)?$|(?:access|refresh|login)_?token$|^wordpress_(?:sec|logged_in)_[\da-f]+$|^\.aspnetcore\.(?:cookies|identity\.application)$|^_oauth2_proxy/i
