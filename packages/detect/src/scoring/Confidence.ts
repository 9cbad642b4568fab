/** Computes the confidence of a value: how likely it is a secret that is in use. Only this module does. */
import { decodeBase64, passwordOf } from "../text/Base64.ts"
import { assignedName, isStandIn } from "../text/AssignedName.ts"
import type { Source } from "../text/Source.ts"
import { maxValue } from "../text/StringLiteral.ts"
import type { Evidence } from "./Evidence.ts"
import { drawsUuids, type Features, featuresOf, groupOf, isIdentifier } from "./Features.ts"
import {
  isEncrypted,
  isEncryptedToken,
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
  isSpacedRandom,
  isTemplate,
  isUuid,
  isWord
} from "./Placeholder.ts"
import { randomness } from "./Randomness.ts"
import { weights } from "./Weights.ts"

/** Between 0 and 1; 0 if the value is certainly no secret. */
export const confidenceOf = (source: Source, evidence: Evidence): number => {
  const judged = groupOf(evidence.form) === "marked" ? evidence : beginningOf(evidence)
  return judged === undefined || isExcluded(source, judged)
    ? 0
    : calibrate(logistic(featuresOf(source, judged), weights))
}

/** Only the beginning of a long value is scored; undefined if it is too long for a key or a password. */
const beginningOf = (evidence: Evidence): Evidence | undefined => {
  const { form, value } = evidence
  if (value.length <= maxPassword) return evidence
  const isKey = value.length <= maxValue && groupOf(form) === "drawn" && keyCharacters.test(value)
  return isKey ? { ...evidence, value: value.slice(0, maxPassword) } : undefined
}

/** Maximum length of a password in characters; only keys and tokens are longer. */
const maxPassword = 2048
const keyCharacters = /^[\w+/=.~:-]+$/

/**
 * Raises the odds to a power, because regularised weights give probabilities that are too close to one half: of the
 * held-out values below one half, one in thirty is a secret, and above three quarters nearly all are.
 */
export const calibrate = (share: number): number => {
  const power = share >= 0.5 ? 1.5 : 3
  return share ** power / (share ** power + (1 - share) ** power)
}

/** The logistic function of the weighted sum of the features. */
export const logistic = (features: Features, table: Readonly<Record<string, number>>): number => {
  let sum = 0
  for (const [name, value] of features) sum += (table[name] ?? 0) * value
  return 1 / (1 + Math.exp(-sum))
}

/** Whether the value is a placeholder, a reference or another non-secret, whatever its other features are. */
const isExcluded = (source: Source, { form, indirect, listed, name = "", start, value }: Evidence): boolean => {
  const { kind, text } = source
  const group = groupOf(form)
  const before = source.lineBefore(start, 120)
  // The key of an example in OpenAPI and JSON Schema, and names such as `DUMMY_SECRET`.
  if (exampleKey.test(before) || (name === "" && isStandIn(assignedName(before) ?? ""))) return true
  if (group === "marked") return isPublic(value)
  const isSpaced =
    group === "typed" &&
    value.includes(" ") &&
    (form === "credential-file" ||
      isGrouped(value) ||
      isPassphrase(value) ||
      isSpacedRandom(value) ||
      (isWordPair(value) && (kind.format === "env" || isOfConnection(source, start))))
  if (value.length < 3 || !printable.test(value)) return true
  if (
    isPublic(value) ||
    isPattern(value) ||
    isTemplate(value) ||
    (!isOfManyMarks(value) && ((isFragment(value) && !isSpaced) || isReference(value))) ||
    isEncrypted(value) ||
    isPasswordHash(value) ||
    (group === "typed" && isEncryptedToken(value)) ||
    isOrdinary(value) ||
    headOfJwt.test(value) ||
    (indirect === true && ((isIdentifier(value) && randomness(value) < 0.5) || repeatsName(value, name))) ||
    // A label of a user interface, in a language with non-ASCII characters.
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
    // The name `key` alone is such weak evidence that only random values count.
    if (
      form === "perhaps" &&
      ((hasUuid.test(value) && !(isUuid(value) && drawsUuids(kind, name))) ||
        value.length < 20 ||
        !(drawn.test(value) || (value.length >= minLongKey && lettersOfKey.test(value))) ||
        shortHexadecimal.test(value) ||
        nameAndDigest.test(value) ||
        randomness(value) < 0.8)
    )
      return true
  }
  const hasBlank = !isSpaced && /\s/.test(value)
  if (!hasBlank && !kind.labels && listed !== true && !isMember(value)) return false
  const random = randomness(value)
  if (hasBlank && (kind.labels || random < 0.5 || value.length < 12 || !/[^\w\s.,'?!-]/.test(value))) return true
  if (listed === true && random < 0.5 && !isUuid(value) && !chosenPassword.test(value)) return true
  return random < 0.8 && (kind.labels || isMember(value))
}

/**
 * Whether the setting belongs to a connection, with a host or database near it. Only in YAML, which also contains texts
 * for people.
 */
const isOfConnection = ({ kind, text }: Source, at: number): boolean =>
  kind.format === "yaml" && !kind.labels && connection.test(text.slice(Math.max(0, at - 200), at + 200))

const connection = /\b(?:host|port|url|adapter|driver|database|db):\s/

/**
 * Whether the value is random over a whole keyboard, such as the salts of WordPress. Such values may contain
 * punctuation of code or references, but code and references of that length contain spaces, or fewer different
 * punctuation characters.
 */
const isOfManyMarks = (value: string): boolean =>
  value.length >= 40 &&
  !/\s/.test(value) &&
  new Set(value.replace(/\w+/g, "")).size >= 10 &&
  (value.match(/=>|[)}\]],|[({]{2}/g)?.length ?? 0) < 2

/** A password that a person chose to satisfy a policy. */
const chosenPassword = /^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)(?=.*[^A-Za-z\d]).{10,}$/

/**
 * Whether the value only has words of the name, as when two variables are compared: `pass1 != pass2`,
 * `SD_JWT("sd+jwt")`.
 */
const repeatsName = (value: string, name: string): boolean => {
  const words = /^[a-z_+.-]+\d?$/i.test(value) ? value.toLowerCase().match(/[a-z]+/g) : null
  const named: ReadonlyArray<string> = words === null ? [] : (name.toLowerCase().match(/[a-z]+/g) ?? [])
  return words !== null && words.every((word) => named.includes(word))
}

/** Characters of keyboards in any language; a value with others is a text for people, or data. */
const printable = /^[\x20-\x7e\xa1-\xff\p{L}\p{Sc}]+$/u

const exampleKey = /(?:^|[\s"'{,])examples?["']?\s*[:=]\s*["'`]?$/

/** A JWT header alone is not a secret; a complete JWT is found by its own rule. */
const headOfJwt = /^eyJ(?:hbGciOi|0eXAiOi)[\w-]{0,400}(?:\.ey[JI][\w-]{10,}\.[\w-]{20,})?$/

/** Fingerprints of public keys, with which package managers verify sources. */
const fingerprint = /^[\dA-F]{40}$/
const ofPublicKey = /gpg|pgp|fingerprint|sign(?:ing|er)/i

/**
 * Whether the value is an id in a table, such as `"license_key": "Spencer-99"`: it is not random, and its name occurs
 * more than twenty times nearby.
 */
const isOneOfMany = (text: string, value: string, name: string, at: number): boolean => {
  if (name === "" || (randomness(value) >= 0.5 && (/\d/.test(value) || value.length >= minLongKey))) return false
  const near = text.slice(Math.max(0, at - neighbourhood), at + neighbourhood)
  let found = 0
  for (let from = near.indexOf(name); from >= 0 && found <= others; from = near.indexOf(name, from + name.length))
    found++
  return found > others
}

/** From this length on, random letters are a key even without a digit. */
const minLongKey = 30
const others = 20
/** How far before and after a value its name is counted, in characters. */
const neighbourhood = 10_000

/** Characters of keys: letters and digits, and the punctuation of base64 and similar encodings. */
const drawn = /^(?=.*\d)(?=.*[A-Za-z])[\w+/=.~:-]+$/
const lettersOfKey = /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z+/=_-]+$/

/** A UUID, perhaps with a prefix or suffix. */
const hasUuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i

/** The key of a cache: `toolchain-fc60dca8…`. */
const nameAndDigest = /^[a-z][\w.+]*(?:-[\w.+]+)*-(?:[\da-f]{32}|[\da-f]{40}|[\da-f]{64})$/i

/** Less than 128 bits in hexadecimal digits: an id, or the salt of a hash. */
const shortHexadecimal = /^[\da-f]{1,31}$/i

/** Whether the value is base64 of something that is no secret. */
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
