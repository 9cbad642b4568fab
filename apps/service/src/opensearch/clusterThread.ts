// Imported before any schema is used, because it makes decoding several times faster.
import "effect/schema/SchemaJITCompiler/enable"
import { workerData } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CredentialPage } from "../credentials/CredentialStore.ts"
import type { Vault } from "../crypto/Vault.ts"
import { ForeignRecords } from "../requests/ForeignRecords.ts"
import { serveJobs } from "../threads/serveJobs.ts"
import { buffersOf, type ThreadJob } from "../threads/ThreadJob.ts"
import { ClusterClient } from "./cluster/ClusterClient.ts"
import { vaultOf } from "./cluster/ClusterStart.ts"
import { type PageContext, pageJob } from "./PageThread.ts"

const Pem = Schema.optional(Schema.Uint8Array)

/** `ClusterOptions`, after a structured clone. */
const decodeStart = Schema.decodeUnknownSync(
  Schema.Struct({
    urls: Schema.Array(Schema.String),
    user: Schema.optional(Schema.String),
    password: Schema.optional(Schema.String),
    ca: Pem,
    cert: Pem,
    key: Pem,
    callTimeLimit: Schema.optional(Schema.Finite),
    prefix: Schema.String,
    keyFile: Schema.String
  })
)

const bufferOf = (pem: Uint8Array | undefined) => (pem === undefined ? undefined : Buffer.from(pem))

const { ca, cert, key, keyFile, prefix, ...address } = decodeStart(workerData)
const client = new ClusterClient({ ...address, ca: bufferOf(ca), cert: bufferOf(cert), key: bufferOf(key) })
const foreign = new ForeignRecords()

let known: { readonly keyCheck: string; readonly vault: Vault } | undefined

const context: PageContext = {
  client,
  prefix,
  foreign,
  vaultOf: (keyCheck) => {
    if (known?.keyCheck !== keyCheck) known = { keyCheck, vault: vaultOf(keyFile, { key_check: keyCheck }) }
    return known.vault
  },
  run: (effect) => Effect.runPromise(effect)
}

const job: ThreadJob<PageContext, unknown, CredentialPage> = pageJob

serveJobs({
  run: async ({ input }) => {
    const output = await job.run(context, input)
    return { output, moved: buffersOf(output.items) }
  },
  foreign,
  close: () => client.close()
})
