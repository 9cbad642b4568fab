import { decode, isBinary } from "@threat-exposure/detect/text/Bytes"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import { fileFailure } from "../output/FileFailure.ts"
import { say } from "../output/Output.ts"
import { maxInputSize, readAtMost } from "./BoundedBytes.ts"
import { UsageInvalid } from "./UsageInvalid.ts"

/**
 * Reads standard input to its end, as text of any encoding. Fails if it is unreadable, which must not count as empty.
 */
export const standardInput = Effect.gen(function* () {
  const { stdin, stdinIsTerminal } = yield* Stdio.Stdio
  if (yield* stdinIsTerminal) yield* say("Reading standard input; Ctrl-D on a new line ends it")
  const bytes = yield* readAtMost(stdin, maxInputSize).pipe(
    Effect.mapError(
      ({ reason }) => new UsageInvalid({ message: `Standard input cannot be read (${fileFailure(reason)})` })
    )
  )
  if (Option.isNone(bytes)) {
    return yield* new UsageInvalid({ message: `Standard input has more than ${maxInputSize / 1e6} MB` })
  }
  return isBinary(bytes.value)
    ? yield* new UsageInvalid({ message: "Standard input is not text" })
    : decode(bytes.value)
})
