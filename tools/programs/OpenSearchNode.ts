/** The OpenSearch node of a test run, for one test file. */
import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import "./OpenSearchForRun.ts"

export type OpenSearchNode =
  | {
      readonly url: string
      /** Where the node keeps its data. */
      readonly dataFolder: string
      /** Below it, the node writes `fs` snapshots. */
      readonly snapshotFolder: string
      /** Differs in each test file: begin the name of each index with it. */
      readonly prefix: string
    }
  | { readonly missing: string }

/**
 * Ask for it at the top of a test file, and name the group of its tests after `missing` where that is there:
 * `describe.skipIf("missing" in node)("missing" in node ? node.missing : "on OpenSearch", …)`. With `CI=true`, a skipped test
 * fails the run.
 */
export const openSearchNode = async (): Promise<OpenSearchNode> => {
  const answer = await fetch(inject("openSearchForRun"))
  const node: Omit<Extract<OpenSearchNode, { readonly url: string }>, "prefix"> | { readonly missing: string } =
    JSON.parse(await answer.text())
  return "missing" in node ? node : { ...node, prefix: `test-${randomBytes(6).toString("hex")}` }
}
