/** Durations on the command line: `30m`, `12h`, `90d`, `2w`. */
import * as Duration from "effect/Duration"

export const durationOf = (text: string): Duration.Duration | undefined => {
  const [, count, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  return units.get(unit)?.(Number(count))
}

const units = new Map([
  ["m", Duration.minutes],
  ["h", Duration.hours],
  ["d", Duration.days],
  ["w", Duration.weeks]
])
