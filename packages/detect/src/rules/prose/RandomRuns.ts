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
 * The parts of a run that may be a value: the text between the signs `=`, `:` and `&`, and the text that Markdown
 * emphasizes. A password may contain these signs, so the text after a name and its sign is one part as well, and so is
 * a run without a name.
 */
export const partsOf = (run: string): ReadonlyArray<Run> => {
  // Hot path: a load of events asks for every word, and most have no such sign.
  if (!/[=:&*_~]/.test(run)) return [{ text: run, start: 0 }]
  const mark = emphasis.exec(run)?.[0].length ?? 0
  if (mark > 0)
    return [
      { text: run, start: 0 },
      { text: run.slice(mark, -mark), start: mark }
    ]
  const between: Array<Run> = []
  let at = 0
  for (const text of run.split(/[=:&]/)) {
    if (text !== "") between.push({ text, start: at })
    at += text.length + 1
  }
  const start = between.length > 1 && between[0]?.start === 0 ? run.search(/[=:]/) + 1 : 0
  const whole = { text: run.slice(start), start }
  return between.some(({ text }) => text === whole.text) ? between : [whole, ...between]
}

/** The marks before text that the same marks follow. */
const emphasis = /^([*_~]{1,3})(?=[^*_~]+\1$)/

const randomParts = (run: string, start: number): ReadonlyArray<SecretInProse> =>
  partsOf(run).flatMap((part) => {
    const bare = withoutPunctuation(part.text)
    return looksRandom(bare) ? [{ start: start + part.start, end: start + part.start + bare.length }] : []
  })

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

/** Quotation marks, brackets, dashes and the like of other scripts separate too, but no sign that keyboards have. */
const runPattern = /[^\s"'`<>()[\]{},;|\\\p{Pi}\p{Pf}\p{Ps}\p{Pe}\p{Cf}\u2010-\u2015\u2026、。！，：；？]+/gu
const maxRun = 4096
const randomAlphabet = /^[A-Za-z0-9+/=_.-]+$/
const ordinaryPart = /^(?:[A-Za-z]?[a-z]*|[A-Z]+|\d+)$/
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
