import { readBounded } from "@threat-exposure/detect/files/BoundedBytes"
import { decode, isBinary } from "@threat-exposure/detect/text/Bytes"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import { fileFailure } from "../output/FileFailure.ts"
import { say } from "../output/Output.ts"
import { UsageInvalid } from "./UsageInvalid.ts"

/** Maximum size of an input that is read as a whole. A device or a pipe may have no end. */
export const maxInputSize = 100_000_000

/**
 * Reads standard input to its end, as text of any encoding. Fails if it is unreadable, which must not count as empty.
 */
export const standardInput = Effect.gen(function* () {
  const { stdin, stdinIsTerminal } = yield* Stdio.Stdio
  if (yield* stdinIsTerminal) yield* say("Reading standard input; Ctrl-D on a new line ends it")
  const bytes = yield* readBounded(stdin, maxInputSize).pipe(
    Effect.mapError(
      ({ reason }) => new UsageInvalid({ message: `Standard input cannot be read (${fileFailure(reason)})` })
    )
  )
  if (bytes.length > maxInputSize) {
    return yield* new UsageInvalid({ message: `Standard input has more than ${maxInputSize / 1e6} MB` })
  }
  return isBinary(bytes) ? yield* new UsageInvalid({ message: "Standard input is not text" }) : decode(bytes)
})
