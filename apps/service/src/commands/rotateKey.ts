import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { KeyFileUnusable } from "../crypto/KeyFile.ts"
import { keyedTables } from "../Sqlite.ts"
import { Database, whenUnlocked } from "../sqlite/Database.ts"
import { beginRotation, retireKeys } from "../sqlite/DatabaseKey.ts"
import { progressLines, rekeyAll } from "../sqlite/Rekeying.ts"
import { audit } from "./Audit.ts"
import { confirm, yes } from "./Confirmation.ts"
import { databaseFilesOf, databaseFlags, withDatabase } from "./DatabaseFlags.ts"

export const rotateKey = Command.make(
  "rotate-key",
  { ...databaseFlags, yes },
  Effect.fnUntraced(
    function* ({ yes, ...flags }) {
      const { file, keyFile } = yield* databaseFilesOf(flags)
      const { connection } = yield* Database
      yield* confirm(
        `This makes a new key, encrypts everything in ${file} under it, and builds every index that depends on the key anew. ` +
          `A service can go on serving meanwhile. The disk needs room for a second copy of the indexes. ` +
          `Cursors and tokens given out before the end become invalid: programs start their listings again. ` +
          `The former key is kept beside ${keyFile}, for backups made before.`,
        yes
      )
      const locked = <A>(body: () => A) =>
        whenUnlocked(file, () => connection.transaction(body, 0)).pipe(
          Effect.catch(({ cause }) => (cause instanceof KeyFileUnusable ? Effect.fail(cause) : Effect.die(cause)))
        )
      const change = yield* locked(() => {
        // Those of a rotation that was killed after its last transaction.
        retireKeys(connection, keyFile)
        return beginRotation(connection, keyFile)
      })
      yield* rekeyAll({
        ...change,
        connection,
        tables: keyedTables,
        locked,
        progress: progressLines("encrypting")
      }).pipe(
        Effect.onInterrupt(() =>
          Console.error(
            `stopped: ${keyFile} has both keys, and both are needed. Run rotate-key again to continue where it stopped.`
          )
        )
      )
      const retired = yield* locked(() => retireKeys(connection, keyFile))
      yield* audit("rotate-key", { database: file })
      yield* Console.log(`Everything in ${file} is under the new key in ${keyFile}.`)
      for (const former of retired) {
        yield* Console.log(`The former key is in ${former}: backups made before need it. Delete it together with them.`)
      }
    },
    (work, given) => withDatabase(given)(work)
  )
).pipe(Command.withDescription("Encrypt everything under a new key, also while the service runs"))
