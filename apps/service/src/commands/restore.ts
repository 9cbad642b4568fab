import { statSync } from "node:fs"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { KeyFileUnusable } from "../crypto/KeyFile.ts"
import { sqliteSameThread } from "../Sqlite.ts"
import { BackupFailed, replaceDatabase, withBackupCopy } from "../sqlite/Backup.ts"
import { query } from "../sqlite/Connection.ts"
import { Database, DatabaseUnusable } from "../sqlite/Database.ts"
import { audit } from "./Audit.ts"
import { confirm, yes } from "./Confirmation.ts"
import { databaseFilesOf, databaseFlags, namingDatabase, resolveFromCaller } from "./DatabaseFlags.ts"

export const restore = Command.make(
  "restore",
  { ...databaseFlags, yes, source: Argument.String("FILE").pipe(Argument.withDescription("A file that backup wrote")) },
  Effect.fnUntraced(function* ({ source: given, yes, ...flags }) {
    const files = yield* databaseFilesOf(flags)
    const source = yield* resolveFromCaller(given)
    yield* withBackupCopy({ backup: source, database: files.file }, (copy) =>
      Effect.gen(function* () {
        const { connection } = yield* Database
        const found = connection.first(counts)
        const plan = `This restores ${source} (${found?.credentials ?? 0} credentials, ${found?.events ?? 0} events) to ${files.file}.`
        if (holdsData(files.file)) {
          yield* confirm(
            `${plan} Everything in it is replaced: what was written since the backup is lost, and API keys that were revoked since are valid again.`,
            yes
          )
        }
        yield* replaceDatabase(connection, files.file)
      }).pipe(
        Effect.provide(sqliteSameThread({ file: copy, keyFile: files.keyFile })),
        Effect.mapError((failure) => {
          if (failure instanceof DatabaseUnusable) {
            return new BackupFailed({ file: source, reason: `cannot be used: ${failure.reason}` })
          }
          if (!(failure instanceof KeyFileUnusable)) return failure
          return new BackupFailed({
            file: source,
            reason:
              `cannot be decrypted with ${files.keyFile}: ${failure.reason}. Add the key that the backup was made with ` +
              `to that file, as a line of its own; rotate-key keeps former keys in ${files.keyFile}.retired-…`
          })
        }),
        namingDatabase(files)
      )
    )
    yield* audit("restore", { database: files.file, backup: source })
    yield* Console.log(`${files.file} has everything of ${source}.`)
  })
).pipe(Command.withDescription("Replace the whole database by a backup, also while the service runs"))

const counts = query(
  Schema.Struct({ credentials: Schema.Int, events: Schema.Int }),
  "SELECT (SELECT count(*) FROM credentials) AS credentials, (SELECT count(*) FROM events) AS events"
)

const holdsData = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0
