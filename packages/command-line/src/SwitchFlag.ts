import * as Flag from "effect/cli/Flag"

/** A flag that is off unless it is given. It takes a value after `=` only: in `event --json 1`, the uid is 1. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withOptionalValue("true"), Flag.withDefault(false), Flag.withDescription(description))
