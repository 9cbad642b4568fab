import * as Schema from "effect/Schema"
import { exitCodes } from "../ExitCode.ts"

/** The flags contradict each other, or one has a value that it cannot take; `message` says which and what to give. */
export class Misused extends Schema.TaggedError<Misused>()("Misused", { message: Schema.String }) {
  readonly exitCode = exitCodes.misused
}
