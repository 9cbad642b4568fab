/** Durations on the command line: `30m`, `12h`, `90d`, `2w`. */
import * as Duration from "effect/Duration"

/** Undefined if the text is not a duration. */
export const durationOf = (text: string): Duration.Duration | undefined => {
  const [, count = "", unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  switch (unit) {
    case "m":
      return Duration.minutes(Number(count))
    case "h":
      return Duration.hours(Number(count))
    case "d":
      return Duration.days(Number(count))
    case "w":
      return Duration.weeks(Number(count))
  }
  return undefined
}
