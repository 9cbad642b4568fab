/**
 * The fast path of the hook, which a coding agent waits for before each prompt and each tool: local detection without
 * the rest of the program. Most events contain no possible secret.
 */
import { fstatSync, readFileSync } from "node:fs"
import { decode, isBinary } from "@threat-exposure/detect/text/Bytes"
import * as Redacted from "effect/Redacted"
import {
  candidatesOfEvent,
  messageWithoutEnd,
  unreadable,
  type ScannedEvent,
  textsOfEvent
} from "../hook/AgentEvent.ts"
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
  const millisecondsLeft = () => options.deadline * scanShare - process.uptime() * 1000
  const bytes = await standardInput(millisecondsLeft()).catch(() => unreadable)
  const candidates =
    typeof bytes === "string"
      ? bytes
      : isBinary(bytes)
        ? "the agent's message is not text"
        : candidatesOfEvent(decode(bytes), () => millisecondsLeft() < 0)
  if (typeof candidates === "string") return { ...options, candidates, values: [] }
  const values = candidates.map(({ value }) => Redacted.value(value))
  return areKnownClean(values, { cwd: process.cwd(), env, now })
    ? { ...options, candidates: [], values: [] }
    : { ...options, candidates, values }
}

/**
 * A file is read synchronously, because Node's streams take 5 ms to load. A pipe or a socket may stay open after the
 * message, or never get one: an agent that waits too long for the hook skips it silently.
 */
const standardInput = async (milliseconds: number): Promise<Uint8Array | string> => {
  const input = fstatSync(0)
  return input.isFIFO() || input.isSocket() ? await readPipe(milliseconds) : readFileSync(0)
}

/** Resolves to the input at its end or once it is whole JSON, or to the reason why it has none in time. */
const readPipe = (milliseconds: number) =>
  new Promise<Uint8Array | string>((resolve, reject) => {
    const chunks: Array<Uint8Array> = []
    const { Socket } = process.getBuiltinModule("node:net")
    const input = new Socket({ fd: 0, writable: false })
    const end = (result: Uint8Array | string) => {
      clearTimeout(timer)
      clearTimeout(pause)
      input.destroy()
      resolve(result)
    }
    let pause: NodeJS.Timeout | undefined
    const timer = setTimeout(() => end(messageWithoutEnd), milliseconds)
    const endWithAll = () => end(Buffer.concat(chunks))
    input.on("end", endWithAll).on("error", reject)
    input.on("data", (chunk: Buffer) => {
      chunks.push(chunk)
      // A long message comes in many chunks: it is parsed once they pause.
      clearTimeout(pause)
      pause = setTimeout(() => {
        if (isJson(Buffer.concat(chunks))) endWithAll()
      }, pauseMilliseconds)
    })
  })

const pauseMilliseconds = 10

const isJson = (bytes: Uint8Array): boolean => typeof textsOfEvent(decode(bytes)) !== "string"

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
