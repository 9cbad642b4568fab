/**
 * Finds private keys: PEM, PGP, OpenSSH and OpenVPN blocks, also with escaped line breaks or base64-encoded, and files
 * of PuTTY.
 */
import type { Rule } from "./Rule.ts"
import { bytesOfBase64, decodeBase64 } from "../text/Base64.ts"
import { isMatch, matchAt } from "../text/MatchAt.ts"

export const encodedPrivateKeys: Rule = {
  id: "private-key",
  keywords: ["ls0tls1crudj"],
  find: (source, start, end, report) => {
    // Checks the header first: a long text may repeat it, and decoding the rest after each one would take seconds.
    const header = decodeBase64(source.text.slice(start, start + headerLength))
    if (header === undefined || !privateHeader.test(header)) return end
    encoded.lastIndex = start
    const written = encoded.exec(source.text)?.[0] ?? ""
    if (written.length > maxKey) return start + written.length
    const value = decodeBase64(written.replace(/\\n|\s/g, ""))?.trimEnd()
    const next = start + written.length
    if (value === undefined || encrypted.test(value) || isUnderPassphrase(bodyOf(value))) return Math.max(end, next)
    report({ form: "private-key", value, kind: "private-key", start, end: next })
    return next
  }
}

/** A base64-encoded private key, in one line or wrapped by `base64`. */
const encoded = /LS0tLS1CRUdJT[\w+/-]{50,33000}(?:(?:\\n|[ \t]{0,40}\r?\n[ \t]{0,40})[\w+/-]{1,100}){0,500}={0,2}/y
/** Number of base64 characters that cover the 42 bytes `privateHeader` matches at most. */
const headerLength = 60
const privateHeader = /^-----BEGIN (?![A-Z0-9 ]*ENCRYPTED)[A-Z0-9 ]{0,20}PRIVATE KEY/

export const privateKeys: Rule = {
  id: "private-key",
  keywords: ["-----begin", "putty-user-key-file-"],
  find: (source, start, end, report) => {
    const { text } = source
    if (!isMatch(keyHeader, text, start)) return end
    // A comment before the key may mention the header, so a key ends before the next header.
    const rest = text.slice(end, end + maxKey)
    const following = rest.indexOf(text.slice(start, end))
    const block = text.slice(start, end + (following < 0 ? rest.length : following))
    const match = matchAt(text.charAt(start) === "-" ? pem : puttyFile, block, 0)
    if (match === null) return end
    const body = match[0].startsWith("-") ? bodyOf(match[0]) : (match[2] ?? "").replace(/\s/g, "")
    const next = start + match[0].length
    if (
      // A passphrase protects the key.
      encrypted.test(match[0]) ||
      isUnderPassphrase(body) ||
      body.length < 40 ||
      !/[A-Za-z0-9+/]{32}/.test(body) ||
      // Documentation shortens keys, for example with dots at the end.
      /\.{3}|x{8}|[<>*]|[\w+/=]\.$/i.test(body) ||
      new Set(body).size < 12
    )
      return next
    report({
      form: "private-key",
      value: inString.test(match[0]) ? match[0].replace(lineJoins, lineFeedsOf) : match[0],
      kind: "private-key",
      start,
      end: next
    })
    return next
  }
}

/** Maximum length of a key with its markers, in characters. */
const maxKey = 33_000

const keyHeader = /-----BEGIN [A-Za-z0-9 ]{0,20}(?:PRIVATE KEY|Static key)|PuTTY-User-Key-File-\d:/y
const pem =
  /-----BEGIN ((?:(?:RSA|DSA|EC|ECDSA|ED25519|X25519|OPENSSH|(?:SSH2 )?ENCRYPTED|PGP|DH|ANY) )?PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----([^]{32,32768}?)-----END \1-----/y
const puttyFile =
  /PuTTY-User-Key-File-\d:[^]{16,16384}?Private-Lines: *\d+\r?\n((?:))((?:[A-Za-z0-9+/=]{1,100}\r?\n){1,200})(?:Private-MAC: *[\da-f]{1,128})?/y
/** Reads the cipher that an OpenSSH key names, or the protection of a PGP key (RFC 9580, section 5.5.3). */
const isUnderPassphrase = (body: string): boolean => {
  const base64 = /^[\w+/]{80,}/.exec(body)?.[0] ?? ""
  const bytes = bytesOfBase64(base64.slice(0, base64.length - (base64.length % 4)))
  if (bytes === undefined) return false
  return base64.startsWith("b3BlbnNzaC1rZXktdjEA")
    ? !String.fromCharCode(...bytes.subarray(0, 24)).includes("\0\0\0\u0004none")
    : isEncryptedPgpKey(bytes)
}

/** How many public numbers a key has after its curve, by algorithm (RFC 9580, section 9.1). */
const publicNumbers: ReadonlyMap<number, number> = new Map([
  [1, 2],
  [2, 2],
  [3, 2],
  [16, 3],
  [17, 4],
  [18, 1],
  [19, 1],
  [22, 1]
])

const isEncryptedPgpKey = (bytes: Uint8Array): boolean => {
  const at = (offset: number) => bytes[offset] ?? 0
  const tag = (at(0) & 0x40) === 0 ? (at(0) >> 2) & 0x0f : at(0) & 0x3f
  const isOld = (at(0) & 0x40) === 0
  const lengthBytes = isOld ? [1, 2, 4, 0][at(0) & 3] : at(1) < 192 ? 1 : at(1) < 224 ? 2 : 5
  const body = 1 + (lengthBytes ?? 0)
  const algorithm = at(body + 5)
  const numbers = publicNumbers.get(algorithm)
  // A version 4 secret key: version, creation time and algorithm precede the numbers.
  if ((at(0) & 0x80) === 0 || tag !== 5 || at(body) !== 4 || numbers === undefined) return false
  let next = body + 6
  if (algorithm === 18 || algorithm === 19 || algorithm === 22) next += 1 + at(next)
  for (let number = 0; number < numbers; number++) next += 2 + ((at(next) * 256 + at(next + 1) + 7) >> 3)
  if (algorithm === 18) next += 1 + at(next)
  return at(next) >= 253
}

/** The base64 between the markers of a key, in any notation, without headers such as `Version:`. */
const bodyOf = (key: string): string =>
  key
    .replace(/^-----BEGIN [^-]{1,60}-----|-----END [^-]{1,60}-----$/g, "")
    .replace(lineJoins, "\n")
    .replace(/^[\w-]+:.*$/gm, "")
    .replace(/[^\w+/=.*<>]/g, "")

/** The line breaks that replace an escaped line ending: one, or two after headers. */
const lineFeedsOf = (written: string): string => {
  const inLiteral = written.match(/\\n/g)?.length ?? 0
  return "\n".repeat(Math.min(2, Math.max(1, inLiteral > 0 ? inLiteral : (written.match(/\n/g)?.length ?? 0))))
}

const inString = /["']|\\[nr]|\n[ \t]+\S/
/** Escaped line endings in a string literal, with the quotes between concatenated parts. */
const lineJoins = /(?:\\{1,8}[nr]|\\{1,8}\r?\n|["']\s{0,40}(?:[+.,\\]\s{0,40})?["']|\r?\n[ \t]*)+/g
const encrypted = /BEGIN (?:SSH2 )?ENCRYPTED|Proc-Type: ?4,ENCRYPTED|Encryption: aes|Comment: .*encrypted/
