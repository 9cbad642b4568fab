/** Finds passwords in WinSCP's INI file and registry keys, which are XORed with a well-known mask. */
import { matchAt } from "../../text/MatchAt.ts"
import type { Rule } from "../Rule.ts"

export const winScpPasswords: Rule = {
  id: "winscp",
  // The encoded form of the first bytes of a password.
  keywords: ["a35c"],
  find: (source, start, end, report) => {
    const { text } = source
    if (!passwordBefore.test(source.before(start, maxName))) return end
    const written = matchAt(hexadecimal, text, start)?.[0]
    if (written === undefined) return end
    const before = source.before(start, maxSession)
    const session = before.slice(before.lastIndexOf("[") + 1)
    const host = hostName.exec(session)?.[1] ?? ""
    const user = userName.exec(session)?.[1] ?? ""
    const value = decode(written, user + host)
    if (value === undefined) return end
    const next = start + written.length
    report({ form: "login", value, name: "Password", start, end: next })
    return next
  }
}

/** Length of `"Password"="` and one character before it. */
const maxName = 13
/** Maximum length of a session's settings before its password, in characters. */
const maxSession = 4000
const hexadecimal = /(?:[\dA-F]{2}){8,600}(?!\w)/iy
const passwordBefore = /\bPassword"?="?$/i
const hostName = /^"?HostName"?="?([^"\r\n]*)/im
const userName = /^"?UserName"?="?([^"\r\n]*)/im

/**
 * The password, or undefined if it was encoded for another account. The bytes are a mark, a version, the length, a
 * shift, and the text after that shift.
 */
const decode = (written: string, account: string): string | undefined => {
  const bytes = Array.from(written.matchAll(/../g), ([pair]) => (Number.parseInt(pair, 16) ^ 0x5c) & 0xff)
  const [, , length = 0, shift = 0] = bytes
  const text = new TextDecoder().decode(Uint8Array.from(bytes.slice(4 + shift, 4 + shift + length)))
  return text.startsWith(account) && text.length > account.length ? text.slice(account.length) : undefined
}
