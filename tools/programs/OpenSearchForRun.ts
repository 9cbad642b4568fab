/**
 * The global set-up of vitest that shares one OpenSearch node among all test files of a run. It is started by the first test
 * file that asks for it, so that a run without such a test costs nothing, and it ends with the run.
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import type { TestProject } from "vitest/node"
import { startServer } from "./LocalServer.ts"
import { type OpenSearchCluster, openSearchCluster } from "./OpenSearchCluster.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /**
     * The URL of a server: `GET /` answers with the node, or with the reason why there is none; `POST /stores` lends a store,
     * and `PUT /stores` takes it back.
     */
    readonly openSearchForRun: string
  }
}

/** A service's store, lent to one test at a time. */
export interface LentStore {
  readonly prefix: string
  readonly keyFile: string
}

export default async function (project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<OpenSearchCluster | { readonly missing: string }> | undefined
  const keys = mkdtempSync(join(tmpdir(), "opensearch-keys-"))
  const returned: Array<LentStore> = []
  const newStore = (): LentStore => {
    const prefix = `test-${randomBytes(6).toString("hex")}`
    return { prefix, keyFile: join(keys, prefix) }
  }
  const node = async () => {
    starting ??= startCluster().catch((error: unknown) => ({ missing: String(error) }))
    const cluster = await starting
    return "missing" in cluster ? cluster : sharedPart(cluster)
  }
  const server = await startServer((request, response) => {
    // A client must not use a connection that is about to be closed.
    response.setHeader("connection", "close")
    const answer = (value: unknown) => response.end(JSON.stringify(value))
    if (request.method === "POST") answer(returned.pop() ?? newStore())
    else if (request.method === "PUT") void text(request).then((store) => answer(returned.push(JSON.parse(store))))
    else void node().then(answer)
  })
  // The address is of the machine itself: no other machine can ask.
  project.provide("openSearchForRun", server.url)
  return async () => {
    await server.close()
    const node = await starting
    if (node !== undefined && !("missing" in node)) await node.stop()
    rmSync(keys, { recursive: true })
  }
}

const startCluster = async () => {
  const cluster = await openSearchCluster()
  if ("missing" in cluster) return cluster
  const response = await fetch(`${cluster.urls[0]}/_index_template/counters`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(counters)
  })
  if (!response.ok) throw new Error(await response.text())
  return cluster
}

/**
 * A service draws a number as the version of a document. Without a memory of deleted documents, versions start at 1 again, and
 * a lent store needs no new index for that.
 */
const counters = {
  index_patterns: ["test-*-counters-*"],
  template: { settings: { "index.gc_deletes": "-1" } }
}

const sharedPart = ({ dataFolders, snapshotFolder, urls }: OpenSearchCluster) => ({
  url: urls[0],
  dataFolder: dataFolders[0],
  snapshotFolder
})
