/** The service's commands on a node of OpenSearch, with a key file of their own. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { spawnServer } from "./ServerProcess.ts"

const main = fileURLToPath(new URL("../apps/service/src/main.ts", import.meta.url))
const run = promisify(execFile)

export const clusterService = (folder: string) => {
  const keyFile = join(folder, "key")
  const on = (node: string) => ["--opensearch", node, "--key-file", keyFile]
  return {
    keyFile,
    /** Returns rows per second. `timeout` is in milliseconds. */
    load: async (node: string, file: string, count: number, timeout: number) => {
      const startedAt = performance.now()
      await run(process.execPath, [main, "load", "credentials", file, ...on(node)], { timeout })
      return (count / (performance.now() - startedAt)) * 1_000
    },
    token: async (node: string) => {
      const creation = ["keys", "create", "--tenant", "1", "--permission", "read-tenant"]
      const { stdout } = await run(process.execPath, [main, ...creation, ...on(node)])
      return stdout.trim().split("\n").at(-1) ?? ""
    },
    /** The port that it listens on. */
    serve: (node: string) =>
      spawnServer(
        [main, "serve", "--port", "0", "--searches-a-month", "2000000000", ...on(node)],
        /listening on http:\/\/127\.0\.0\.1:(\d+)/u
      )
  }
}
