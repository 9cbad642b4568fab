import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { fileFailure } from "../output/FileFailure.ts"
import { UsageInvalid } from "./UsageInvalid.ts"

/** All of it, as text. Unreadable input must not count as empty. */
export const standardInput = Effect.gen(function* () {
  const { stdin } = yield* Stdio.Stdio
  return yield* Effect.mapError(
    Stream.mkString(Stream.decodeText(stdin)),
    ({ reason }) => new UsageInvalid({ message: `Standard input cannot be read (${fileFailure(reason)})` })
  )
})
