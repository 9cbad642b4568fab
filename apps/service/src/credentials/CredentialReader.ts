import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Vault } from "../crypto/Vault.ts"
import type { RecordChunk } from "../load/RecordChunks.ts"
import { type Cells, integerOf, readRecords } from "../load/RecordReader.ts"
import { microsecondsOf } from "../requests/Microseconds.ts"
import { lineDecoder } from "../requests/ValidationFaults.ts"
import { PlainCredential } from "@threat-exposure/core/domain/Credential"
import type { ReadCredential } from "./CredentialBatch.ts"

/** Passes each credential to `take`, and returns the refused records. */
export const readCredentials = (vault: Vault, chunk: RecordChunk, take: (credential: ReadCredential) => void) =>
  readRecords(chunk, { read: (json) => readCredential(vault, json), ofCells: credentialOfCells }, take)

/** The columns that identify a CSV file of credentials; every credential has a value in them. */
export const credentialColumns = ["identity_name", "imported_at"]

const readCredential = (vault: Vault, given: unknown): Result.Result<ReadCredential, string> => {
  const hasId = !isObject(given) || ("id" in given && given.id !== null)
  const json = hasId ? given : { ...given, id: 0 }
  const required = decodeRequired(json)
  if (Result.isFailure(required)) return Result.fail(required.failure)
  const decoded = decode(json)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
  const importedAt = microsecondsOf(decoded.success.imported_at)
  return importedAt === undefined
    ? Result.fail("imported_at: Input should be an ISO 8601 date or date-time")
    : Result.succeed({ credential: hasId ? decoded.success : withDerivedId(vault, decoded.success), importedAt })
}

const isObject = (json: unknown): json is object => typeof json === "object" && json !== null && !Array.isArray(json)

/**
 * Derives the id from the content, so that loading the credential again changes nothing. The digest is keyed, because
 * the password is part of the content and could be guessed from a plain one. Among two million credentials, the
 * probability that two share one of the 2^53 ids is 1 in 4,500; the later one would then replace the other.
 */
const withDerivedId = (vault: Vault, credential: PlainCredential): PlainCredential => {
  const digest = Buffer.from(vault.blindIndex("credential/id", JSON.stringify(credential)))
  return { ...credential, id: Number(digest.readBigUInt64BE() >> 11n) }
}

const decode = lineDecoder(PlainCredential)

/** Fields that are optional in answers, but required in stored credentials. */
const decodeRequired = lineDecoder(
  Schema.Struct({ id: Schema.Int, identity_name: Schema.String, imported_at: Schema.String })
)

/** Spaces or semicolons separate the items of lists. In exports, `source` is a name, and `source_id` identifies it. */
const credentialOfCells = (cells: Cells) => {
  const { auth_domains, id, known_password_id, source: _name, urls, ...texts } = Object.fromEntries(cells)
  return {
    ...texts,
    ...(id === undefined ? undefined : { id: integerOf(id) }),
    ...(known_password_id === undefined ? undefined : { known_password_id: integerOf(known_password_id) }),
    ...(auth_domains === undefined ? undefined : { auth_domains: listOf(auth_domains) }),
    ...(urls === undefined ? undefined : { urls: listOf(urls) })
  }
}

const listOf = (cell: string): ReadonlyArray<string> => cell.split(/[\s;]+/u).filter((text) => text !== "")
