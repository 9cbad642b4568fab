/** Reveals passwords that a program stores in base64, or encrypts with a well-known key. */
import { decryptCbc, decryptCtr } from "../../text/Aes.ts"
import { bytesOfBase64, decodeBase64 } from "../../text/Base64.ts"
import type { FileKind } from "../../text/FileKind.ts"

/**
 * The password behind the value of a name: undefined if it is not stored in such a form, and empty if it is but cannot
 * be decrypted.
 */
export const revealPassword = (kind: FileKind, name: string, value: string): string | undefined => {
  if (value.length > maxEncrypted) return undefined
  if (kind.name === ".npmrc" && name.endsWith("_password")) return decodeBase64(value)
  const inClear = clear.find(([file]) => file === kind.name)?.[1].exec(value)?.[1]
  if (inClear !== undefined) return inClear
  const answer = kind.format === "xml" && /password$/i.test(name) ? revealUnattend(value, name) : undefined
  if (answer !== undefined) return answer
  if (kind.name === "webservers.xml" && /^(?:df[\da-f]{2}){3,}$/.test(value)) return revealJetBrains(value)
  if (name === "cpassword") return revealGroupPolicy(value) ?? ""
  const isRclone = kind.name === "rclone.conf" ? /^pass(?:word2?)?$/ : /^RCLONE_(?:CONFIG_\w+|\w+)_PASS(?:WORD2?)?$/
  return isRclone.test(name) ? revealRclone(value) : undefined
}

/** A password in clear text between other marks: its form, or the rights that it gives. */
const clear: ReadonlyArray<readonly [file: string, value: RegExp]> = [
  ["znc.conf", /^plain#(.+)$/],
  ["mpd.conf", /^(.+)@(?:read|add|player|control|admin)[a-z,]*$/]
]

/** Decodes the password of a server in an IDE of JetBrains: each UTF-16 unit is XORed with the same number. */
const revealJetBrains = (value: string): string =>
  value.replace(/..../g, (unit) => String.fromCharCode(Number.parseInt(unit, 16) ^ 0xdfaa))

/** Decodes a password in an answer file of Windows: base64 of UTF-16, with the name of the element at the end. */
const revealUnattend = (value: string, name: string): string | undefined => {
  const bytes = bytesOfBase64(value)
  const text = bytes === undefined ? "" : new TextDecoder("utf-16le").decode(bytes)
  return text.endsWith(name) && text.length > name.length ? printable(text.slice(0, -name.length)) : undefined
}

/** Maximum length of an encrypted value in characters. */
const maxEncrypted = 1024

/** Decrypts a preference of Windows Group Policy (MS-GPPREF, section 2.2.1.1.4): UTF-16 with padding at the end. */
const revealGroupPolicy = (value: string): string | undefined => {
  const encrypted = bytesOfBase64(value)
  if (encrypted === undefined || encrypted.length === 0 || encrypted.length % 16 !== 0) return undefined
  const clear = decryptCbc(groupPolicyKey, encrypted)
  return printable(new TextDecoder("utf-16le").decode(clear.subarray(0, clear.length - (clear.at(-1) ?? 0))))
}

/** Decrypts the output of `rclone obscure`: the initial counter, then the text. */
const revealRclone = (value: string): string | undefined => {
  const bytes = bytesOfBase64(value)
  if (bytes === undefined || bytes.length <= 16) return undefined
  return printable(new TextDecoder().decode(decryptCtr(rcloneKey, bytes.subarray(0, 16), bytes.subarray(16))))
}

const printable = (text: string): string | undefined => (/^[^\p{C}\ufffd]+$/u.test(text) ? text : undefined)

const bytesOf = (hexadecimal: string): Uint8Array =>
  Uint8Array.from(hexadecimal.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

const groupPolicyKey = bytesOf("4e9906e8fcb66cc9faf49310620ffee8f496e806cc057990209b09a433b66c1b")
const rcloneKey = bytesOf("9c935b48730a554d6bfd7c63c886a92bd390198eb8128afbf4de162b8b95f638")
