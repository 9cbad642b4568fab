import * as Schema from "effect/Schema"
import { exitCodes } from "../ExitCode.ts"

/** The flags contradict each other, or one has a value that it cannot take; `message` says which and what to give. */
export class UsageInvalid extends Schema.TaggedError<UsageInvalid>()("UsageInvalid", { message: Schema.String }) {
  readonly exitCode = exitCodes.usage
}
