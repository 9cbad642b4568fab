/** How a text is shown without the secrets in it. */

/** Of a text, in UTF-16 units. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** What stands in place of a secret. */
export const masked = "••••••••"

/** Where secrets stand in a text, in order and apart from one another. */
export type FindSecrets = (text: string) => ReadonlyArray<Range>

/** Of the text, without what is secret in it. */
export const withoutSecrets = (text: string, secrets: ReadonlyArray<Range>): string => {
  let shown = ""
  let from = 0
  for (const { start, end } of secrets) {
    shown += text.slice(from, start) + masked
    from = end
  }
  return shown + text.slice(from)
}
