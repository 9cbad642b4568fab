import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { fileFailure } from "../output/FileFailure.ts"
import { say } from "../output/Output.ts"
import { Misused } from "./Misused.ts"

/** All of it, as text. Unreadable input must not count as empty. */
export const standardInput = Effect.gen(function* () {
  const { stdin, stdinIsTerminal } = yield* Stdio.Stdio
  if (yield* stdinIsTerminal) yield* say("Reading standard input; Ctrl-D on a new line ends it")
  return yield* Effect.mapError(
    Stream.mkString(Stream.decodeText(stdin)),
    ({ reason }) => new Misused({ message: `Standard input cannot be read (${fileFailure(reason)})` })
  )
})
