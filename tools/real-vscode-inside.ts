/** Gives a module inside the extension host the editor's API and a way to answer. See real-vscode-host.ts. */
import { renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"

/** Gives the module's `run`: what `work` returns is the answer, as JSON. The host passes its API to modules that require it. */
export const answering = (work: (require: NodeJS.Require) => Promise<unknown>) => async (): Promise<void> => {
  const path = process.env["REAL_VSCODE_ANSWER"]
  if (path === undefined) throw new Error("Nobody waits for an answer: REAL_VSCODE_ANSWER is not set")
  const answer = await work(createRequire(import.meta.url)).then(
    (value) => ({ value }),
    (cause: unknown) => ({ failure: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) })
  )
  writeFileSync(`${path}.part`, JSON.stringify(answer))
  renameSync(`${path}.part`, path)
}
