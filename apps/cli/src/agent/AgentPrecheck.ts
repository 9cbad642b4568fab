/**
 * The fast path of the hook, which a coding agent waits for before each prompt and each tool: local detection without
 * the rest of the program. Most events contain no possible secret.
 */
import { fstatSync, readSync } from "node:fs"
import { decode, isBinary } from "@threat-exposure/detect/text/Bytes"
import * as Redacted from "effect/Redacted"
import { candidatesOfEvent, type ScannedEvent } from "../hook/AgentEvent.ts"
import { agents, defaultDeadline, probeVariable, scanShare } from "../hook/AgentHooks.ts"
import type { Variables } from "../connection/UserFiles.ts"
import { areKnownClean } from "./KnownClean.ts"

export interface PrecheckedEvent extends ScannedEvent {
  /**
   * Values of the candidates in clear text: the other script bundles its own Effect, which cannot unwrap this one's
   * `Redacted`.
   */
  readonly values: ReadonlyArray<string>
}

/** The event on standard input; undefined if the whole program must parse the arguments. */
export const readEvent = async (
  args: ReadonlyArray<string>,
  env: Variables,
  now: number
): Promise<PrecheckedEvent | undefined> => {
  const options = optionsIn(args)
  // Detects a terminal as a character device, because `isTTY` would load Node's streams.
  if (options === undefined || fstatSync(0).isCharacterDevice() || env[probeVariable] !== undefined) return undefined
  const bytes = await standardInput()
  const isLate = () => process.uptime() * 1000 > options.deadline * scanShare
  const candidates = isBinary(bytes) ? "the agent's message is not text" : candidatesOfEvent(decode(bytes), isLate)
  if (typeof candidates === "string") return { ...options, candidates, values: [] }
  const values = candidates.map(({ value }) => Redacted.value(value))
  return areKnownClean(values, { cwd: process.cwd(), env, now })
    ? { ...options, candidates: [], values: [] }
    : { ...options, candidates, values }
}

/**
 * Reads synchronously, because a stream takes 5 ms to load; falls back to a stream if a synchronous read fails
 * (non-blocking input).
 */
const standardInput = async (): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(2 ** 16)
      const length = readSync(0, chunk)
      if (length === 0) break
      chunks.push(chunk.subarray(0, length))
    }
  } catch {
    for await (const chunk of process.stdin) chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const flag = / --(agent|on-incomplete|deadline) (\S+)/gu

/** Parses `hook run` with the flags that `hook install` writes; undefined for all other arguments. */
const optionsIn = (args: ReadonlyArray<string>): Omit<ScannedEvent, "candidates"> | undefined => {
  const command = args.join(" ")
  const found = [...command.matchAll(flag)]
  const values = new Map(found.map(([, name, value]) => [name, value]))
  const isWhole = command.replaceAll(flag, "") === "hook run" && values.size === found.length
  const agent = agents.find((name) => name === values.get("agent"))
  const onIncomplete = (["fail", "warn"] as const).find((choice) => choice === (values.get("on-incomplete") ?? "fail"))
  const deadline = values.get("deadline") ?? String(defaultDeadline)
  return isWhole && agent !== undefined && onIncomplete !== undefined && /^\d{1,9}$/u.test(deadline)
    ? { agent, onIncomplete, deadline: Number(deadline) }
    : undefined
}
