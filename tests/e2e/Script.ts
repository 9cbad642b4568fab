/** A script that bash runs as a person or a CI system would. */
import { spawn } from "node:child_process"

interface ScriptOptions {
  readonly cwd: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Standard input. */
  readonly input?: string
}

/** Starts a script, which ends at the first command that fails. `outputs` grow until it is closed; `end` ends its processes. */
export const startScript = (script: string, { cwd, env, input = "" }: ScriptOptions) => {
  // A process group of its own, which ends as a whole.
  const child = spawn("bash", ["-e", "-c", script], { cwd, detached: true, env })
  const outputs = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk) => (outputs.stdout += String(chunk)))
  child.stderr.on("data", (chunk) => (outputs.stderr += String(chunk)))
  child.stdin.on("error", () => undefined)
  child.stdin.end(input)
  const closed = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", resolve)
  })
  return { outputs, closed, end: () => process.kill(-(child.pid ?? 0), "SIGTERM") }
}

/** The exit code and the outputs of a script, once it has ended. */
export const runScript = async (script: string, options: ScriptOptions) => {
  const { closed, outputs } = startScript(script, options)
  return { code: await closed, ...outputs }
}
