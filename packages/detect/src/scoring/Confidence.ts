/** Computes the confidence of a value: how likely it is a secret that is in use. No other module does. */
import { decodeBase64, passwordOf } from "../text/Base64.ts"
import { assignedName, isStandIn } from "../text/AssignedName.ts"
import type { Source } from "../text/Source.ts"
import { maxValue } from "../text/StringLiteral.ts"
import type { Evidence } from "./Evidence.ts"
import { drawsUuids, type Features, featuresOf, groupOf, isIdentifier } from "./Features.ts"
import {
  isEncrypted,
  isFernet,
  isFragment,
  isGrouped,
  isMember,
  isOrdinary,
  isPassphrase,
  isWordPair,
  isPasswordHash,
  isPattern,
  isPublic,
  isReference,
  isSecretsName,
  isTemplate,
  isUuid,
  isWord
} from "./Placeholder.ts"
import { randomness } from "./Randomness.ts"
import { weights } from "./Weights.ts"

/** Between 0 and 1; 0 for what is certainly no secret. */
export const confidenceOf = (source: Source, evidence: Evidence): number => {
  const judged = groupOf(evidence.form) === "marked" ? evidence : beginningOf(evidence)
  return judged === undefined || isExcluded(source, judged)
    ? 0
    : calibrated(logistic(featuresOf(source, judged), weights))
}

/** A long value is judged by its beginning; undefined where it is too long for a key or a password. */
const beginningOf = (evidence: Evidence): Evidence | undefined => {
  const { form, value } = evidence
  if (value.length <= maxPassword) return evidence
  const isKey = value.length <= maxValue && groupOf(form) === "drawn" && keyCharacters.test(value)
  return isKey ? { ...evidence, value: value.slice(0, maxPassword) } : undefined
}

/** Characters of a password; only keys and tokens are longer. */
const maxPassword = 2048
const keyCharacters = /^[\w+/=.~:-]+$/

/**
 * Regularised weights give probabilities that are too close to one half: of the held-out values below one half, one in thirty
 * is a secret, and above three quarters nearly all are. Raising the odds to a power corrects this.
 */
export const calibrated = (share: number): number => {
  const power = share >= 0.5 ? 1.5 : 3
  return share ** power / (share ** power + (1 - share) ** power)
}

/** The logistic function of the weighted sum of the features. */
export const logistic = (features: Features, table: Readonly<Record<string, number>>): number => {
  let sum = 0
  for (const [name, value] of features) sum += (table[name] ?? 0) * value
  return 1 / (1 + Math.exp(-sum))
}

/** These exclude a value whatever its other features are: it is a placeholder or a reference. */
const isExcluded = (source: Source, { form, indirect, listed, name = "", start, value }: Evidence): boolean => {
  const { kind, text } = source
  const group = groupOf(form)
  const before = text.slice(Math.max(source.lineStart(start), start - 120), start)
  // The key that OpenAPI and JSON Schema show an example under, and `DUMMY_SECRET`.
  if (shown.test(before) || (name === "" && isStandIn(assignedName(before) ?? ""))) return true
  if (group === "marked") return isPublic(value)
  const isSpaced =
    group === "typed" &&
    value.includes(" ") &&
    (form === "credential-file" ||
      isGrouped(value) ||
      isPassphrase(value) ||
      (isWordPair(value) && (kind.format === "env" || isOfConnection(source, start))))
  if (value.length < 3 || !printable.test(value)) return true
  if (
    isPublic(value) ||
    isPattern(value) ||
    isTemplate(value) ||
    (!isOfManyMarks(value) && ((isFragment(value) && !isSpaced) || isReference(value))) ||
    isEncrypted(value) ||
    isPasswordHash(value) ||
    (group === "typed" && isFernet(value)) ||
    isOrdinary(value) ||
    headOfJwt.test(value) ||
    (indirect === true && ((isIdentifier(value) && randomness(value) < 0.5) || repeatsName(value, name))) ||
    // A label of a user interface, in a language that is not written in ASCII alone.
    (kind.labels && /[^\x20-\x7e]|\\u[\da-f]{4}/i.test(value)) ||
    (encodesNothing(value) && passwordOf(value) === undefined)
  )
    return true
  if (group === "drawn") {
    if (
      value.length < 8 ||
      (/^\d+$/.test(value) && randomness(value) < 0.5) ||
      ((form !== "token" || ofPublicKey.test(name)) && fingerprint.test(value)) ||
      isOneOfMany(text, value, name, start)
    )
      return true
    // `key` alone says so little that only random values count.
    if (
      form === "perhaps" &&
      ((hasUuid.test(value) && !(isUuid(value) && drawsUuids.test(name))) ||
        value.length < 20 ||
        !drawn.test(value) ||
        shortHexadecimal.test(value) ||
        randomness(value) < 0.8)
    )
      return true
  }
  const hasBlank = !isSpaced && /\s/.test(value)
  if (!hasBlank && !kind.labels && listed !== true && !isMember(value)) return false
  const random = randomness(value)
  if (hasBlank && (kind.labels || random < 0.5 || value.length < 12 || !/[^\w\s.,'?!-]/.test(value))) return true
  if (listed === true && random < 0.5 && !isUuid(value) && !chosen.test(value)) return true
  return random < 0.8 && (kind.labels || isMember(value))
}

/** In YAML, which also holds texts for people: what a program connects to is named near it. */
const isOfConnection = ({ kind, text }: Source, at: number): boolean =>
  kind.format === "yaml" && !kind.labels && connection.test(text.slice(Math.max(0, at - 200), at + 200))

const connection = /\b(?:host|port|url|adapter|driver|database|db):\s/

/**
 * Drawn from a whole keyboard, such as the salts of WordPress: they may contain the marks of code or of a reference, but code
 * and references of that length have blanks or fewer different marks.
 */
const isOfManyMarks = (value: string): boolean =>
  value.length >= 40 &&
  !/\s/.test(value) &&
  new Set(value.replace(/\w+/g, "")).size >= 10 &&
  (value.match(/=>|[)}\]],|[({]{2}/g)?.length ?? 0) < 2

/** Passwords that people choose to satisfy a policy. */
const chosen = /^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)(?=.*[^A-Za-z\d]).{10,}$/

/** Compared with, or given, another variable of the name or a name made of the same words: `pass1 != pass2`, `SD_JWT("sd+jwt")`. */
const repeatsName = (value: string, name: string): boolean => {
  const words = /^[a-z_+.-]+\d?$/i.test(value) ? value.toLowerCase().match(/[a-z]+/g) : null
  const named: ReadonlyArray<string> = words === null ? [] : (name.toLowerCase().match(/[a-z]+/g) ?? [])
  return words !== null && words.every((word) => named.includes(word))
}

/** Characters of keyboards in any language; a value with others is text for people, or data. */
const printable = /^[\x20-\x7e\xa1-\xff\p{L}\p{Sc}]+$/u

const shown = /(?:^|[\s"'{,])examples?["']?\s*[:=]\s*["'`]?$/

/** Its first part says how it is signed, and no more; or a whole one, which has a rule of its own. */
const headOfJwt = /^eyJ(?:hbGciOi|0eXAiOi)[\w-]{0,400}(?:\.ey[JI][\w-]{10,}\.[\w-]{20,})?$/

/** Fingerprints of public keys, with which package managers verify sources. */
const fingerprint = /^[\dA-F]{40}$/
const ofPublicKey = /gpg|pgp|fingerprint|sign(?:ing|er)/i

/** An id in a table, `"license_key": "Spencer-99"`: more than twenty uses of its name are near it, and it is not random. */
const isOneOfMany = (text: string, value: string, name: string, at: number): boolean => {
  if (name === "" || (randomness(value) >= 0.5 && (/\d/.test(value) || value.length >= minLongKey))) return false
  const near = text.slice(Math.max(0, at - neighbourhood), at + neighbourhood)
  let found = 0
  for (let from = near.indexOf(name); from >= 0 && found <= others; from = near.indexOf(name, from + name.length))
    found++
  return found > others
}

/** Random letters of this length are a key, also without a digit. */
const minLongKey = 30
const others = 20
/** Characters before and after a value in which others are looked for. */
const neighbourhood = 10_000

/** Characters of keys: letters of both cases or with digits, and the punctuation of base64 and similar encodings. */
const drawn = /^(?=.*\d)(?=.*[A-Za-z])[\w+/=.~:-]+$/

/** An id, perhaps with a prefix or a number. */
const hasUuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i

/** Hexadecimal digits of fewer than 128 bits: an id, or the salt of a hash. */
const shortHexadecimal = /^[\da-f]{1,31}$/i

/** The base64 of what is no secret in the clear either. */
const encodesNothing = (value: string): boolean => {
  const decoded = value.length >= 8 && value.length % 4 === 0 ? decodeBase64(value)?.trim() : undefined
  return (
    decoded !== undefined &&
    printable.test(decoded) &&
    (isWord(decoded) ||
      isSecretsName(decoded) ||
      isTemplate(decoded) ||
      isEncrypted(decoded) ||
      isOrdinary(decoded) ||
      isReference(decoded))
  )
}
