import { bufferOf, type CredentialBatch, CredentialBatchBuilder } from "../../credentials/CredentialBatch.ts"
import { credentialColumns, readCredentials } from "../../credentials/CredentialReader.ts"
import type { RecordChunk } from "../../load/RecordChunks.ts"
import type { Prepared } from "../../load/LoadTarget.ts"
import { procedure } from "../database/Procedure.ts"
import { makePublisher } from "../Publication.ts"
import type { RecordLoader, RecordStore } from "../RecordLoader.ts"
import { versionRemoval } from "../VersionRemoval.ts"
import { mergeRuns } from "./TermRuns.ts"
import { credentialWriter, deleteVersion } from "./CredentialVersions.ts"

export const prepareCredentials = procedure(
  "credentials.prepare",
  ({ vault }, chunk: RecordChunk): Prepared<CredentialBatch> => {
    const batch = new CredentialBatchBuilder(vault)
    const refused = readCredentials(vault, chunk, (credential) => batch.add(credential))
    return { batch: batch.build(), count: batch.count, keyId: vault.keyId, refused }
  },
  ({ batch }) => [bufferOf(batch)]
)

const store: RecordStore<CredentialBatch> = {
  dataSet: "credentials",
  writer: credentialWriter,
  ...versionRemoval("credentials", { key: "version", atOnce: 500, remove: deleteVersion }),
  compact: ({ connection }) => mergeRuns(connection)
}

export const credentialLoader: RecordLoader<CredentialBatch> & { readonly store: RecordStore<CredentialBatch> } = {
  csvColumns: credentialColumns,
  prepare: prepareCredentials,
  publishedTogether: 180_000,
  store,
  publisher: (load) => makePublisher({ ...load, store })
}
