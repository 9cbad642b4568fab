import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { KeyFileUnusable } from "../crypto/KeyFile.ts"
import type { DatabaseMissing, StoreUnusable } from "../StoreUnusable.ts"

/** A backup could not be written or restored; nothing was replaced. */
export class BackupFailed extends Schema.TaggedError<BackupFailed>()("BackupFailed", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The backup ${this.file} ${this.reason}`
  }
}

/** Asks for confirmation of a destructive plan. Fails if the answer is no. */
export type Confirm<E, R> = (plan: string) => Effect.Effect<void, E, R>

type Failure = BackupFailed | DatabaseMissing | KeyFileUnusable | StoreUnusable

export class Backups extends Context.Service<
  Backups,
  {
    /** Writes all data as of now to `target`, atomically. Replaces an existing backup after confirmation. */
    write<E, R>(target: string, confirm: Confirm<E, R>): Effect.Effect<void, E | Failure, R>
    /** Checks the backup, then replaces all data with it, atomically. */
    restore<E, R>(source: string, confirm: Confirm<E, R>): Effect.Effect<void, E | Failure, R>
  }
>()("@threat-exposure/service/backup/Backups") {}

export const underAnotherKey = (file: string, { keyFile, reason }: KeyFileUnusable): BackupFailed =>
  new BackupFailed({
    file,
    reason:
      `cannot be decrypted with ${keyFile}: ${reason}. Add the key that the backup was made with ` +
      `to that file, as a line of its own; rotate-key keeps former keys in ${keyFile}.retired-…`
  })
