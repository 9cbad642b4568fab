/** Which values are never sent: they would cost a search each and tell nothing. */
import { decodeBase64 } from "@threat-exposure/detect/text/Base64"
import { DateTime, Redacted } from "effect"
import { minLength } from "./ValueMatcher.ts"
import type { ValueTarget } from "./Target.ts"

/** Why the target is not searched, or undefined where it is. */
export const whyIneligible = (target: ValueTarget, minConfidence: number, now: DateTime.Utc): string | undefined => {
  if (target.confidence < minConfidence) return `confidence ${target.confidence.toFixed(2)} is below ${minConfidence}`
  const text = Redacted.value(target.value)
  if (text.length < minLength) return `shorter than ${minLength} characters`
  if (/^(.)\1*$/su.test(text)) return "one character repeated"
  if (target.names.length > 0 && plainWords.has(text.toLowerCase())) return "an everyday word, not a secret"
  if (target.names.length > 0 && address.test(text)) return "an address, not a secret"
  const expiry = expiryOf(text)
  if (expiry !== undefined && expiry < DateTime.toEpochMillis(now)) {
    return `a JSON web token that expired on ${new Date(expiry).toISOString().slice(0, 10)}`
  }
  return undefined
}

/** When a JSON web token expires, in milliseconds; undefined where the text is none, or never expires. */
const expiryOf = (text: string): number | undefined => {
  const [, payload = ""] = /^ey[\w-]+\.(ey[\w-]+)\.[\w-]*$/.exec(text) ?? []
  const seconds = /"exp"\s*:\s*(\d{1,11})\b(?!\.)/.exec(decodeBase64(payload) ?? "")?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

/** Of mail, or of a server as a whole: an address with a path may be a secret itself. */
const address = /^[^\s@:/]+@(?:[\w-]+\.)+[a-z]{2,24}$|^https?:\/\/[\w.-]+(?::\d+)?\/?$/i

/** What workflows keep among their secrets without its being one. Candidates were judged by the detector. */
export const plainWords = new Set(
  `changeme change-me change_me dummy-value example examples placeholder redacted replace-me replaceme todo-todo
  your-token your-token-here your_token_here your-password your_password undefined unknown default disabled
  enabled nothing release develop development production staging preview sandbox testing integration localhost
  master github gitlab docker public private internal external username administrator service account ubuntu-latest
  us-east-1 us-east-2 us-west-1 us-west-2 eu-west-1 eu-west-2 eu-west-3 eu-north-1 eu-central-1 ca-central-1
  ap-south-1 ap-southeast-1 ap-southeast-2 ap-northeast-1 sa-east-1 us-central1 europe-west1 127.0.0.1 0.0.0.0`
    .trim()
    .split(/\s+/)
)
