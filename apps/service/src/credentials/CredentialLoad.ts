/** Credentials as `load` reads them: each in the shape of docs/api.md#credential. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Credential } from "@threat-exposure/core/domain/Credential"
import { type Loadable, type Prepared, readLines } from "../load/Loadable.ts"
import type { LineChunk } from "../load/LineChunks.ts"
import { faultsOf, reasonOf } from "../requests/ValidationFaults.ts"
import { procedure } from "../sqlite/Procedure.ts"
import { batchOf, type CredentialBatch, insertCredentials, type ReadCredential } from "./CredentialInserts.ts"
import { microsecondsOf } from "../sqlite/Microseconds.ts"

export const prepareCredentials = procedure(
  "credentials.prepare",
  ({ vault }, chunk: LineChunk): Prepared<CredentialBatch> => {
    const { badLines, records } = readLines(chunk, readCredential)
    return { batch: batchOf(vault, records), count: records.length, badLines }
  }
)

export const credentialLoad: Loadable<CredentialBatch> = {
  name: "credentials",
  prepare: prepareCredentials,
  atOnce: 250_000,
  insert: ({ connection }, batches) => insertCredentials(connection, batches)
}

const readCredential = (json: unknown): Result.Result<ReadCredential, string> => {
  const decoded = decode(json)
  if (Result.isFailure(decoded)) return Result.fail(reasonOf(faultsOf("body", decoded.failure.issue, json)))
  const importedAt = microsecondsOf(decoded.success.imported_at)
  return importedAt === undefined
    ? Result.fail("imported_at: Input should be an ISO 8601 date-time")
    : Result.succeed({ credential: decoded.success, importedAt })
}

const decode = Schema.decodeUnknownResult(Credential, { errors: "all" })
