/** How commands fail: with a sentence for the person who ran them. */
import * as Schema from "effect/Schema"

export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  reason: Schema.String,
  exitCode: Schema.Int
}) {
  override get message() {
    return this.reason
  }
}

/** The command did not do its work, or not all of it. */
export const makeFailure = (reason: string) => new CommandFailed({ reason, exitCode: 1 })

/** The flags, or the variables in place of them, are wrong: nothing was done. */
export const makeMisuse = (reason: string) => new CommandFailed({ reason, exitCode: wrongUse })

export const wrongUse = 2
