/** Flags that take a time: a date, a date-time, or a span before now. */
import { instantOf } from "@threat-exposure/leak-check/config/TimeInput"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import { UsageInvalid } from "./UsageInvalid.ts"

export const sinceFlag = (what: string) =>
  Flag.String("since").pipe(
    Flag.withMetavar("WHEN"),
    Flag.optional,
    Flag.withDescription(`${what} at or after: 2026-01-31, 2026-01-31T08:00:00Z, or a span before now such as 30d`)
  )

export const untilFlag = (what: string) =>
  Flag.String("until").pipe(
    Flag.withMetavar("WHEN"),
    Flag.optional,
    Flag.withDescription(`${what} at or before, in the same forms`)
  )

/** The bounds of `--since` and `--until` as filters of the API; undefined if neither is given. */
export const timeRangeOf = Effect.fnUntraced(function* (flags: {
  readonly since: Option.Option<string>
  readonly until: Option.Option<string>
}) {
  const gte = yield* timeOf("since", flags.since)
  const lte = yield* timeOf("until", flags.until)
  if (gte !== undefined && lte !== undefined && gte > lte) {
    return yield* new UsageInvalid({ message: `--since (${gte}) is after --until (${lte}): nothing lies between them` })
  }
  return gte === undefined && lte === undefined
    ? undefined
    : { ...(gte === undefined ? {} : { gte }), ...(lte === undefined ? {} : { lte }) }
})

/** The time as the API expects it; undefined if the flag is not given. */
const timeOf = Effect.fnUntraced(function* (flag: string, given: Option.Option<string>) {
  if (Option.isNone(given)) return undefined
  const instant = instantOf(given.value, yield* DateTime.now)
  return instant === undefined
    ? yield* new UsageInvalid({
        message: `--${flag} takes a past date (2026-01-31), a date-time (2026-01-31T08:00:00Z) or a span before now (12h, 30d, 4w)`
      })
    : DateTime.formatIso(instant)
})
