import * as Schema from "effect/Schema"
import { exitCodes } from "../ExitCode.ts"

/** The flags contradict each other, or one has an invalid value; `message` says which one, and what to give instead. */
export class UsageInvalid extends Schema.TaggedError<UsageInvalid>()("UsageInvalid", { message: Schema.String }) {
  readonly exitCode = exitCodes.usage
}
