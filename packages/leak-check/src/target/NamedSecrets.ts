/** Prepares secrets that are given by name: which of their values are searched, and under which names. */
import { secretName } from "@threat-exposure/detect/rules/SecretName"
import { decodeBase64 } from "@threat-exposure/detect/text/Base64"
import { candidatesIn } from "@threat-exposure/detect/Text"
import { Redacted } from "effect"
import type { NamedSecret } from "./Target.ts"

/** Leaves out GitHub's token and that of the service. */
export const worthSearching = (
  secrets: ReadonlyArray<NamedSecret>,
  token: Redacted.Redacted | undefined
): ReadonlyArray<NamedSecret> =>
  secrets.flatMap(withParts).filter(({ name, value }) => {
    const text = Redacted.value(value)
    return name.toLowerCase() !== "github_token" && (token === undefined || text !== Redacted.value(token))
  })

/** A leak rarely contains a whole key file or settings file verbatim, so the passwords in it are searched. */
const withParts = (secret: NamedSecret): ReadonlyArray<NamedSecret> => {
  const { name } = secret
  const written = Redacted.value(secret.value).trim()
  const decoded = decodeSecret(written)
  const text = decoded ?? written
  const parts = mayHoldParts.test(text)
    ? candidatesIn(text, { path: text.startsWith("{") ? "secret.json" : "secret.env" }, { isFile: false }).map(
        (part): NamedSecret => ({
          name: part.name === undefined || !isPlainName(part.name) ? name : `${name} → ${part.name}`,
          value: part.value
        })
      )
    : []
  if (parts.length > 0 && isDocument.test(text)) return parts
  return [secret, ...(decoded === undefined ? [] : [{ name, value: Redacted.make(decoded) }]), ...parts]
}

const mayHoldParts = /[={\s]|:\/\//u
const isDocument = /^[[{]|\n/u

/** The text of a base64-encoded secret, as workflows store files; undefined if it is not text. */
const decodeSecret = (text: string): string | undefined => {
  const decoded = text.length >= minEncodedLength ? decodeBase64(text.replaceAll(/\s/gu, ""))?.trim() : undefined
  return decoded !== undefined && /^[\P{Cc}\s]+$/u.test(decoded) && !decoded.includes("\uFFFD") ? decoded : undefined
}

const minEncodedLength = 12

/** Excludes names that may be a misread part of a value, which must not appear in a report. */
const isPlainName = (name: string): boolean => /^[A-Za-z_.-]{2,40}$/u.test(name) && secretName(name) !== "none"
