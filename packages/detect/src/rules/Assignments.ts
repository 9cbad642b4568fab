/** Passwords, tokens and keys that a text gives to a name. */
import { type Assignment, assignmentAt } from "./Assignment.ts"
import { type CandidateKind, minConfidence } from "../Candidate.ts"
import {
  isCountedInPart,
  isEncrypted,
  isFragment,
  isPattern,
  isPublic,
  isMember,
  isOrdinary,
  isReference,
  isSecretsName,
  isTemplate,
  isUuid,
  isWeak,
  isWord
} from "../scoring/Placeholder.ts"
import { randomness } from "../scoring/Randomness.ts"
import { nameParts, type SecretName } from "./SecretName.ts"
import type { Source } from "../text/Source.ts"
import { longestValue } from "../text/StringLiteral.ts"
import type { Rule } from "./Rule.ts"
import { decodeBase64, passwordOf } from "../text/Base64.ts"

export const assignments: Rule = {
  id: "assignment",
  keywords: nameParts,
  find: (source, start, _end, report) => {
    const { found, resume } = assignmentAt(source, start)
    let next = resume
    for (const assignment of found.map(ofPair)) {
      const confidence = confidenceOf(source, assignment)
      if (confidence === 0) continue
      const { end, name, start, value, written } = assignment
      const password = authentication.test(written) ? passwordOf(value) : undefined
      report({
        value: password ?? value,
        kind: password === undefined ? kindOf(name) : "basic-auth",
        confidence,
        start,
        end
      })
      // What is hardly a value may be the name of the next one.
      if (confidence >= minConfidence) next = Math.max(next, end)
    }
    return next
  }
}

const authentication = /auth$/i

/** The password of `user:password`, where a name says that somebody is authenticated by it. */
const ofPair = (assignment: Assignment): Assignment => {
  const { value, written } = assignment
  const password = authentication.test(written) ? pair.exec(value)?.[1] : undefined
  return password === undefined
    ? assignment
    : { ...assignment, name: "password", value: password, start: assignment.end - password.length }
}

const pair = /^[\w.@-]{1,64}:([^\s:/]{6,})$/

const kindOf = (name: SecretName): CandidateKind => (name === "password" ? "password" : "generic-secret")

/** How likely a value given to such a name in such a file is a secret in use; 0 where it is certainly none. */
const confidenceOf = (
  source: Source,
  { delimited, indirect, listed, name, start, value, written }: Assignment
): number => {
  const { kind } = source
  if (value.length < 4 || value.length > longestValue || !printable.test(value)) return 0
  if (
    isPublic(value) ||
    isFragment(value) ||
    isPattern(value) ||
    isReference(value) ||
    isTemplate(value) ||
    isEncrypted(value) ||
    isOrdinary(value)
  )
    return 0
  if (indirect && isIdentifier(value)) return 0
  if (isSecretId(written) && !isUuid(value)) return 0
  const random01 = randomness(value)
  if (isWord(value) || isSecretsName(value)) return kind.credentials && name === "password" ? 0.5 : 0
  if ((encodesNothing(value) && passwordOf(value) === undefined) || headOfJwt.test(value)) return 0
  if (written === "PW" && !/\d/.test(value)) return 0
  if (random01 < 0.8 && isMember(value)) return 0
  if (kind.labels && (random01 < 0.8 || /\s/.test(value))) return 0
  if (saysItsName(value, written) && !(kind.settings && /\d/.test(value))) return 0

  if (listed && random01 < 0.5 && !isUuid(value)) return 0
  const score =
    name === "password"
      ? passwordScore(source, value, random01, delimited, start)
      : tokenScore(source, name, written, value, random01) - (isCountedInPart(value) ? 0.45 : 0)
  const madeUp = kind.madeUp ? (kind.settings && kind.format !== "json" ? 0.25 : 0.45) : 0
  return Math.max(0, Math.min(0.95, score - (indirect ? 0.1 : 0) - madeUp - (kind.format === "prose" ? 0.3 : 0)))
}

/** The half of a login that a vault draws; the same name is also that of the entry a secret is kept under. */
const isSecretId = (written: string): boolean => /secret[_-]?id$/i.test(written)

/** The base64 of what is no secret in the clear either. */
const encodesNothing = (value: string): boolean => {
  const decoded = value.length >= 8 && value.length % 4 === 0 ? decodeBase64(value)?.trim() : undefined
  return (
    decoded !== undefined &&
    printable.test(decoded) &&
    (isWord(decoded) || isSecretsName(decoded) || isTemplate(decoded) || isEncrypted(decoded) || isReference(decoded))
  )
}

/** Its first part says how it is signed, and no more. */
const headOfJwt = /^eyJ(?:hbGciOi|0eXAiOi)[\w-]{0,60}$/

/** What keyboards of any language have on their keys; a value with others is text for people, or data. */
const printable = /^[\x20-\x7e\xa1-\xff\p{L}\p{Sc}]+$/u

const passwordScore = (
  { kind, text }: Source,
  value: string,
  random01: number,
  delimited: boolean,
  at: number
): number => {
  if (isUuid(value)) return kind.settings ? 0.5 : 0.3
  if (isWeak(value)) return kind.settings ? 0.5 : 0.3
  if (/^\d{1,5}$/.test(value)) return 0.3
  const strong = random01 >= 0.5
  if (/\s/.test(value) && !(strong && value.length >= 12 && /[^\w\s.,'?!-]/.test(value))) return 0
  if (strong) return 0.75 + 0.15 * random01
  const classes = classesOf(value)
  if (kind.settings) {
    // What people type into settings is a password, unless it is a lone word that may be a label, a mode or a default.
    if (!/^[A-Z]?[a-zß-ÿ]+$|^[A-Z]+$|^[^\x20-\x7e]+$/.test(value)) return delimited || value.length >= 6 ? 0.65 : 0.55
    return value.length < 6 || /^[^a-z]/.test(value) || standsElsewhere(text, value, at) ? 0.3 : 0.5
  }
  if (!delimited)
    return classes >= 2 && value.length >= 6 ? (kind.format === "other" && /\d/.test(value) ? 0.5 : 0.4) : 0.2
  if (isIdentifier(value)) return 0.3
  return classes >= 3 || (classes === 2 && /\d|[^\w-]/.test(value)) ? 0.6 : 0.3
}

/** The word is also the name of a user, a database or an image in the same text: everybody's default. */
const standsElsewhere = (text: string, value: string, from: number): boolean => {
  const near = text.slice(Math.max(0, from - neighbourhood), from + neighbourhood)
  let tries = 0
  for (let at = near.indexOf(value); at >= 0 && tries < 20; at = near.indexOf(value, at + value.length)) {
    const before = near.slice(Math.max(0, at - 40), at)
    if (!/pass|pwd|secret|token|key/i.test(before.slice(before.lastIndexOf("\n") + 1))) return true
    tries++
  }
  return false
}

/** Characters before and after a value in which its other uses are looked for. */
const neighbourhood = 10_000

/** Providers whose keys are UUIDs. */
const drawsUuids =
  /heroku|snyk|hubspot|kucoin|squarespace|sendbird|messagebird|postmark|opsgenie|codacy|instrumentation|scaleway|scw|codecov|secret[_-]?id$/i

const tokenScore = ({ kind }: Source, name: SecretName, written: string, value: string, random01: number): number => {
  if (/\s/.test(value) && !(random01 > 0.7 && /[^\w\s.,'?!-]/.test(value))) return 0
  if (value.length < 8) return 0
  if (isUuid(value)) return drawsUuids.test(written) ? 0.6 : kind.settings && name === "token" ? 0.5 : 0.25
  if (/^\d+$/.test(value) || (name !== "token" && fingerprint.test(value))) return 0
  const classes = classesOf(value)
  if (name === "maybe") {
    if (random01 < 0.8 || value.length < 20 || classes < 2 || !drawn.test(value)) return 0
    return 0.35 + (kind.settings || (prefixed.test(written) && !hexadecimal.test(value)) ? 0.15 : 0)
  }
  const base = name === "token" ? 0.6 : 0.5
  if (random01 >= 0.5 && value.length >= 12) return base + 0.3 * random01
  if (random01 >= 0.5) return base
  if (name !== "key" && classes === 4 && chosen.test(value)) return 0.55
  if (!kind.settings || name === "key") return random01 >= 0.3 && classes >= 3 && value.length >= 12 ? 0.5 : 0.25
  return classes >= 3 && /\d/.test(value) && value.length >= 10 ? 0.55 : 0.3
}

const hexadecimal = /^[\da-f]+$/i
/** As people are made to choose them, and nothing that a program is made of. */
const chosen = /^[\w.-]*[!@#$%^*?][\w!@#$%^*?.-]*$/
/** Of a public key, as package managers are told whom to trust. */
const fingerprint = /^[\dA-F]{40}$/
/** What keys are made of: letters, digits and the marks of base64 and its like. */
const drawn = /^(?=.*\d)[\w+/=.~:-]+$/
/** `acmeKey`, `acme_key`: the key of something, which a lone `key` is not. */
const prefixed = /[a-z\d]{3}[_.-]?keys?$/i

const classesOf = (value: string): number =>
  Number(/[a-z]/.test(value)) +
  Number(/[A-Z]/.test(value)) +
  Number(/\d/.test(value)) +
  Number(/[^A-Za-z\d]/.test(value))

/** `newPassword`, `password-input`, `user_pass`: a name in code. */
const isIdentifier = (value: string): boolean =>
  /^[a-z]+(?:[A-Z][a-z]+)+$|^[a-z]+(?:[_-][a-z]+)+$|^[A-Z][a-z]+(?:[A-Z][a-z]+)*$|^[a-z]+$|^[A-Z]+$/.test(value)

/** The value repeats its name, or adds a word to it: `apiKey: "api-key"`, `token = "some_token"`. */
const saysItsName = (value: string, written: string): boolean => {
  const bare = (text: string) => text.toLowerCase().replace(/[^a-z]/g, "")
  const bareValue = bare(value)
  const last = bare(written.slice(written.lastIndexOf(".") + 1))
  if (bareValue.length < value.length * 0.75 || bareValue === "") return false
  if (bareValue.length >= 8 && last.endsWith(bareValue)) return true
  return bareValue === last || (last.length > 3 && bareValue.length <= last.length + 6 && bareValue.includes(last))
}
