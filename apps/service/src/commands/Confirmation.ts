import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Prompt from "effect/cli/Prompt"
import { switchFlag } from "@threat-exposure/command-line/SwitchFlag"
import { makeFailure } from "./CommandFailed.ts"

export const yes = switchFlag("yes", "Do not ask; required without a terminal")

/** Prints the plan of a command, and continues after confirmation with `--yes` or at the terminal. */
export const confirm = Effect.fnUntraced(function* (plan: string, yes: boolean) {
  yield* Console.log(plan)
  if (yes) return
  if (!process.stdin.isTTY) {
    return yield* makeFailure("Nothing was changed: there is no terminal to ask on. Give --yes to confirm")
  }
  const agreed = yield* Prompt.run(Prompt.Confirm({ message: "This cannot be undone. Continue?" })).pipe(
    Effect.orElseSucceed(() => false)
  )
  if (!agreed) return yield* makeFailure("Nothing was changed: it was not confirmed")
})
