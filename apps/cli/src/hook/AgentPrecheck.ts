/**
 * The quick way to run the hook of a coding agent, which waits for it before each prompt and each tool: local detection,
 * without the rest of the program. Most events hold no possible secret; all others are left to the program.
 */
import { Readable } from "node:stream"
import { decode, isBinary } from "@threat-exposure/detect/text/Bytes"
import { candidatesOfEvent } from "./AgentEvent.ts"
import { agents, probeVariable } from "./AgentHooks.ts"

/** `hook run` with the flags that `hook install` writes: everything else is for the parser of the program. */
const knownCommand = new RegExp(
  `^hook run(?: --agent (?:${agents.join("|")})| --on-incomplete (?:fail|warn)| --deadline \\d{1,9})+$`,
  "u"
)

/** Whether the event on standard input holds no possible secret. Otherwise the program can read the event again. */
export const allowsEvent = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>
): Promise<boolean> => {
  const command = args.join(" ")
  if (!knownCommand.test(command) || !command.includes("--agent ") || process.stdin.isTTY) return false
  if (env[probeVariable] !== undefined) return false
  const chunks: Array<Uint8Array> = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  const candidates = isBinary(bytes) ? "not text" : candidatesOfEvent(decode(bytes))
  if (candidates.length === 0) return true
  Object.defineProperty(process, "stdin", { value: Readable.from([bytes]) })
  return false
}
