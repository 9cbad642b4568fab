import { existsSync } from "node:fs"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { writeBackup } from "../sqlite/Backup.ts"
import { Database } from "../sqlite/Database.ts"
import { audit } from "./Audit.ts"
import { confirm, yes } from "./Confirmation.ts"
import { databaseFilesOf, databaseFlags, resolveFromCaller, withDatabase } from "./DatabaseFlags.ts"

export const backup = Command.make(
  "backup",
  { ...databaseFlags, yes, target: Argument.String("FILE").pipe(Argument.withDescription("The file to write")) },
  Effect.fnUntraced(
    function* ({ target: given, yes, ...flags }) {
      const { file, keyFile } = yield* databaseFilesOf(flags)
      const target = yield* resolveFromCaller(given)
      if (existsSync(target)) yield* confirm(`This replaces ${target} by a backup of ${file}.`, yes)
      const { connection } = yield* Database
      yield* writeBackup(connection, target)
      yield* audit("backup", { database: file, backup: target })
      yield* Console.log(`${file} as of now is in ${target}.`)
      yield* Console.log(
        `The key is not in it: keep a copy of ${keyFile} apart from the backup. Neither can be used without the other.`
      )
    },
    (work, given) => withDatabase(given)(work)
  )
).pipe(Command.withDescription("Write a copy of the whole database, also while the service runs"))
