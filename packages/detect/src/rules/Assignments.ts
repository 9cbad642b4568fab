/** Passwords, tokens and keys that are assigned to a name. */
import { type Assignment, assignmentAt } from "./assignment/Assignment.ts"
import { minConfidence } from "../Candidate.ts"
import { isUuid } from "../scoring/Placeholder.ts"
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
    // Another part may overlap this one: `gotpass` has `otp` and `pass`, and `motdepasse` has `pass` within it.
    if (!mayMeanSecret(source.text, start, end)) return 0
    const { found, resume } = assignmentAt(source, start)
    let next = resume
    for (const assignment of found) {
      if (namesAnother(assignment, source.text) || namesFile(assignment, source.text, start)) continue
      // An unlikely value may be the name of the next assignment.
      if (report(matchOf(assignment, source.kind)) >= minConfidence) next = Math.max(next, assignment.end)
    }
    return next
  }
}

/** The same for names that are not ASCII, and therefore no keywords. */
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

/** False only where no character of the text is of another script; bytes are read in half the time that the text takes. */
const mayHaveOtherScript = (bytes: Uint8Array, text: string): boolean => {
  // A text of as many bytes as characters has none.
  if (bytes.length === text.length) return false
  if (isWide(bytes)) return true
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    // In UTF-8, they begin with one of these.
    if (byte >= 0xd0 && (byte <= 0xd3 || (byte >= 0xe3 && byte <= 0xed))) return true
  }
  return false
}

/** A character of Cyrillic, Chinese, Japanese or Korean: one class is looked for in half the time that the names take. */
const otherScript = /[\u0400-\u04ff\u3040-\u9fff\uac00-\ud7a3]/

/**
 * Whether the name stands for something else than a password: a `secret_id` that is no UUID is the name of an entry in a vault,
 * `PW` without digits in its value is the code of a country (Palau), a salt beside a hash belongs to the hash, and a hash may
 * have the name of the password.
 */
const namesAnother = ({ end, start, value, written }: Assignment, text: string): boolean =>
  (/secret[_-]?id$/i.test(written) && !isUuid(value)) ||
  (written === "PW" && !/\d/.test(value)) ||
  (ofDigest.test(written) && digestOfPassword.test(value)) ||
  (saltOfUser.test(written) && ofHash.test(text.slice(Math.max(0, start - nearHash), end + nearHash)))

const digestOfPassword = /^(?:[\da-fA-F]{32,128}|[\w+/]{22,170}={0,2})$/
/** `NT-Password` of FreeRADIUS, `sambaNTPassword`, `md5secret` of Asterisk. */
const ofDigest = /(?:^|[_.-]|samba)(?:nt|lm|s?md5|s?sha\d*)[_-]?(?:password|secret)$/i
const saltOfUser = /(?:pass(?:word|wd)?|pwd|user)[_-]?salt$/i
const ofHash = /hash|digest|iterations/i
const nearHash = 200

/** A list of digests by path, `"src/session_key.rs": "…"`: `at` is an offset within the name. */
const namesFile = ({ value, written }: Assignment, text: string, at: number): boolean =>
  digest.test(value) &&
  /\.[a-z][a-z\d]{0,11}$/.test(written) &&
  secretName(written.slice(written.lastIndexOf(".") + 1)) === "none" &&
  text.charAt(text.lastIndexOf(written, at) - 1) === "/"

const digest = /^(?:[\da-f]{32}|[\da-f]{40}|[\da-f]{64}|[\da-f]{96}|[\da-f]{128})$/

const matchOf = (assignment: Assignment, kind: FileKind): Match => {
  const { delimited, end, indirect, listed, name, start, value, written } = assignment
  const match = { name: written, bare: !delimited, indirect, listed, end }
  const revealed = revealPassword(kind, written, value)
  if (revealed !== undefined) return { ...match, form: "password", value: revealed, kind: "password", start }
  const login = /(?:auth|authident|userpwd|userpass|credentials)$/i.test(written)
  // `user:password`, in base64 or in the clear, where a name says that somebody is authenticated by it.
  const encoded = login ? passwordOf(value) : undefined
  if (encoded !== undefined) return { ...match, form: "login", value: encoded, kind: "basic-auth", start }
  const clear = login ? pair.exec(value)?.[1] : undefined
  if (clear !== undefined)
    return { ...match, form: "password", value: clear, kind: "password", start: end - clear.length }
  return { ...match, form: name, value, kind: name === "password" ? "password" : "generic-secret", start }
}

const pair = /^[\w.@-]{1,64}:([^\s:/]{6,})$/
