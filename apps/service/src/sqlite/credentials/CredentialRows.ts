import type { CredentialInclude } from "@threat-exposure/core/domain/Credential"
import { hashContext } from "../../credentials/CredentialBatch.ts"
import type { Vault } from "../../crypto/Vault.ts"
import type { Connection, Tuple } from "../database/Connection.ts"
import { isPublished } from "../database/Generations.ts"

/**
 * A fixed order, with NULL for fields that are not requested. Blobs are read as text, because the garbage collector
 * would have to dispose of each blob.
 */
export const columnsWith = (include: ReadonlyArray<CredentialInclude>): string => {
  const optional = (["known_password_id", "auth_domains", "urls"] as const).map((field) => {
    if (!include.includes(field)) return `NULL AS ${field}`
    return field === "known_password_id" ? `c.${field}` : `${ifJson(`c.${field}`, `c.${field}`)} AS ${field}`
  })
  const document = ifJson(`'{' || c.document || ',"hash":0}'`, "c.document")
  return `c.version >> 1 AS id, c.imported_at, ${document} AS document, hex(c.sealed_hash) AS hash, c.source, ${optional.join()}`
}

/** Selects 0 instead of a text that is not JSON, which would break the JSON of the answer. */
const ifJson = (json: string, column: string): string => `iif(ifnull(json_valid(${json}), 1), ${column}, 0)`

export const rowOfVersion = (
  connection: Connection,
  { half, id }: { readonly id: number; readonly half: number }
): Tuple | undefined => connection.tuples(versionSql, id, half)[0]

const versionSql = `SELECT ${columnsWith([])} FROM credentials c
  WHERE c.version = CAST(? AS INTEGER) * 2 + CAST(? AS INTEGER) AND ${isPublished("c", "credentials")}`

/** The result is an empty list for a row that this program did not write, whose name it records. */
export const writerOf = (connection: Connection, vault: Vault, include: ReadonlyArray<CredentialInclude>) => {
  const write = writerOfOwn(connection, vault, include)
  return (row: Tuple) =>
    connection.readOwn(
      () => write(row),
      () => ["credentials", String(row[0])]
    )
}

const writerOfOwn = (connection: Connection, vault: Vault, include: ReadonlyArray<CredentialInclude>) => {
  const withAuthDomains = include.includes("auth_domains")
  const withUrls = include.includes("urls")
  return ([id, , document, encryptedHash, source, knownPasswordId, authDomains, urls]: Tuple): string => {
    const digits = text(encryptedHash)
    const hash = digits === "" ? "null" : vault.decrypt(Buffer.from(digits, "hex"), hashContext(integer(id)))
    let json = `{${text(document)},"hash":${hash},"source":${sourceOf(connection, vault, source)},"known_password_id":${String(knownPasswordId)}`
    if (withAuthDomains) json += `,"auth_domains":${authDomains === null ? "[]" : text(authDomains)}`
    if (withUrls) json += `,"urls":${urls === null ? "[]" : text(urls)}`
    return `${json}}`
  }
}

/** The sources, cached per vault: they are few, and a restore, after which they may differ, creates a new vault. */
const sourceDocuments = new WeakMap<Vault, Map<number, string>>()
const maximumSources = 10_000

const sourceOf = (connection: Connection, vault: Vault, source: unknown): string => {
  if (typeof source !== "number") return "null"
  let documents = sourceDocuments.get(vault)
  if (documents === undefined) sourceDocuments.set(vault, (documents = new Map()))
  const known = documents.get(source)
  if (known !== undefined) return known
  const document = text(
    connection.tuples(`SELECT ${ifJson("document", "document")} FROM credential_sources WHERE id = ?`, source)[0]?.[0]
  )
  if (documents.size === maximumSources) documents.clear()
  documents.set(source, document)
  return document
}

const text = (value: unknown): string => {
  if (typeof value !== "string") throw new TypeError("A column that holds text held something else")
  return value
}

export const integer = (value: unknown): number => {
  if (typeof value !== "number") throw new TypeError("A column that holds an integer held something else")
  return value
}
