import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { Backups } from "../backup/Backups.ts"
import { audit } from "./Audit.ts"
import { confirm, yes } from "./Confirmation.ts"
import { nameStore, resolveFromCaller } from "./DatabaseFlags.ts"
import { existingStoreFlags, storeFlags, type StoreFlagValues, storesOf } from "./StoreFlags.ts"

const target = Argument.String("TARGET").pipe(
  Argument.withDescription("The file to write; with --opensearch, a folder that each node can write to")
)

export const backup = Command.make(
  "backup",
  { ...existingStoreFlags, yes, target },
  Effect.fnUntraced(function* ({ target: given, yes, ...flags }) {
    const target = yield* resolveFromCaller(given)
    const { keyFile, name } = yield* withBackups(flags, ({ write }) => write(target, (plan) => confirm(plan, yes)))
    yield* audit("backup", { database: name, backup: target })
    yield* Console.log(`${name} is backed up to ${target}.`)
    yield* Console.log(
      `The key is not in it: keep a copy of ${keyFile} apart from the backup. Neither can be used without the other.`
    )
  })
).pipe(Command.withDescription("Write a copy of everything, also while services run"))

const source = Argument.String("SOURCE").pipe(Argument.withDescription("A file or folder that backup wrote"))

export const restore = Command.make(
  "restore",
  { ...storeFlags, yes, source },
  Effect.fnUntraced(function* ({ source: given, yes, ...flags }) {
    const source = yield* resolveFromCaller(given)
    const { name } = yield* withBackups(flags, ({ restore }) => restore(source, (plan) => confirm(plan, yes)))
    yield* audit("restore", { database: name, backup: source })
    yield* Console.log(`${source} is restored to ${name}.`)
  })
).pipe(Command.withDescription("Replace a whole database by a backup, or restore a backup to a cluster without data"))

/** Runs work with the backups of the store that the flags name. The store itself is not opened. */
const withBackups = Effect.fnUntraced(function* <E, R>(
  flags: StoreFlagValues,
  work: (backups: Backups["Service"]) => Effect.Effect<void, E, R>
) {
  const stores = yield* storesOf(flags, 0)
  yield* Effect.flatMap(Backups, work).pipe(Effect.provide(stores.backups), nameStore(stores.name))
  return stores
})
