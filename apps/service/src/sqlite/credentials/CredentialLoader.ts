/** How `load` stores credentials. */
import { bufferOf, type CredentialBatch, CredentialBatchBuilder } from "../../credentials/CredentialBatch.ts"
import { credentialColumns, readCredentials } from "../../credentials/CredentialReader.ts"
import type { RecordChunk } from "../../load/RecordChunks.ts"
import type { Prepared } from "../../load/LoadTarget.ts"
import { procedure } from "../database/Procedure.ts"
import type { RecordLoader } from "../RecordLoader.ts"
import { mergeRuns } from "./TermRuns.ts"
import { credentialWriter, deleteRemovedCredentials, discardUnpublishedCredentials } from "./CredentialVersions.ts"

export const prepareCredentials = procedure(
  "credentials.prepare",
  ({ vault }, chunk: RecordChunk): Prepared<CredentialBatch> => {
    const batch = new CredentialBatchBuilder(vault)
    const refused = readCredentials(vault, chunk, (credential) => batch.add(credential))
    return { batch: batch.build(), count: batch.count, keyId: vault.keyId, refused }
  },
  ({ batch }) => [bufferOf(batch)]
)

export const credentialLoader: RecordLoader<CredentialBatch> = {
  csvColumns: credentialColumns,
  prepare: prepareCredentials,
  publishedTogether: 180_000,
  store: {
    dataSet: "credentials",
    writer: credentialWriter,
    deleteRemoved: deleteRemovedCredentials,
    discardUnpublished: discardUnpublishedCredentials,
    compact: ({ connection }) => mergeRuns(connection)
  }
}
