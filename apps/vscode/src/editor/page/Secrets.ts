/** Hides passwords, keys and tokens in what strangers wrote: which fields are secrets by their name, and which parts of a text. */

/** A range of a text, in UTF-16 units. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** The text in place of a secret. */
export const masked = "••••••••"

/** Whether the value of a field with this name is a secret. */
export const namesSecret = (field: string): boolean => {
  const words = field
    .replaceAll(/([a-z\d])([A-Z])/gu, "$1_$2")
    .toLowerCase()
    .split(/[^a-z\d]+/u)
  return words.some((word, at) => secretWords.has(word) || secretPairs.has(`${words[at - 1]} ${word}`))
}

const secretWords = new Set(
  "password passwords passwd pwd passphrase passcode pass secret secrets token tokens cookie cookies cvv cvc pin apikey".split(
    " "
  )
)
const secretPairs = new Set(["api key", "private key", "access key", "secret key", "credential hash", "password hash"])

/** The positions of secrets in a text, ascending and without overlaps. */
export type FindSecrets = (text: string) => ReadonlyArray<Range>

/** As a reader reveals the secrets of a text: one by one, or all at once where there are too many for a button each. */
export const revealedTogether = (secrets: ReadonlyArray<Range>): ReadonlyArray<ReadonlyArray<Range>> =>
  secrets.length > 100 ? [secrets] : secrets.map((secret) => [secret])

/** The text without the secrets in it. */
export const withoutSecrets = (text: string, secrets: ReadonlyArray<Range>): string => {
  let shown = ""
  let from = 0
  for (const { start, end } of secrets) {
    shown += text.slice(from, start) + masked
    from = end
  }
  return shown + text.slice(from)
}
