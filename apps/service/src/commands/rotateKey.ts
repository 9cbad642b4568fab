import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import { KeyFileUnusable } from "../crypto/KeyFile.ts"
import { keyedTables } from "../sqlite/Sqlite.ts"
import { Database, retryWhileLocked } from "../sqlite/database/Database.ts"
import { beginRotation, retireKeys } from "../sqlite/database/DatabaseKey.ts"
import { rotateKeys } from "../sqlite/database/KeyRotation.ts"
import { progressLines } from "../RowProgress.ts"
import { clusterEngine } from "../Services.ts"
import { audit } from "./Audit.ts"
import { confirm, yes } from "./Confirmation.ts"
import { nameStore, withDatabase } from "./DatabaseFlags.ts"
import { hostsOf, existingStoreFlags, requireCluster, type StoreFlagValues } from "./StoreFlags.ts"

export const rotateKey = Command.make(
  "rotate-key",
  { ...existingStoreFlags, yes },
  Effect.fnUntraced(function* ({ yes, ...flags }) {
    if (Option.isSome(flags.opensearch)) return yield* rotateOfCluster(flags, yes)
    yield* rotateOfDatabase(yes).pipe(withDatabase(flags))
  })
).pipe(Command.withDescription("Encrypt everything with a new key, also while services run"))

const rotateOfDatabase = Effect.fnUntraced(function* (yes: boolean) {
  const {
    connection,
    files: { file, keyFile }
  } = yield* Database
  yield* confirm(
    `This creates a new key, encrypts everything in ${file} with it, and rebuilds every index that depends on the key. ` +
      `Services can run meanwhile. The disk needs space for a second copy of the indexes. ` +
      describeOutdated(keyFile),
    yes
  )
  const withLock = <A>(body: () => A) =>
    retryWhileLocked(file, () => connection.transaction(body, 0)).pipe(
      Effect.catch(({ cause }) => (cause instanceof KeyFileUnusable ? Effect.fail(cause) : Effect.die(cause)))
    )
  const change = yield* withLock(() => {
    // Removes keys of a rotation that was killed after its last transaction.
    retireKeys(connection, keyFile)
    return beginRotation(connection, keyFile)
  })
  yield* rotateKeys({
    ...change,
    connection,
    tables: keyedTables,
    withLock,
    progress: progressLines("encrypting")
  }).pipe(
    Effect.onInterrupt(() =>
      Console.error(
        `stopped: ${keyFile} contains both keys, and both are needed. Run rotate-key again to continue where it stopped.`
      )
    )
  )
  yield* reportRotated(file, keyFile, yield* withLock(() => retireKeys(connection, keyFile)))
})

const rotateOfCluster = Effect.fnUntraced(function* (given: StoreFlagValues, yes: boolean) {
  const options = yield* requireCluster(given)
  const { keyFile } = options
  const name = hostsOf(options)
  const engine = yield* clusterEngine
  const retired = yield* engine
    .rotateKey({
      options,
      confirm: (isRepeated) =>
        confirm(
          (isRepeated ? `This deletes what an interrupted rotation has left: continue only if none is running. ` : "") +
            `This creates a new key, and copies everything in ${name} that is encrypted to new indices that use it. ` +
            `Services answer searches meanwhile; loads and changes are refused until it ends. ` +
            `The disks need space for a second copy of these indices. ` +
            describeOutdated(keyFile),
          yes
        ),
      progress: progressLines("encrypting")
    })
    .pipe(
      nameStore(name),
      Effect.onInterrupt(() =>
        Console.error(`stopped: ${name} still uses the former key. Run rotate-key again to start from the beginning.`)
      )
    )
  yield* reportRotated(name, keyFile, retired)
  yield* Console.log(
    `If other machines have copies of ${keyFile}, replace them now: their services answer 503 until then.`
  )
})

const describeOutdated = (keyFile: string): string =>
  `Cursors and access tokens become invalid: programs exchange their API key again, and restart their listings. ` +
  `The former key is kept beside ${keyFile}, for earlier backups.`

const reportRotated = Effect.fnUntraced(function* (name: string, keyFile: string, retired: ReadonlyArray<string>) {
  yield* audit("rotate-key", { database: name })
  yield* Console.log(`Everything in ${name} is now encrypted with the new key in ${keyFile}.`)
  for (const former of retired) {
    yield* Console.log(`The former key is in ${former}: earlier backups need it. Delete it together with them.`)
  }
})
