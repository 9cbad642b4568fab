import * as Flag from "effect/cli/Flag"

/** Values separated by commas; the flag may be repeated. */
export const listFlag = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.atLeast(0),
    Flag.map((values) => values.flatMap((value) => value.split(",")).map((value) => value.trim())),
    Flag.withDescription(`${description}; separated by commas, or repeated`)
  )

export const optionalText = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.optional, Flag.withDescription(description))
