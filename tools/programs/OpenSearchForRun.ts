/**
 * The global set-up of vitest that shares one OpenSearch node among all test files of a run. It is started by the first test
 * file that asks for it, so that a run without such a test costs nothing, and it ends with the run.
 */
import { createServer } from "node:http"
import type { TestProject } from "vitest/node"
import { type OpenSearchCluster, openSearchCluster } from "./OpenSearchCluster.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** Answers with the URL of the node, or with the reason why there is none. */
    readonly openSearchForRun: string
  }
}

export default async function (project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<OpenSearchCluster | { readonly missing: string }> | undefined
  const server = createServer((_, response) => {
    starting ??= openSearchCluster().catch((error: unknown) => ({ missing: String(error) }))
    void starting.then((node) => response.end(JSON.stringify("missing" in node ? node : sharedPart(node))))
  })
  // The address is of the machine itself: no other machine can ask.
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The set-up server has no port")
  project.provide("openSearchForRun", `http://127.0.0.1:${address.port}`)
  return async () => {
    server.close()
    server.closeAllConnections()
    const node = await starting
    if (node !== undefined && !("missing" in node)) await node.stop()
  }
}

const sharedPart = ({ dataFolders, snapshotFolder, urls }: OpenSearchCluster) => ({
  url: urls[0],
  dataFolder: dataFolders[0],
  snapshotFolder
})
