import * as Flag from "effect/cli/Flag"

/** Effect's own flag also takes `sh`, and prints a script for bash, which no other shell can read. */
export const completionsFlag = Flag.Literals("completions", ["bash", "zsh", "fish", "powershell"]).pipe(
  Flag.withMetavar("SHELL"),
  Flag.optional,
  Flag.withDescription("Print a script that completes commands and flags")
)
