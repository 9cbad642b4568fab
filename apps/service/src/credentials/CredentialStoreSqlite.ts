/** Credentials in SQLite. A page is JSON joined from what is stored. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CredentialInclude } from "@threat-exposure/core/domain/Credential"
import type { Vault } from "../crypto/Vault.ts"
import type { Connection } from "../sqlite/Connection.ts"
import { Database } from "../sqlite/Database.ts"
import { type OpenDatabase, procedure } from "../sqlite/Procedure.ts"
import { prepareCredentials } from "./CredentialLoader.ts"
import { type CredentialListing, type CredentialPage, CredentialStore } from "./CredentialStore.ts"

export const CredentialStoreSqlite = Layer.effect(
  CredentialStore,
  Effect.map(Database, (database) =>
    CredentialStore.of({
      page: (listing) =>
        isQuick(listing) ? Effect.sync(() => readPage(database, listing)) : database.read(page, listing)
    })
  )
)

/** Read on the caller's thread: it takes well under a millisecond, wherever in the listing the page is. */
const isQuick = ({ size, terms }: CredentialListing): boolean => size <= 100 && terms.length === 1

const readPage = ({ connection, vault }: OpenDatabase, listing: CredentialListing) => {
  const rows = rowsOf(connection, listing)
  const hasNext = rows.length > listing.size
  const page = hasNext ? rows.slice(0, listing.size) : rows
  const write = writerOf(connection, vault, page, listing.include)
  let items = ""
  for (const row of page) items += items === "" ? write(row) : `,${write(row)}`
  const last = hasNext ? page.at(-1) : undefined
  return {
    items,
    count: page.length,
    last: last === undefined ? undefined : { importedAt: integer(last.imported_at), id: integer(last.id) }
  }
}

/** The text crosses to another thread as bytes, without a copy. */
const page = procedure("CredentialStore.page", (database, listing: CredentialListing): CredentialPage => {
  const { items, ...rest } = readPage(database, listing)
  return { items: Buffer.from(items), ...rest }
})

export const credentialProcedures = [page, prepareCredentials]

type Row = ReturnType<ReturnType<Connection["prepare"]>["all"]>[number]

/** One row more than the page holds, where there is one. */
const rowsOf = (
  connection: Connection,
  { after, include, order, since, size, terms, until }: CredentialListing
): ReadonlyArray<Row> => {
  const [term, ...others] = terms
  const wanted = size + 1
  const descending = order === "desc"
  const statement = (ties: boolean) => connection.prepare(sqlFor({ ties, descending, others: others.length, include }))
  if (after === undefined) return statement(false).all(term, since, until, ...others, wanted)
  // A row-value comparison would be read as a range of its first column alone, so the ties come first, on their own.
  const ties = statement(true).all(term, after.importedAt, after.id, ...others, wanted)
  if (ties.length === wanted) return ties
  const [low, high] = descending ? [since, after.importedAt - 1] : [after.importedAt + 1, until]
  return ties.concat(statement(false).all(term, low, high, ...others, wanted - ties.length))
}

/** What of a statement differs between searches; everything else is a parameter. */
interface Shape {
  readonly ties: boolean
  readonly descending: boolean
  readonly others: number
  readonly include: ReadonlyArray<CredentialInclude>
}

const built = new Map<string, string>()

const sqlFor = (shape: Shape): string => {
  const key = `${shape.ties} ${shape.descending} ${shape.others} ${shape.include.join()}`
  const known = built.get(key)
  if (known !== undefined) return known
  const sql = buildSql(shape)
  built.set(key, sql)
  return sql
}

const buildSql = ({ descending, include, others, ties }: Shape): string => {
  const direction = descending ? "DESC" : "ASC"
  const range = ties ? `t.imported_at = ? AND t.id ${descending ? "<" : ">"} ?` : "t.imported_at BETWEEN ? AND ?"
  const alsoHaving =
    " AND EXISTS (SELECT 1 FROM credential_terms o WHERE o.term = ? AND o.imported_at = t.imported_at AND o.id = t.id)"
  const included = include.map((column) => `, c.${column}`).join("")
  // CROSS JOIN keeps the index the outer loop: the planner must never sort what is sorted already. It looks at the value
  // of a bare `LIMIT ?`, so such a statement would be prepared anew each time. A blob would be an object of its own, which
  // the garbage collector has to dispose of: text is not.
  return `SELECT c.id, c.imported_at, c.document, hex(c.sealed_hash) AS sealed_hash, c.source${included}
    FROM credential_terms t CROSS JOIN credentials c ON c.id = t.id
    WHERE t.term = ? AND ${range}${alsoHaving.repeat(others)}
    ORDER BY t.imported_at ${direction}, t.id ${direction} LIMIT ? + 0`
}

/** For the rows of the page, in their order. */
const writerOf = (
  connection: Connection,
  vault: Vault,
  page: ReadonlyArray<Row>,
  include: ReadonlyArray<CredentialInclude>
) => {
  const sealed = page.map(({ sealed_hash }) => text(sealed_hash)).filter((digits) => digits !== "")
  const hashes = vault.unsealAll(sealed).values()
  const knownPassword = include.includes("known_password_id")
  const authDomains = include.includes("auth_domains")
  const urls = include.includes("urls")
  return ({ auth_domains, document, known_password_id, sealed_hash, source, urls: seenAt }: Row): string => {
    const hash = sealed_hash === "" ? "null" : text(hashes.next().value)
    let json = `{${text(document)},"hash":${hash},"source":${sourceOf(connection, source)},"known_password_id":${knownPassword ? String(known_password_id) : "null"}`
    if (authDomains) json += `,"auth_domains":${auth_domains === null ? "[]" : text(auth_domains)}`
    if (urls) json += `,"urls":${seenAt === null ? "[]" : text(seenAt)}`
    return `${json}}`
  }
}

/** Sources are few, and never change. */
const sourceDocuments = new WeakMap<Connection, Map<number, string>>()
const maximumSources = 10_000

const sourceOf = (connection: Connection, source: unknown): string => {
  if (typeof source !== "number") return "null"
  let documents = sourceDocuments.get(connection)
  if (documents === undefined) sourceDocuments.set(connection, (documents = new Map()))
  const known = documents.get(source)
  if (known !== undefined) return known
  const document = text(
    connection.prepare("SELECT document FROM credential_sources WHERE id = ?").get(source)?.["document"]
  )
  if (documents.size === maximumSources) documents.clear()
  documents.set(source, document)
  return document
}

const text = (value: unknown): string => {
  if (typeof value !== "string") throw new TypeError("A column that holds text held something else")
  return value
}

const integer = (value: unknown): number => {
  if (typeof value !== "number") throw new TypeError("A column that holds an integer held something else")
  return value
}
