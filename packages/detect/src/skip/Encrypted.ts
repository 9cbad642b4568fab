/** Excludes the encrypted parts of a text only, because plain-text secrets may be beside them. */
import type { Finding } from "../text/Source.ts"

/**
 * The findings outside of data that SOPS, Sealed Secrets and connection managers encrypt, including metadata of SOPS.
 */
export const withoutEncrypted = (text: string, found: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  if (found.length === 0 || !marks.some((mark) => text.includes(mark))) return found
  const parts = encryptedParts(text)
  let next = 0
  // Both lists are in text order.
  return found.filter(({ start }) => {
    while ((parts[next]?.[1] ?? Infinity) <= start) next++
    return start < (parts[next]?.[0] ?? Infinity)
  })
}

/**
 * Files in which a program encrypts each password with a key that the file does not contain: mRemoteNG, Navicat,
 * Remmina.
 */
const encryptedPasswords: ReadonlyArray<readonly [mark: string, password: RegExp]> = [
  ["EncryptionEngine=", /\bPassword="[\w+/]{16,512}={0,2}"/g],
  ["<Connections Ver=", /\bPassword="[\dA-Fa-f]{16,512}"/g],
  ["[remmina]", /^\w{0,40}pass\w{0,40}=[\w+/]{8,512}={0,2}$/gm]
]

const marks = ["encrypted", "sops", ...encryptedPasswords.map(([mark]) => mark)]

/** The key of a YAML mapping or a JSON object, or the header of an INI section. */
const blockStart =
  /^(?<indent>[ \t]*)(?:(?<yaml>encryptedData|(?<=^)sops):[ \t]*$|\[sops\])|(?<json>"(?:encrypted(?:Data)?|sops)"[ \t]*:[ \t]*\{)/gm

const encryptedParts = (text: string): ReadonlyArray<readonly [from: number, to: number]> => {
  const parts: Array<readonly [number, number]> = []
  for (const match of text.matchAll(blockStart)) {
    const { indent = "", json, yaml } = match.groups ?? {}
    const from = match.index
    if ((parts.at(-1)?.[1] ?? 0) > from) continue
    const behind = from + match[0].length
    const to =
      json !== undefined
        ? closingBrace(text, behind)
        : endOf(
            text,
            behind,
            yaml === undefined ? /\n\[/g : new RegExp(String.raw`\n[ \t]{0,${indent.length}}[^\s#]`, "g")
          )
    parts.push([from, to])
  }
  for (const { 0: line, index } of text.matchAll(/^sops_\w+[ \t]*=.*$/gm)) parts.push([index, index + line.length])
  for (const [mark, password] of encryptedPasswords) {
    if (!text.includes(mark)) continue
    for (const { 0: written, index } of text.matchAll(password)) parts.push([index, index + written.length])
  }
  return parts.toSorted(([a], [b]) => a - b)
}

const endOf = (text: string, from: number, end: RegExp): number => {
  end.lastIndex = from
  return end.exec(text)?.index ?? text.length
}

/** Braces in string literals do not count. */
const closingBrace = (text: string, from: number): number => {
  const token = /"(?:[^"\\]|\\.)*"|[{}]/g
  token.lastIndex = from
  let depth = 1
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    depth += match[0] === "{" ? 1 : match[0] === "}" ? -1 : 0
    if (depth === 0) return match.index
  }
  return text.length
}
