/** Edits the ignore file in place: everything except the edited entries stays the same, byte by byte. */
import { Effect, Result } from "effect"
import type { YamlInvalid, YamlRange } from "../Yaml.ts"
import { type IgnoreEntry, parse, type ParsedIgnoreFile } from "./IgnoreFile.ts"

export type NewIgnoreEntry = Pick<IgnoreEntry, "fingerprint" | "reason" | "expires"> & {
  readonly by?: string | undefined
}

/**
 * Adds an entry, or replaces the one with the same fingerprint. Undefined if the text has a form that cannot be edited.
 * `file` is the file's name in error messages.
 */
export const withIgnoreEntry = Effect.fn("IgnoreFileEdit.withIgnoreEntry")(function* (
  text: string,
  entry: NewIgnoreEntry,
  file: string
): Effect.fn.Return<string | undefined, YamlInvalid> {
  const others = yield* withoutIgnoreEntries(text, [entry.fingerprint], file)
  if (others === undefined) return undefined
  const parsed = yield* parse(others, file)
  return yield* checkEntries(withItem(others, parsed, entry), [...parsed.entries, entry], file)
})

/** Removes the entries with these fingerprints. Undefined if the text has a form that cannot be edited. */
export const withoutIgnoreEntries = Effect.fn("IgnoreFileEdit.withoutIgnoreEntries")(function* (
  text: string,
  fingerprints: ReadonlyArray<string>,
  file: string
): Effect.fn.Return<string | undefined, YamlInvalid> {
  const { entries, rangeOf } = yield* parse(text, file)
  let rest = text
  for (const [index, { fingerprint }] of [...entries.entries()].toReversed()) {
    const range = fingerprints.includes(fingerprint) ? rangeOf(["ignore", index]) : undefined
    if (range !== undefined) rest = withoutItem(rest, range)
  }
  const kept = entries.filter(({ fingerprint }) => !fingerprints.includes(fingerprint))
  return yield* checkEntries(rest, kept, file)
})

/** Returns the text if it parses to the expected entries, otherwise undefined. */
const checkEntries = (text: string, expected: ReadonlyArray<NewIgnoreEntry>, file: string) =>
  Effect.map(Effect.result(parse(text, file)), (parsed) => {
    const keyOf = ({ by, expires, fingerprint, reason }: NewIgnoreEntry) =>
      JSON.stringify([fingerprint, reason, expires, by])
    return Result.isSuccess(parsed) && parsed.success.entries.map(keyOf).join() === expected.map(keyOf).join()
      ? text
      : undefined
  })

/** Removes an item with the line of its dash or, in a flow sequence, with the adjacent comma. */
const withoutItem = (text: string, { end, next, start }: YamlRange): string => {
  const before = text.slice(0, start)
  const dash = /(?<=^|\n)[ \t]*-\s(?:\s|#[^\n]*\n)*$/u.exec(before)
  if (dash !== null) return before.slice(0, dash.index) + text.slice(next)
  const after = text.slice(end)
  return /^\s*,/u.test(after) ? before + after.replace(/^\s*,[ \t]*/u, "") : before.replace(/,\s*$/u, "") + after
}

const withItem = (text: string, { entries, rangeOf }: ParsedIgnoreFile, entry: NewIgnoreEntry): string => {
  const fields = [
    `fingerprint: ${entry.fingerprint}`,
    `reason: ${JSON.stringify(entry.reason)}`,
    `expires: ${entry.expires}`,
    ...(entry.by === undefined ? [] : [`by: ${JSON.stringify(entry.by)}`])
  ]
  const lineBreak = text.includes("\r\n") ? "\r\n" : "\n"
  const between = (before: string, indent: string, after: string) => {
    const item = fields.map((field, index) => `${indent}${index === 0 ? "- " : "  "}${field}${lineBreak}`).join("")
    return `${endLastLine(before, lineBreak)}${item}${after}`
  }
  const list = rangeOf(["ignore"])
  if (list === undefined) return between(`${endLastLine(text, lineBreak)}ignore:`, "  ", "")
  const last = rangeOf(["ignore", entries.length - 1])
  if (last === undefined) {
    const [line = ""] = /^.*\r?\n?/u.exec(text.slice(list.end)) ?? []
    return between(text.slice(0, list.start).trimEnd() + line, "  ", text.slice(list.end + line.length))
  }
  if (text[list.start] === "[") return `${text.slice(0, last.end)}, { ${fields.join(", ")} }${text.slice(last.end)}`
  const indent = /[ \t]*$/u.exec(text.slice(0, list.start))?.[0] ?? ""
  return between(text.slice(0, list.next), indent, text.slice(list.next))
}

/** The text, empty or ending in a line break. */
const endLastLine = (text: string, lineBreak: string) => (text === "" || text.endsWith("\n") ? text : text + lineBreak)
