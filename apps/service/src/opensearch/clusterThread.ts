// Imported before any schema is used, because it makes decoding several times faster.
import "effect/schema/SchemaJITCompiler/enable"
import { parentPort, workerData } from "node:worker_threads"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type { Vault } from "../crypto/Vault.ts"
import { ForeignRecords } from "../requests/ForeignRecords.ts"
import { buffersOf } from "../threads/Transfer.ts"
import { failureOf } from "../threads/WorkerFailure.ts"
import { makeCluster } from "./cluster/Cluster.ts"
import { ClusterClient } from "./cluster/ClusterClient.ts"
import { vaultOf } from "./cluster/ClusterStart.ts"
import { type IndexShape, ofGeneration } from "./cluster/IndexDefinition.ts"
import { SearchLimit } from "./cluster/TenantSearches.ts"
import { readPage } from "./CredentialPages.ts"
import type { PageAnswer, PageMessage, PageRequest } from "./PageThread.ts"

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

const vaultFor = (keyCheck: string): Vault => {
  if (known?.keyCheck !== keyCheck) known = { keyCheck, vault: vaultOf(keyFile, { key_check: keyCheck }) }
  return known.vault
}

const read = ({ generation, keyCheck, listing, strictLoads, timeLimit }: PageRequest) =>
  Effect.suspend(() => {
    const named = (index: IndexShape) => ofGeneration(index, generation)
    const now = { cluster: makeCluster(client, prefix, { foreign, named, strictLoads }), vault: vaultFor(keyCheck) }
    const limit = new SearchLimit(timeLimit)
    return limit.applyTo(readPage({ now }, listing, limit))
  })

const cancellations = new Map<number, AbortController>()

parentPort?.on("message", async ({ id, request }: PageMessage) => {
  if (request === undefined) return cancellations.get(id)?.abort()
  const cancellation = new AbortController()
  cancellations.set(id, cancellation)
  const exit = await Effect.runPromiseExit(read(request), { signal: cancellation.signal })
  cancellations.delete(id)
  const output = Exit.isSuccess(exit) ? exit.value : failureOf(Cause.squash(exit.cause))
  const answer: PageAnswer = { id, output, foreign: foreign.takeNew() }
  parentPort?.postMessage(answer, "items" in output ? buffersOf(output.items) : [])
})
