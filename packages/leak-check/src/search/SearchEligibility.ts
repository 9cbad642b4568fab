/** Decides which values are never sent, because a search would cost quota without revealing anything. */
import { isPlaceholder, isWeak } from "@threat-exposure/detect/scoring/Placeholder"
import { randomness } from "@threat-exposure/detect/scoring/Randomness"
import { decodeBase64 } from "@threat-exposure/detect/text/Base64"
import { DateTime, Redacted, Result, Schema } from "effect"
import type { ValueTarget } from "../target/Target.ts"

/** Minimum length of a searched value in characters: shorter ones are in many leaks of other people. */
export const minValueLength = 6

/** Why the target is not searched; undefined if it is. */
export const whyIneligible = (target: ValueTarget, minConfidence: number, now: DateTime.Utc): string | undefined => {
  if (target.confidence < minConfidence) return `confidence ${target.confidence.toFixed(2)} is below ${minConfidence}`
  const text = Redacted.value(target.value)
  if (text.trim() === "") return "empty: check that a value is stored under this name"
  if (text.length < minValueLength) return `shorter than ${minValueLength} characters`
  if (/^(.)\1*$/su.test(text)) return "one character repeated"
  if (target.names.length > 0) {
    if (plainWords.has(text.toLowerCase())) return "an everyday word, not a secret"
    if (address.test(text)) return "an address, not a secret"
    if (isKnownToEverybody(text)) {
      return "a well-known password that is in many leaks of other people: replace it if it protects something"
    }
    if (isNamedPlaceholder(text)) return "a placeholder, not a secret"
  }
  const expiry = expiryOf(text)
  if (expiry !== undefined && expiry < DateTime.toEpochMillis(now)) {
    return `a JSON Web Token that expired on ${new Date(expiry).toISOString().slice(0, 10)}`
  }
  return undefined
}

/** When a JSON Web Token expires, in milliseconds since 1970; undefined if the text is not one, or it never expires. */
const expiryOf = (text: string): number | undefined => {
  const [, payload = ""] = /^ey[\w-]+\.(ey[\w-]+)\.[\w-]*$/.exec(text) ?? []
  const claims = Result.getOrUndefined(decodeClaims(decodeBase64(payload) ?? ""))
  return claims?.exp === undefined ? undefined : claims.exp * 1000
}

/** Only the top-level `exp` (RFC 7519, section 4.1.4): other claims may contain an `exp` too. */
const decodeClaims = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Struct({ exp: Schema.optional(Schema.Finite) }))
)

/** An e-mail address, or the address of a server: a URL with a path may itself be a secret. */
const address = /^[^\s@:/]+@(?:[\w-]+\.)+[a-z]{2,24}$|^https?:\/\/[\w.-]+(?::\d+)?\/?$/i

/** Excludes URLs, keys and random values, which may contain words of placeholders: `https://hooks.example.com/…`. */
const isNamedPlaceholder = (text: string) =>
  text.length <= 60 && !text.includes("://") && isPlaceholder(text) && randomness(text) < 0.3

/**
 * Whether the password is so common that a search returns accounts of strangers, the same for everyone, and costs two
 * searches in every run. A year or sign at the end does not make it less common.
 */
const isKnownToEverybody = (text: string) => {
  const lower = text.toLowerCase()
  return isWeak(lower) || commonPasswords.has(lower.replace(/\d{0,4}[!.?]?$/, ""))
}

/** The most common words in lists of leaked passwords. */
export const commonPasswords = new Set(
  `sunshine princess football baseball basketball superman batman starwars shadow michael jordan jennifer jessica
  ashley daniel thomas charlie andrew michelle nicole joshua matthew anthony robert william computer internet whatever
  freedom trustno master killer pepper ginger summer winter spring autumn flower flowers chocolate cheese butterfly
  purple orange banana hunter soccer hockey tigger buster maggie mustang ferrari harley yankees liverpool arsenal
  chelsea barcelona samsung google pokemon naruto lovely loveme iloveu babygirl angels hottie loverboy sweety friends
  forever family happiness lucky starlight stella rainbow diamond silver golden matrix phoenix thunder tiger panther
  eagles lakers cowboys steelers rangers ranger maverick mercedes porsche corvette guitar music rockstar metallica
  slipknot blink eminem spiderman pikachu snoopy scooby garfield mickey minnie bailey cookies peanut pumpkin sparky
  merlin gandalf wizard ninja samurai soldier warrior victory october november december january february monday friday
  sunday london paris berlin madrid canada america england mexico brasil australia password passwort passw0rd motdepasse
  contrasena azerty azertyuiop qwertz qwertzuiop letmein welcome zxcvbn zxcvbnm asdfghjkl poiuytrewq adminadmin
  abcdefg abcdefgh qazwsx qazwsxedc changeme iloveyou monkey dragon secret`.split(/\s+/)
)

/**
 * Values that workflows often store as secrets although they are public. Candidates need no such check, because the
 * detector has scored them.
 */
export const plainWords = new Set(
  `nothing release develop development production staging preview sandbox testing integration localhost
  master github gitlab docker public private internal external username administrator service account ubuntu-latest
  us-east-1 us-east-2 us-west-1 us-west-2 eu-west-1 eu-west-2 eu-west-3 eu-north-1 eu-central-1 ca-central-1
  ap-south-1 ap-southeast-1 ap-southeast-2 ap-northeast-1 sa-east-1 us-central1 europe-west1 127.0.0.1 0.0.0.0`
    .trim()
    .split(/\s+/)
)
