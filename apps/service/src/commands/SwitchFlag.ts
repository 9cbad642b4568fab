import * as Flag from "effect/cli/Flag"

/** A flag that is off unless it is given. It takes no value, but `--NAME=false` turns it off. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withOptionalValue("true"), Flag.withDefault(false), Flag.withDescription(description))
