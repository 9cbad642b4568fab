/** Extracts the texts from the message of a coding agent to a hook: a prompt, a tool call, or the result of a tool. */
import type { Candidate } from "@threat-exposure/detect/Candidate"
import { scanText } from "@threat-exposure/detect/Text"
import type { Agent } from "./AgentHooks.ts"

/** A scanned event, and the options of `hook run`. */
export interface ScannedEvent {
  readonly agent: Agent
  readonly onIncomplete: "fail" | "warn"
  /** Milliseconds since the start of the process. */
  readonly deadline: number
  /** Possible secrets in the event, or the reason why it was not scanned. */
  readonly candidates: ReturnType<typeof candidatesOfEvent>
}

/** Limit of the text: most texts of this size are scanned within a fraction of the time that an agent waits. */
const maxCharacters = 4_000_000

// Reasons why an event was not scanned.
export const unreadable = "the agent's message cannot be read"
export const messageWithoutEnd = "the agent's message did not end in time"

/** Scans an event for possible secrets; returns a string with the reason if that is impossible. */
export const candidatesOfEvent = (input: string, isLate?: () => boolean): ReadonlyArray<Candidate> | string => {
  const texts = textsOfEvent(input)
  if (typeof texts === "string") return texts
  const isTooLarge = texts.reduce((sum, text) => sum + text.length, 0) > maxCharacters
  if (isTooLarge) return "the text is larger than 4 MB"
  const scans = texts.map((text) => scanText(text, "standard input", { isFile: false, isLate }))
  return scans.some(({ skipped }) => skipped === "not-in-time")
    ? "its text was not scanned to its end in time"
    : scans.flatMap(({ candidates }) => candidates)
}

/** Undefined if the text is not JSON. */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Members with which an agent describes itself and its session: they are not scanned. */
const aboutSession =
  /^(?:session_?id|conversation_?id|generation_?id|turn_?id|tool_?use_?id|tool_?call_?id|transcript_?path|cwd|hook_?event_?name|timestamp|model|permission_?mode|workspace_?roots|user_?email|cursor_?version)$/iu

/** All strings of the event, including those in nested JSON strings; or the reason why they cannot be read. */
export const textsOfEvent = (input: string): ReadonlyArray<string> | string => {
  const event = parseJson(input)
  if (!isNested(event)) return "the agent's message is not JSON"
  const texts = new Set<string>()
  const entries = Object.entries(event).filter(([name]) => !aboutSession.test(name))
  return collect(entries, texts, 0) ? [...texts] : "the agent's message is nested too deeply"
}

const isNested = (value: unknown): value is object => typeof value === "object" && value !== null

/** Deeper data is rejected: a recursive reader would overflow its stack. */
const maxDepth = 50

/**
 * Adds the strings to `texts`. A single word is added together with its member's name, which may identify it as a
 * password; other names are added alone. Returns false if the data is nested too deeply.
 */
const collect = (entries: ReadonlyArray<readonly [string, unknown]>, texts: Set<string>, depth: number): boolean => {
  if (depth > maxDepth) return false
  for (const [name, value] of entries) {
    const parsed = typeof value === "string" && /^\s*[[{]/u.test(value) ? parseJson(value) : value
    const nested = isNested(parsed) ? parsed : value
    const isIndex = /^\d+$/u.test(name)
    const isWord = typeof nested === "string" && nested !== "" && !/[\s=]/u.test(nested)
    if (isWord && !isIndex) texts.add(`${name}: ${nested}`)
    else {
      if (!isIndex && name !== "") texts.add(name)
      if (isNested(nested)) {
        if (!collect(Object.entries(nested), texts, depth + 1)) return false
      } else if (typeof nested === "string" && nested !== "") texts.add(nested)
    }
  }
  return true
}
