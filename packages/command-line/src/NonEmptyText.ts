import * as Flag from "effect/cli/Flag"

/**
 * Rejects an empty value, which a script gives if its variable is unset: it must not mean the default or match nothing.
 */
export const nonEmptyText = (name: string, metavar: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.filter(
      (text) => /[^\s,]/u.test(text),
      () => "a value that is not empty"
    )
  )
