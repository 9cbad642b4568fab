/** Passwords, tokens and keys that are assigned to a name. */
import { type Assignment, assignmentAt } from "./assignment/Assignment.ts"
import { minConfidence } from "../Candidate.ts"
import { isDigest, isUuid } from "../scoring/Placeholder.ts"
import { passwordOf } from "../text/Base64.ts"
import { isWide } from "../text/Bytes.ts"
import type { FileKind } from "../text/FileKind.ts"
import type { Match, Rule } from "./Rule.ts"
import { revealPassword } from "./programs/ReversiblePassword.ts"
import { foreignNameParts, mayMeanSecret, nameParts, secretName } from "./SecretName.ts"

export const assignments: Rule = {
  id: "assignment",
  keywords: nameParts,
  find: (source, start, end, report) => {
    // Keywords may overlap: `gotpass` contains `otp` and `pass`, and `motdepasse` contains `pass`.
    if (!mayMeanSecret(source.text, start, end)) return 0
    const { found, resume } = assignmentAt(source, start)
    let next = resume
    for (const assignment of found) {
      if (namesAnother(assignment, source.text) || namesDigest(assignment, source.text, start)) continue
      // An improbable value may itself be the name of the next assignment, so continue before it.
      if (report(matchOf(assignment, source.kind)) >= minConfidence) next = Math.max(next, assignment.end)
    }
    return next
  }
}

/** Like `assignments`, for non-ASCII names, which cannot be keywords. */
export const foreignAssignments: Rule = {
  id: assignments.id,
  keywords: [],
  find: (source, _start, end, report) => {
    const { bytes, text } = source
    if (bytes !== undefined && !mayHaveOtherScript(bytes, text)) return end
    if (!otherScript.test(text)) return end
    let next = 0
    for (const { index } of text.matchAll(foreignNameParts)) {
      if (index < next) continue
      const { found, resume } = assignmentAt(source, index)
      next = resume
      for (const assignment of found) report(matchOf(assignment, source.kind))
    }
    return end
  }
}

/** Whether the text may contain another script, judged by its bytes, which takes half as long as searching the text. */
const mayHaveOtherScript = (bytes: Uint8Array, text: string): boolean => {
  // A text with as many bytes as characters is ASCII.
  if (bytes.length === text.length) return false
  if (isWide(bytes)) return true
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    // Lead bytes of these scripts in UTF-8.
    if (byte >= 0xd0 && (byte <= 0xd3 || (byte >= 0xe3 && byte <= 0xed))) return true
  }
  return false
}

/** A Cyrillic, Chinese, Japanese or Korean character. Searching for one class takes half as long as for the names. */
const otherScript = /[\u0400-\u04ff\u3040-\u9fff\uac00-\ud7a3]/

/**
 * Whether the name means something other than a password: a `secret_id` that is no UUID names an entry of a vault, `PW`
 * with a value without digits is a country code (Palau), a salt beside a hash belongs to it, a password hash may be
 * named like the password, and a web page shows the key with which it searches.
 */
const namesAnother = ({ end, start, value, written }: Assignment, text: string): boolean =>
  (/secret[_-]?id$/i.test(written) && !isUuid(value)) ||
  (written === "PW" && !/\d/.test(value)) ||
  (ofDigest.test(written) && digestOfPassword.test(value)) ||
  ofSearch.test(written) ||
  (/api_?key$/i.test(written) &&
    /^[\da-f]{32}$/.test(value) &&
    isOfPage(text.slice(Math.max(0, start - 400), end + 200))) ||
  (saltOfUser.test(written) && ofHash.test(text.slice(Math.max(0, start - nearHash), end + nearHash)))

const digestOfPassword = /^(?:[\da-fA-F]{32,128}|[\w+/]{22,170}={0,2})$/
/** `NT-Password` of FreeRADIUS, `sambaNTPassword`, `md5secret` of Asterisk. */
const ofDigest = /(?:^|[_.-]|samba)(?:nt|lm|s?md5|s?sha\d*)[_-]?(?:password|secret)$/i
/** A name for the key of Algolia that only searches. */
const ofSearch = /search_?only|algolia_?search/i
const isOfPage = (near: string) =>
  /docsearch|algolia["']?\s*(?::\s*)?\{|provider:\s*["']algolia/i.test(near) && /index_?name/i.test(near)
const saltOfUser = /(?:pass(?:word|wd)?|pwd|user)[_-]?salt$/i
const ofHash = /hash|digest|iterations/i
const nearHash = 200

/**
 * Whether the value is a digest, by the text before its name: in a list of digests by path, such as
 * `"src/session_key.rs": "…"`, or in `checksum/secret: …` of Helm. `at` is an offset within the name.
 */
const namesDigest = ({ value, written }: Assignment, text: string, at: number): boolean => {
  if (!isDigest(value)) return false
  const start = text.lastIndexOf(written, at)
  return (
    ofChecksum.test(text.slice(Math.max(0, start - 12), start)) ||
    (text.charAt(start - 1) === "/" &&
      /\.[a-z][a-z\d]{0,11}$/.test(written) &&
      secretName(written.slice(written.lastIndexOf(".") + 1)) === "none")
  )
}

const ofChecksum = /(?:checksum|digest|hash|sha\d{0,3})\/$/i

const matchOf = (assignment: Assignment, kind: FileKind): Match => {
  const { delimited, end, indirect, listed, name, start, value, written } = assignment
  const match = { name: written, bare: !delimited, indirect, listed, end }
  const revealed = revealPassword(kind, written, value)
  if (revealed !== undefined) return { ...match, form: "password", value: revealed, kind: "password", start }
  const login = /(?:auth|authident|userpwd|userpass|credentials)$/i.test(written)
  // `user:password`, in base64 or plain text, under a name that stands for a login.
  const encoded = login ? passwordOf(value) : undefined
  if (encoded !== undefined) return { ...match, form: "login", value: encoded, kind: "basic-auth", start }
  const clear = login ? pair.exec(value)?.[1] : undefined
  if (clear !== undefined)
    return { ...match, form: "password", value: clear, kind: "password", start: end - clear.length }
  return { ...match, form: name, value, kind: name === "password" ? "password" : "generic-secret", start }
}

const pair = /^[\w.@-]{1,64}:([^\s:/]{6,})$/
