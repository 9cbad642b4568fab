/**
 * Pages of credentials, as the JSON that goes over the wire: joined from what is stored, for a page of ten thousand is not
 * worth ten thousand objects.
 */
import { CredentialInclude, type CredentialSearch, defaultSize } from "@threat-exposure/core/domain/Credential"
import { openCursor, sealCursor } from "../crypto/Cursor.ts"
import type { Vault } from "../crypto/Vault.ts"
import type { Connection } from "../sqlite/Connection.ts"
import { type OpenDatabase, procedure } from "../sqlite/Procedure.ts"
import { termsSought } from "./CredentialTerm.ts"
import { microsecondsOf } from "../sqlite/Microseconds.ts"

/** A search, brought to what the database needs to know. No secret is in it. */
export interface CredentialListing {
  readonly terms: readonly [bigint, ...ReadonlyArray<bigint>]
  /** Inclusive, in microseconds since 1970. */
  readonly since: number
  readonly until: number
  readonly order: "asc" | "desc"
  readonly size: number
  readonly include: ReadonlyArray<CredentialInclude>
  readonly after: ListingPlace | undefined
}

interface ListingPlace {
  readonly importedAt: number
  readonly id: number
  /** Items before this place: what decides about the quota of later pages. */
  readonly position: number
}

export interface CredentialPageText {
  readonly json: string
  readonly count: number
  readonly hasNext: boolean
}

/** Undefined where `from` was altered, or belongs to another search. */
export const listingOf = (vault: Vault, search: CredentialSearch): CredentialListing | undefined => {
  const { filters, from, include = [], order = "desc", query, size = defaultSize } = search
  const listing = {
    terms: termsSought(vault, query),
    since: bound(filters?.imported_at?.gte, Number.MIN_SAFE_INTEGER),
    until: bound(filters?.imported_at?.lte, Number.MAX_SAFE_INTEGER),
    order,
    size,
    // Each field once and in one order: the statement and its cache depend on it.
    include: CredentialInclude.literals.filter((field) => include.includes(field))
  }
  if (from == null) return { ...listing, after: undefined }
  const [importedAt, id, position] = openCursor(vault, identityOf(listing), from) ?? []
  return typeof importedAt === "number" && typeof id === "number" && typeof position === "number"
    ? { ...listing, after: { importedAt, id, position } }
    : undefined
}

/** Takes well under a millisecond for a page of a hundred when the search has one term, wherever in the listing it is. */
export const credentialPage = ({ connection, vault }: OpenDatabase, listing: CredentialListing): CredentialPageText => {
  const rows = rowsOf(connection, listing)
  const hasNext = rows.length > listing.size
  const page = hasNext ? rows.slice(0, listing.size) : rows
  const write = writerOf(connection, vault, page, listing.include)
  let items = ""
  for (const row of page) items += items === "" ? write(row) : `,${write(row)}`
  const count = page.length
  const last = hasNext ? page.at(-1) : undefined
  const next =
    last === undefined
      ? "null"
      : `"${sealCursor(vault, identityOf(listing), [integer(last.imported_at), integer(last.id), (listing.after?.position ?? 0) + count])}"`
  return { json: `{"items":[${items}],"next":${next}}`, count, hasNext }
}

/** The same in a reader thread, for pages that take longer; the text crosses as bytes, uncopied. */
export const credentialPageJob = procedure(
  "credentials.page",
  (
    database,
    listing: CredentialListing
  ): { readonly json: Uint8Array; readonly count: number; readonly hasNext: boolean } => {
    const { count, hasNext, json } = credentialPage(database, listing)
    return { json: Buffer.from(json), count, hasNext }
  }
)

type Row = ReturnType<ReturnType<Connection["prepare"]>["all"]>[number]

/** What a cursor is bound to. */
const identityOf = ({ order, since, terms, until }: Omit<CredentialListing, "after">) => [
  "credentials",
  terms.map(String),
  since,
  until,
  order
]

const bound = (timestamp: string | null | undefined, absent: number): number =>
  timestamp == null ? absent : (microsecondsOf(timestamp) ?? absent)

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
