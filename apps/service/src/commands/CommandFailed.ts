import * as Schema from "effect/Schema"

export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  reason: Schema.String,
  exitCode: Schema.Int
}) {
  override get message() {
    return this.reason
  }
}

/** The command did not do all of its work. */
export const makeFailure = (reason: string) => new CommandFailed({ reason, exitCode: 1 })

/** The flags, or their environment variables, are invalid. Nothing was done. */
export const makeMisuse = (reason: string) => new CommandFailed({ reason, exitCode: wrongUse })

export const wrongUse = 2
