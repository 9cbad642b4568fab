/** Which key a database is encrypted with: a keyed check value in the database tells the right key file from a wrong one. */
import { timingSafeEqual } from "node:crypto"
import * as Schema from "effect/Schema"
import { createKeyFile, KeyFileUnusable, readKeyFile } from "../crypto/KeyFile.ts"
import { Vault } from "../crypto/Vault.ts"
import { type Connection, query } from "./Connection.ts"

/**
 * Opens the vault of a database. A database that has no key yet gets one, and only then is the write lock taken. Throws SQLITE_BUSY if
 * another process holds it, and `KeyFileUnusable` if the file is missing or belongs to another database: nothing encrypted could be read again.
 */
export const openVault = (connection: Connection, keyFile: string): Vault => {
  const known = connection.first(storedCheck)
  return known === undefined
    ? connection.transaction(() => firstVault(connection, keyFile), 0)
    : vaultOf(keyFile, known.key_check)
}

/** Another process may have stored its key while this one waited for the lock. */
const firstVault = (connection: Connection, keyFile: string): Vault => {
  const known = connection.first(storedCheck)
  if (known !== undefined) return vaultOf(keyFile, known.key_check)
  const vault = new Vault(readKeyFile(keyFile) ?? createKeyFile(keyFile))
  connection.run("INSERT INTO vault (key_check) VALUES (?)", checkOf(vault))
  return vault
}

const vaultOf = (keyFile: string, check: Uint8Array): Vault => {
  const key = readKeyFile(keyFile)
  if (key === undefined) {
    throw new KeyFileUnusable({ keyFile, reason: "it is missing, and the database holds data encrypted with it" })
  }
  const vault = new Vault(key)
  if (timingSafeEqual(check, checkOf(vault))) return vault
  throw new KeyFileUnusable({ keyFile, reason: "it belongs to another database" })
}

const checkOf = (vault: Vault): Uint8Array => vault.blindIndex("check", "")

const storedCheck = query(Schema.Struct({ key_check: Schema.Uint8Array }), "SELECT key_check FROM vault")
