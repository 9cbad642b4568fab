/**
 * Check values in the database identify the right key file, and tell running services that a rotation began or ended.
 */
import { timingSafeEqual } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import * as Schema from "effect/Schema"
import {
  createKeyFile,
  keepOnlyKey,
  keyCheckOf,
  KeyFileUnusable,
  newKeyBeside,
  readKeyFile,
  replaceKeyFile
} from "../../crypto/KeyFile.ts"
import { Vault } from "../../crypto/Vault.ts"
import { type Connection, select } from "./Connection.ts"
import type { OpenDatabase } from "./Procedure.ts"
import type { KeyChange } from "./KeyRotation.ts"
import { RowsMissing } from "./RequiredRows.ts"
import { monotonicNow } from "../../MonotonicTime.ts"

/**
 * Format 2 had no seals of API keys and no index terms for `credential_hash`. In format 3, identifiers and answers that
 * did not change later named no tenant.
 */
const presentFormat = 4

const readKeys = (connection: Connection): StoredKeys | undefined => connection.first(keysRow)

const StoredKeys = Schema.Struct({
  format: Schema.Int,
  key_check: Schema.Uint8Array,
  /** The check of the new key during a rotation; otherwise null. */
  next_check: Schema.NullOr(Schema.Uint8Array),
  /** A number that changes when a backup is restored. */
  restored: Schema.Int
})
interface StoredKeys extends Schema.Schema.Type<typeof StoredKeys> {}

/**
 * Opens the vault of a database. Only a new database, which gets a key, needs the write lock. Throws SQLITE_BUSY if
 * another process holds it, and `KeyFileUnusable` if the file is missing or belongs to another database, because
 * existing data could not be decrypted.
 */
export const openVault = (connection: Connection, keyFile: string): Vault => {
  const known = readKeys(connection)
  return known === undefined
    ? connection.transaction(() => firstVault(connection, keyFile), 0)
    : vaultOf(keyFile, known)
}

/** Another process may have stored its key while this one was waiting for the lock. */
const firstVault = (connection: Connection, keyFile: string): Vault => {
  const known = readKeys(connection)
  if (known !== undefined) return vaultOf(keyFile, known)
  // Without this row, there is no way to know whether the key file belongs to the data.
  if (connection.tuples(holdsKeyedData)[0]?.[0] !== 0) throw new RowsMissing("vault")
  const [key = createKeyFile(keyFile)] = readKeyFile(keyFile) ?? []
  const vault = new Vault(key)
  connection.insert("vault", { key_check: checkOf(key), format: presentFormat })
  return vault
}

const vaultOf = (keyFile: string, stored: StoredKeys): Vault => {
  if (stored.format !== presentFormat) throw new Error("it was written by another version, and is not upgraded yet")
  const { next, present } = keysOfData(keyFile, stored)
  return new Vault(present, next === undefined ? [] : [next])
}

const keysOfData = (keyFile: string, { key_check, next_check }: StoredKeys, format = presentFormat) => {
  const keys = readExistingKeys(keyFile)
  const find = (check: Uint8Array) => keys.find((key) => isCheckOf(key, check, format))
  const present = find(key_check)
  if (present === undefined) throw new KeyFileUnusable({ keyFile, reason: "it belongs to another database" })
  const next = next_check === null ? undefined : find(next_check)
  if (next_check !== null && next === undefined) throw new KeyFileUnusable({ keyFile, reason: lacksNext })
  return { present, next }
}

/**
 * Upgrades a database of an earlier format. The check values change with the format, so that nobody without the key file
 * can make a database look like an earlier one again.
 */
export const upgradeFormat = (
  connection: Connection,
  keyFile: string,
  upgradeRows: (database: OpenDatabase, format: number) => void
): void => {
  if (!isEarlier(readKeys(connection))) return
  connection.transaction(() => {
    // Another process may have upgraded it.
    const known = readKeys(connection)
    if (!isEarlier(known)) return
    const { next, present } = keysOfData(keyFile, known, known.format)
    upgradeRows({ connection, vault: new Vault(present, next === undefined ? [] : [next]) }, known.format)
    connection.run(
      "UPDATE vault SET key_check = ?, next_check = ?, format = ?",
      checkOf(present),
      next === undefined ? null : checkOf(next),
      presentFormat
    )
  }, 0)
}

const isEarlier = (keys: StoredKeys | undefined): keys is StoredKeys => keys?.format === 2 || keys?.format === 3

/**
 * Begins a key rotation, or continues an interrupted one. From then on the key file contains both keys, the new one
 * last. Throws `KeyFileUnusable` before anything is changed.
 */
export const beginRotation = (connection: Connection, keyFile: string): KeyChange => {
  const known = readKeys(connection)
  if (known === undefined) throw new Error("it has no key yet")
  const { present, next = newKeyBeside([present]) } = keysOfData(keyFile, known)
  const nextCheck = checkOf(next)
  if (known.next_check === null) {
    replaceKeyFile(keyFile, [present, next])
    connection.run("UPDATE vault SET next_check = ?", nextCheck)
  }
  return {
    vault: new Vault(next, [present]),
    isPending: () => readKeys(connection)?.next_check !== null,
    finish: () => connection.run("UPDATE vault SET key_check = ?, next_check = NULL", nextCheck)
  }
}

/** After a rotation, runs {@link keepOnlyKey} with the current key. */
export const retireKeys = (connection: Connection, keyFile: string): ReadonlyArray<string> => {
  const known = readKeys(connection)
  if (known === undefined || known.next_check !== null) return []
  const present = readExistingKeys(keyFile).find((key) => isCheckOf(key, known.key_check))
  return present === undefined ? [] : keepOnlyKey(keyFile, keyCheckOf(present))
}

const holdsKeyedData = `SELECT ${["keys", "identifiers", "intel_requests", "events", "credentials"]
  .map((table) => `EXISTS (SELECT 1 FROM ${table})`)
  .join(" OR ")}`

const readExistingKeys = (keyFile: string): ReadonlyArray<Uint8Array> => {
  const keys = readKeyFile(keyFile)
  if (keys !== undefined) return keys
  throw new KeyFileUnusable({ keyFile, reason: "it is missing, and the database holds data encrypted with it" })
}

export const isRotating = (connection: Connection): boolean => (readKeys(connection)?.next_check ?? null) !== null

const lacksNext = "it lacks the second key of the key rotation in progress, and part of the data is encrypted with it"

const checkOf = (key: Uint8Array, format = presentFormat): Uint8Array =>
  new Vault(key).blindIndex("check", format === 2 ? "" : String(format))

const isCheckOf = (key: Uint8Array, check: Uint8Array, format = presentFormat): boolean => {
  const expected = checkOf(key, format)
  return check.length === expected.length && timingSafeEqual(expected, check)
}

const keysRow = select(StoredKeys, "FROM vault")

/** A connection whose vault is that of its data in a transaction; outside, it may be a millisecond old. */
export class KeyedConnection implements OpenDatabase {
  readonly connection: Connection
  readonly #keyFile: string
  #vault: Vault
  #keys: StoredKeys | undefined
  #dataVersion: unknown
  #checkedIn: number | undefined
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(connection: Connection, keyFile: string) {
    this.connection = connection
    this.#keyFile = keyFile
    this.#vault = openVault(connection, keyFile)
    this.#dataVersion = connection.dataVersion
    this.#keys = readKeys(connection)
  }

  get vault(): Vault {
    // Cached for a millisecond, because each check of the database takes and releases file locks, which takes as long
    // as a look-up.
    const { transactionNumber } = this.connection
    if (transactionNumber === undefined) {
      const now = monotonicNow()
      if (now - this.#checkedAt >= 1) {
        this.#check()
        this.#checkedAt = now
      }
    } else if (transactionNumber !== this.#checkedIn) {
      this.#check()
      this.#checkedIn = transactionNumber
    }
    return this.#vault
  }

  #check(): void {
    const { dataVersion } = this.connection
    if (dataVersion === this.#dataVersion) return
    const keys = readKeys(this.connection)
    if (!isDeepStrictEqual(keys, this.#keys)) {
      this.#vault = openVault(this.connection, this.#keyFile)
      this.#keys = keys
    }
    this.#dataVersion = dataVersion
  }
}
