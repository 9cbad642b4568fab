/** The failures of a scan. None of them contains file content. */
import { Schema } from "effect"

/** The root is not a folder that can be read. */
export class RootUnreadable extends Schema.TaggedError<RootUnreadable>()("RootUnreadable", {
  root: Schema.String
}) {
  override get message() {
    return `The folder ${JSON.stringify(this.root)} cannot be read: check that it exists and may be opened`
  }
}

/** There is no git repository at the root, or git does not trust its owner. */
export class NotARepository extends Schema.TaggedError<NotARepository>()("NotARepository", {
  root: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    const root = JSON.stringify(this.root)
    const advice = /dubious ownership|unsafe repository/.test(this.reason)
      ? `it belongs to another user. If you trust it, run git config --global --add safe.directory ${root}`
      : this.reason.includes("not a git repository (or any")
        ? "check out the repository first, or scan its tree"
        : this.reason.includes("is where git keeps the data of")
          ? "change to the folder above it"
          : "change to a folder whose repository is complete, or name one with GIT_DIR"
    return `${root} is not a git repository that can be read (${this.reason}): ${advice}`
  }
}

/** The revision is not in this clone. A shallow clone has to be deepened first. */
export class RevisionMissing extends Schema.TaggedError<RevisionMissing>()("RevisionMissing", {
  revision: Schema.String,
  shallow: Schema.Boolean
}) {
  override get message() {
    return `The revision ${JSON.stringify(this.revision)} is not in this ${this.shallow ? "shallow clone: fetch more of its history" : "repository: check the name, or fetch it"}`
  }
}

/** The range reaches the edge of a shallow clone, so the lines that its commits added cannot be determined. */
export class HistoryShallow extends Schema.TaggedError<HistoryShallow>()("HistoryShallow", {
  base: Schema.UndefinedOr(Schema.String),
  head: Schema.String
}) {
  override get message() {
    const start = this.base === undefined ? "the first commit" : JSON.stringify(this.base)
    return `The commits between ${start} and ${JSON.stringify(this.head)} are not all in this shallow clone: fetch more of its history`
  }
}

/** git could not be run, or failed. */
export class GitFailed extends Schema.TaggedError<GitFailed>()("GitFailed", {
  /** The subcommand alone: arguments may hold what a user typed. */
  command: Schema.String,
  exitCode: Schema.UndefinedOr(Schema.Finite),
  reason: Schema.String
}) {
  override get message() {
    return `git ${this.command} failed${this.exitCode === undefined ? "" : ` with exit code ${this.exitCode}`}: ${this.reason}`
  }
}

/** Every failure by name: pick one out with `Effect.catchTag`, several with `Effect.catchTags`. */
export type ScanError = RootUnreadable | NotARepository | RevisionMissing | HistoryShallow | GitFailed
