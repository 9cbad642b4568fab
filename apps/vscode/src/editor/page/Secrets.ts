/** Finds and hides passwords, keys and tokens in text from leaks, by field name or position. */

/** A range of a text, in UTF-16 units. */
export interface Range {
  readonly start: number
  readonly end: number
}

export const masked = "••••••••"

/** Whether the name of a field says that its value is a secret. */
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

/** Returns the positions of secrets in a text, ascending and without overlaps. */
export type FindSecrets = (text: string) => ReadonlyArray<Range>

/** Groups the secrets that one button reveals: each alone or, if there are too many, all together. */
export const revealedTogether = (secrets: ReadonlyArray<Range>): ReadonlyArray<ReadonlyArray<Range>> =>
  secrets.length > 100 ? [secrets] : secrets.map((secret) => [secret])

/** Replaces the secrets with placeholders. */
export const withoutSecrets = (text: string, secrets: ReadonlyArray<Range>): string => {
  let shown = ""
  let from = 0
  for (const { start, end } of secrets) {
    shown += text.slice(from, start) + masked
    from = end
  }
  return shown + text.slice(from)
}
