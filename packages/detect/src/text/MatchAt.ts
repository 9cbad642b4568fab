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

/** An expression that matches where one of several does. */
export const anyOf = (patterns: ReadonlyArray<RegExp>, flags?: string): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join("|"), flags)

/** Replaces each space by `blanks`, and ` ?` by `anyBlanks`, except after an opening bracket. */
export const withBlanks = ({ flags, source }: RegExp, blanks: string, anyBlanks: string): RegExp =>
  new RegExp(
    source.replaceAll(/(?<!\[) (\?)?/g, (_, optional) => (optional === undefined ? blanks : anyBlanks)),
    flags
  )
