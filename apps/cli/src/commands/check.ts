import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { checkFlags } from "../check/CheckFlags.ts"

export const check = Command.make("check", checkFlags, (given) =>
  Effect.flatMap(
    Effect.promise(() => import("../check/Check.ts")),
    ({ check }) => check(given)
  )
).pipe(
  Command.withDescription(
    "Check whether secrets in code, or secrets given by name, have leaked. Without a flag: the commits of a CI build, elsewhere what is not committed yet"
  ),
  Command.withExamples([
    { command: "threat-exposure check", description: "What is not committed yet" },
    { command: "threat-exposure check services/api --tree", description: "All files of one folder" },
    {
      command: "threat-exposure check --staged --offline --fail-on candidates",
      description: "A hook that needs no network"
    },
    { command: "threat-exposure check --range origin/main..HEAD --output sarif=leaks.sarif", description: "A branch" },
    { command: "threat-exposure check --machine", description: "Files of your home folder that stealers look for" },
    { command: "threat-exposure check --findings found.json", description: "What another scanner has found" },
    { command: "vault read -format=json app | threat-exposure check --stdin", description: "The secrets of a vault" }
  ])
)
