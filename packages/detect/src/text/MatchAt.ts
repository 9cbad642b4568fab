import type { Span } from "./Spans.ts"

/** Matches a sticky expression (flag `y`) at one offset. */
export const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Like `matchAt`, but does not create a match object. */
export const isMatch = (pattern: RegExp, text: string, at: number): boolean => {
  pattern.lastIndex = at
  return pattern.test(text)
}

/** The groups that matched. The expression needs the flag `d`; `offset` is that of the searched text. */
export const groupsOf = ({ indices }: RegExpExecArray, offset = 0): ReadonlyArray<Span> =>
  (indices ?? [])
    .slice(1)
    .flatMap((span: readonly [number, number] | undefined) =>
      span === undefined ? [] : [{ start: offset + span[0], end: offset + span[1] }]
    )

/** An expression that matches where one of several does. */
export const anyOf = (patterns: ReadonlyArray<RegExp>, flags?: string): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join("|"), flags)

/** Replaces each space by `blanks`, and ` ?` by `anyBlanks`, except after an opening bracket; adds the flag `d`. */
export const withBlanks = ({ flags, source }: RegExp, blanks: string, anyBlanks: string): RegExp =>
  new RegExp(
    source.replaceAll(/(?<!\[) (\?)?/g, (_, optional) => (optional === undefined ? blanks : anyBlanks)),
    `${flags}d`
  )
