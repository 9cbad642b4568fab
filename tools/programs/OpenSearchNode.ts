/** The OpenSearch node of a test run, for one test file. */
import { randomBytes } from "node:crypto"
import { request } from "node:http"
import { text } from "node:stream/consumers"
import { afterAll, inject } from "vitest"
import type { LentStore } from "./OpenSearchForRun.ts"

export type OpenSearchNode =
  | {
      readonly url: string
      /** The data folder of the node. */
      readonly dataFolder: string
      /** The root of the node's `fs` snapshots. */
      readonly snapshotFolder: string
      /** Differs in each test file: begin the name of each index with it. They are deleted after the tests of the file. */
      readonly prefix: string
    }
  | { readonly missing: string }

/**
 * Ask for it at the top of a test file, and name the group of its tests after `missing` where that is there:
 * `describe.skipIf("missing" in node)("missing" in node ? node.missing : "on OpenSearch", …)`. With `CI=true`, a skipped test
 * fails the run.
 */
export const openSearchNode = async (): Promise<OpenSearchNode> => {
  const node: Omit<Extract<OpenSearchNode, { readonly url: string }>, "prefix"> | { readonly missing: string } =
    await send("GET", "/")
  if ("missing" in node) return node
  const prefix = `test-${randomBytes(6).toString("hex")}`
  // Creating an index takes longer the more there are.
  afterAll(() => fetch(`${node.url}/${prefix}*`, { method: "DELETE" }))
  return { ...node, prefix }
}

/** Returns a store that any test file has given back, or a new one. */
export const borrowStore = (): Promise<LentStore> => send("POST", "/stores")

/** Gives a store back: its indices must be as a service creates them, and empty. */
export const returnStore = (store: LentStore): Promise<unknown> => send("PUT", "/stores", store)

/**
 * On a connection of its own, because a server closes an idle one, and without a limit: `fetch` waits five minutes for the
 * first answer, and on a busy machine a node takes longer to install and start.
 */
const send = <Answer>(method: string, path: string, body?: unknown): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(`${inject("openSearchForRun")}${path}`, { method, agent: false }, (answer) => {
      text(answer).then((received) => resolve(JSON.parse(received)), reject)
    })
    sent.on("error", reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
