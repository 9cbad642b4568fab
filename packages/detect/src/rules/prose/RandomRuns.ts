/** Finds values that look random in any position, and secrets in URLs. */
import { isSecretName } from "../SecretName.ts"
import { proseRule, type SecretInProse } from "./ProseRule.ts"

export const randomRuns = proseRule((text) =>
  runsIn(text).flatMap(({ start, text: run }) =>
    run.includes("://") ? secretsInUrl(run, start) : randomParts(run, start)
  )
)

/**
 * Whether a run of at least 16 characters mixes letters and digits unlike a word, number, date, version or file name.
 * Stored texts and queries use the same rule.
 */
export const looksRandom = (run: string): boolean => {
  if (run.length < 16 || run.length > maxRun || !randomAlphabet.test(run) || uuid.test(run)) return false
  const parts = run.split(/[-_./+=]+/)
  if (parts.some((part) => part.length >= 16 && /\d/.test(part) && /[A-Za-z]/.test(part))) return true
  return (
    run.length >= 20 &&
    /[a-z]/.test(run) &&
    /[A-Z]/.test(run) &&
    /\d/.test(run) &&
    parts.filter((part) => !ordinaryPart.test(part)).length > parts.length / 4
  )
}

export interface Run {
  readonly text: string
  readonly start: number
}

/** Runs of characters between white space, quotes, brackets and separators, except those longer than any password. */
export const runsIn = (text: string): ReadonlyArray<Run> =>
  Array.from(text.matchAll(runPattern), ({ 0: run, index }) => ({ text: run, start: index })).filter(
    ({ text: { length } }) => length <= maxRun
  )

export const withoutPunctuation = (run: string): string => {
  let end = run.length
  while (end > 0 && ".,;:!?".includes(run.charAt(end - 1))) end -= 1
  return run.slice(0, end)
}

/**
 * A password may itself contain `=` or `:`, so both the parts between these signs and the whole rest after the first
 * one are tried.
 */
const randomParts = (run: string, start: number): ReadonlyArray<SecretInProse> => {
  const sign = run.search(/[=:]/)
  const parts =
    sign <= 0 || sign >= run.length - 1
      ? [{ part: run, at: 0 }]
      : [{ part: run.slice(sign + 1), at: sign + 1 }, ...partsBetweenSigns(run)]
  return parts.flatMap(({ at, part }) => {
    const bare = withoutPunctuation(part)
    return looksRandom(bare) ? [{ start: start + at, end: start + at + bare.length }] : []
  })
}

const partsBetweenSigns = (run: string) =>
  Array.from(run.matchAll(/[^=:]+/g), ({ 0: part, index }) => ({ part, at: index }))

const secretsInUrl = (run: string, start: number): ReadonlyArray<SecretInProse> => {
  const found: Array<SecretInProse> = []
  const authority = run.indexOf("://") + 3
  const pathAt = run.slice(authority).search(/[/?#]/)
  const authorityEnd = pathAt === -1 ? run.length : authority + pathAt
  const at = run.slice(0, authorityEnd).lastIndexOf("@")
  let rest = authority
  if (at > authority) {
    const colon = run.indexOf(":", authority)
    if (colon > authority && colon < at - 1) {
      found.push({ start: start + colon + 1, end: start + at, account: run.slice(authority, colon) })
    }
    rest = at + 1
  }
  for (const piece of run.slice(rest).matchAll(/([?&#]([\w.-]{1,200})=)?([^/?&#=]+)/g)) {
    const { 1: parameter = "", 2: name = "", 3: value = "", index } = piece
    const bare = withoutPunctuation(value)
    if (bare !== "" && (isSecretName(name) || looksRandom(bare))) {
      const from = start + rest + index + parameter.length
      found.push({ start: from, end: from + bare.length })
    }
  }
  return found
}

const runPattern = /[^\s"'`<>()[\]{},;|\\]+/gu
const maxRun = 4096
const randomAlphabet = /^[A-Za-z0-9+/=_.-]+$/
const ordinaryPart = /^(?:[A-Za-z]?[a-z]*|[A-Z]+|\d+)$/
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
