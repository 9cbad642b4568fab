/** The ignore file: resolved leaks, each with a reason and an expiry date. */
import { DateTime, Effect, Result, Schema, SchemaIssue } from "effect"
import { type Decoded, decodeYaml, YamlInvalid } from "../Yaml.ts"

export interface IgnoreEntry {
  readonly fingerprint: string
  readonly reason: string
  /** The last day on which the entry applies, in UTC. */
  readonly expires: string
  readonly by: string | undefined
  /** The line, from 1, where the entry starts in the file. */
  readonly line: number
}

export interface IgnoreFile {
  readonly entries: ReadonlyArray<IgnoreEntry>
}

export interface ParsedIgnoreFile extends IgnoreFile, Pick<Decoded<unknown>, "rangeOf"> {}

/** The content if there is no ignore file. */
export const empty: IgnoreFile = { entries: [] }

/** `file` is the file's name in error messages. */
export const parse = Effect.fn("IgnoreFile.parse")(function* (
  text: string,
  file: string
): Effect.fn.Return<ParsedIgnoreFile, YamlInvalid> {
  const { lineOf, rangeOf, value } = yield* decodeYaml(IgnoreFileContent, { file, text, scalars: "failsafe" })
  const limit = yield* lastDay
  const entries: Array<IgnoreEntry> = []
  for (const [index, { by, expires, fingerprint, reason }] of (value.ignore || []).entries()) {
    entries.push({ fingerprint, reason, expires, by, line: lineOf(["ignore", index]) })
  }
  const faults: Array<{ readonly line: number; readonly message: string }> = []
  const lines = new Map<string, number>()
  for (const [index, { expires, fingerprint, line }] of entries.entries()) {
    if (expires > limit) {
      faults.push({ line: lineOf(["ignore", index, "expires"]), message: `"expires": ${tooLate(limit)}` })
    }
    const first = lines.get(fingerprint)
    if (first !== undefined) {
      faults.push({
        line: lineOf(["ignore", index, "fingerprint"]),
        message: `"fingerprint": the same as on line ${first}; keep one of the two`
      })
    }
    lines.set(fingerprint, first ?? line)
  }
  return faults.length === 0 ? { entries, rangeOf } : yield* new YamlInvalid({ file, faults })
})

/** Validates an entry that is not in a file yet; returns its faults by key. */
export const entryFaults = Effect.fnUntraced(function* (entry: typeof Entry.Type) {
  const decoded = decodeEntry(entry)
  const limit = yield* lastDay
  const faults = Result.isSuccess(decoded)
    ? []
    : messagesOf(decoded.failure.issue).issues.map(({ message, path = [] }) => ({ key: String(path[0]), message }))
  return faults.length === 0 && entry.expires > limit ? [{ key: "expires", message: tooLate(limit) }] : faults
})

/** The latest date that an entry may expire, in UTC. */
const lastDay = Effect.map(DateTime.now, (now) => DateTime.formatIsoDateUtc(DateTime.add(now, { years: 1 })))

const tooLate = (limit: string) => `must be at most a year ahead: ${limit} or earlier`

const messagesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** An entry applies until the end of its last day. */
export const isExpired = (entry: Pick<IgnoreEntry, "expires">, now: DateTime.Utc): boolean =>
  entry.expires < DateTime.formatIsoDateUtc(now)

/** The fingerprints in `head` that are not in `base`. */
export const addedFingerprints = (base: IgnoreFile, head: IgnoreFile): ReadonlyArray<string> => {
  const known = new Set(base.entries.map(({ fingerprint }) => fingerprint))
  return head.entries.map(({ fingerprint }) => fingerprint).filter((fingerprint) => !known.has(fingerprint))
}

/** True for text in any other format, for which the pattern check reports the error. */
const isDate = (text: string) => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return true
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

const Entry = Schema.Struct({
  fingerprint: Schema.String.check(
    Schema.isPattern(/^[0-9a-f]{16}$/u, { message: "must be sixteen hexadecimal digits, as the report gives them" })
  ).annotate({ description: "The leak's fingerprint, as the report gives it." }),
  reason: Schema.String.check(Schema.isPattern(/\S/u, { message: "must say why the leak can be ignored" })).annotate({
    description: "Why the leak can be ignored, for whoever reads this later."
  }),
  expires: Schema.String.check(
    Schema.makeFilter((text) => isDate(text) || "must be a day that exists, such as 2027-02-01"),
    Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/u, { message: "must be a date such as 2027-02-01" })
  ).annotate({ description: "The last day on which the entry applies, in UTC; a year ahead at most.", format: "date" }),
  by: Schema.optionalKey(Schema.String.annotate({ description: "Who decided it." }))
})

const decodeEntry = Schema.decodeUnknownResult(Entry, { errors: "all" })

/** The schema of the ignore file; `schemas/ignore.schema.json` is generated from it. */
export const IgnoreFileContent = Schema.Struct({
  ignore: Schema.optionalKey(
    Schema.Union([Schema.Array(Entry), Schema.Literal(""), Schema.Null]).annotate({
      message: "this must be a list of entries, each after a `-`"
    })
  )
}).annotate({ title: "Resolved leaks" })
