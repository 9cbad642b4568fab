/** Finds passwords in statements and lists that create users. */
import type { Rule } from "./Rule.ts"
import { withoutEscapes } from "./DatabaseDump.ts"
import { decodeBase64 } from "../text/Base64.ts"
import { matchAt } from "../text/MatchAt.ts"

/** `CREATE USER … IDENTIFIED BY 'password'`. */
export const databaseUsers: Rule = {
  id: "sql-user",
  keywords: ["identified by", "identified with", "set password"],
  find: (source, start, end, report) => {
    const match = matchAt(identifiedByPattern, source.text, start) ?? matchAt(passwordSet, source.text, start)
    const value = match?.[1] ?? match?.[2] ?? match?.[3] ?? ""
    const statement = source.lineBefore(end, 200)
    if (match === null || !/\b(?:user|role|grant|alter|set|connect)\b/i.test(statement)) return end
    const at = start + match[0].lastIndexOf(value)
    report({ form: "login", value: withoutEscapes(value), start: at, end: at + value.length })
    return at + value.length
  }
}

/** Accounts whose password cloud-init sets, and answers for the Debian installer. */
export const systemUsers: Rule = {
  id: "system-user",
  keywords: ["chpasswd:", "d-i passwd/", "d-i netcfg/wireless_w"],
  find: (source, start, end, report) => {
    const match = matchAt(accountList, source.text, start) ?? matchAt(installerAnswer, source.text, start)
    if (match === null) return end
    for (const { 0: ending, 1: value = "", index } of match[0].matchAll(passwordAtEnd)) {
      const at = start + index + ending.lastIndexOf(value)
      report({ form: "login", value, start: at, end: at + value.length })
    }
    return start + match[0].length
  }
}

/** `userPassword:: …`: a base64 value in LDIF (RFC 2849). */
export const directoryEntries: Rule = {
  id: "directory-entry",
  keywords: ["password:: "],
  find: (source, _start, end, report) => {
    const written = matchAt(attributeValue, source.text, end)?.[0]
    const value = written === undefined ? undefined : decodeBase64(written)
    // A scheme in braces precedes a hash.
    if (written === undefined || value === undefined || value.startsWith("{")) return end
    const next = end + written.length
    report({ form: "login", value, start: end, end: next })
    return next
  }
}

/**
 * `use Rack::Auth::Basic do |user, password| password == "…"`: the literal compared with the block's second argument.
 */
export const basicLogins: Rule = {
  id: "credential-call",
  keywords: ["auth::basic", "with_http_basic"],
  find: (source, _start, end, report) => {
    const match = source.kind.madeUp ? null : matchAt(comparedInBlock, source.text, end)
    const value = match?.[3] ?? ""
    if (match === null) return end
    const next = end + match[0].length - 1
    report({ form: "login", value, start: next - value.length, end: next })
    return next
  }
}

/** `users = { alice = "…" }`: a map of users, whose values look like chosen passwords. */
export const userMaps: Rule = {
  id: "assignment",
  keywords: ["users", "logins", "accounts"],
  find: (source, _start, end, report) => {
    const open = source.kind.prose ? null : matchAt(mapOpening, source.text, end)
    if (open === null) return end
    let next = end + open[0].length
    for (let entry = matchAt(userEntry, source.text, next); entry !== null;) {
      const { 0: written, 1: quote = "", 2: value = "" } = entry
      const valueEnd = next + written.lastIndexOf(quote)
      if (chosenPassword.test(value)) {
        report({
          form: "password",
          value,
          listed: true,
          start: valueEnd - value.length,
          end: valueEnd
        })
      }
      next += written.length
      entry = matchAt(userEntry, source.text, next)
    }
    return next
  }
}

const comparedInBlock =
  /[^|\n]{0,80}\|\s{0,20}\w{1,40},\s{0,20}(\w{1,40})\s{0,20}\|[^]{0,300}?\b\1(?:\s*==\s*|,\s*)(["'])([^"'\n]{3,128})\2/y
const mapOpening = /["']?\s*(?::|=>?)\s*\{/y
const userEntry = /[\s,]*["']?[\w.@-]{1,64}["']?\s*(?::|=>?)\s*(["'])([^"'\n]{3,128})\1[ \t]*(?=[,}\n])/y
/** A password as people choose it: with a digit and a special character, but not part of an address or an id. */
const chosenPassword = /^(?=.*\d)(?:(?=.*[^\w.:/-])|(?=.*[A-Z])(?=.*[a-z])(?=.*[_.-]))[^\s:/]{8,64}$/
const attributeValue = /[\w+/]{8,172}={0,2}(?=[ \t]*(?:\r?\n|$))/y
const identifiedByPattern =
  /identified\s{1,40}(?:with\s{1,40}\S{1,80}\s{1,40})?by\s{1,40}(?:password\s{1,40})?(?:'((?:[^'\\\n]|''|\\.){3,128})'|"([^"\n]{3,128})"|((?=[^\s"';\\,()]{0,128}\d)(?=[^\s"';\\,()]{0,128}[A-Z])[^\s"';\\,()]{8,128}))/iy
const passwordSet =
  /set\s{1,40}password\s{1,40}(?:for\s{1,40}\S{1,100}\s{0,40})?=\s{0,40}(?:password\()?'((?:[^'\\\n]|''|\\.){3,128})'/iy

const accountList =
  /chpasswd:[ \t]*\r?\n(?:[ \t]+expire:.*\n)?[ \t]+list:[ \t]*(?:\|[ \t]*)?\r?\n(?:[ \t]+(?:-[ \t]*)?[\w.-]{1,32}:\S{3,128}[ \t]*(?:\r?\n|$)){1,200}/y
const installerAnswer =
  /d-i (?:passwd\/[a-z]+-password(?:-again)? password|netcfg\/wireless_w(?:pa|ep) string) \S{3,128}[ \t]*(?:\r?\n|$)/y
/** The password after a user name, or after the question's type. */
const passwordAtEnd = /(?:\w:|password |string )(\S{3,128})[ \t]*(?:\r?\n|$)/g
