/** What is read for candidates, by the event and the input `scan`. */
import type { ScanSummary, NotReadReason } from "@threat-exposure/detect/files/ScanSummary"
import type { Candidate } from "@threat-exposure/detect/Candidate"
import { pathFilter } from "@threat-exposure/detect/files/PathFilter"
import type { Range } from "@threat-exposure/detect/git/Repository"
import type { ScanError } from "@threat-exposure/detect/ScanError"
import { type Scan, Scanner } from "@threat-exposure/detect/Scanner"
import { Effect, Option, Result, Stream } from "effect"
import { Clone } from "./Clone.ts"
import { openRange } from "./Range.ts"
import type { WorkflowEvent } from "./WorkflowEvent.ts"

export interface EventScan {
  /** What the event's commits add. */
  readonly added: ReadonlyArray<Candidate>
  /** What stands in the code besides. */
  readonly rest: ReadonlyArray<Candidate>
  readonly range: Range | undefined
  /** What could not be read, one sentence each. */
  readonly gaps: ReadonlyArray<string>
  /** What was not read by intent, one sentence each. */
  readonly notices: ReadonlyArray<string>
  /** Files read, or versions of files where commits are read. */
  readonly files: number
}

export interface ScanEventOptions {
  readonly event: WorkflowEvent
  readonly scan: "changes" | "tree" | "history" | "none"
  readonly root: string
  readonly paths: ReadonlyArray<string>
  readonly exclude: ReadonlyArray<string>
}

/** Never fails: what goes wrong is a gap, and no report with a gap is clean. */
export const read = Effect.fn("read")(function* (
  options: ScanEventOptions
): Effect.fn.Return<EventScan, never, Clone | Scanner> {
  if (options.scan === "none") return together([], [], undefined)
  const [scan, unmatched] = yield* Effect.all([readWith(options), unmatchedOf(options.paths)], { concurrency: 2 })
  return {
    ...scan,
    gaps: [...scan.gaps, ...unmatched.gaps],
    notices: [...scan.notices, ...unmatched.notices]
  }
})

/** A glob with a slip of the pen would narrow the scan unseen, as far as to nothing at all. */
const unmatchedOf = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
  const nothing: Pick<EventScan, "gaps" | "notices"> = { gaps: [], notices: [] }
  if (paths.length === 0) return nothing
  const clone = yield* Clone
  const files = yield* Effect.orElseSucceed(clone.files, () => undefined)
  const unmatched = paths.filter((glob) => files !== undefined && !files.some(pathFilter([glob], [])))
  if (unmatched.length === 0) return nothing
  return unmatched.length === paths.length
    ? { ...nothing, gaps: [`No file here matches the input paths (${paths.join(", ")}): correct it, or take it out`] }
    : { ...nothing, notices: unmatched.map((glob) => `The input paths has ${glob}, which matches no file here`) }
})

/** The commits of the event, for whoever reads none of them; undefined where they cannot be told. */
export const rangeOf = Effect.fn("rangeOf")(function* ({ exclude, paths, root, event }: ScanEventOptions) {
  const scanner = yield* Scanner
  const opened = yield* Effect.option(openRange(event, (range) => scanner.range({ root, paths, exclude, ...range })))
  return Option.getOrUndefined(opened)?.range
})

const readWith = Effect.fnUntraced(function* ({
  exclude,
  paths,
  root,
  scan,
  event
}: ScanEventOptions): Effect.fn.Return<EventScan, never, Clone | Scanner> {
  const scanner = yield* Scanner
  const narrowed = { root, paths, exclude }
  const found = yield* Effect.result(openRange(event, (range) => scanner.range({ ...narrowed, ...range })))
  const opened = Result.getOrUndefined(found)
  const change = Result.isFailure(found)
    ? unread(found.failure)
    : opened === undefined
      ? nothing
      : yield* candidatesOf(Effect.succeed(opened.content))

  if (scan === "changes") {
    return event._tag === "Other"
      ? together([], [yield* candidatesOf(scanner.tree(narrowed))], undefined)
      : together([change], [], opened?.range)
  }
  const rest =
    scan === "tree"
      ? yield* candidatesOf(scanner.tree(narrowed))
      : yield* candidatesOf(Effect.andThen(unshallowed, scanner.history(narrowed)))
  // All of it is read anyway: the change only says what to search first.
  return together([{ ...change, gaps: [], notices: [] }], [rest], opened?.range)
})

interface Part {
  readonly candidates: ReadonlyArray<Candidate>
  readonly gaps: ReadonlyArray<string>
  readonly notices: ReadonlyArray<string>
  readonly files: number
}

const nothing: Part = { candidates: [], gaps: [], notices: [], files: 0 }

const unread = ({ message }: { readonly message: string }): Part => ({ ...nothing, gaps: [message] })

const together = (added: ReadonlyArray<Part>, rest: ReadonlyArray<Part>, range: Range | undefined): EventScan => {
  const all = [...added, ...rest]
  return {
    added: added.flatMap(({ candidates }) => candidates),
    rest: rest.flatMap(({ candidates }) => candidates),
    range,
    gaps: all.flatMap(({ gaps }) => gaps),
    notices: all.flatMap(({ notices }) => notices),
    files: all.reduce((sum, { files }) => sum + files, 0)
  }
}

/** What was found before a failure still counts. */
const candidatesOf = <R>(opened: Effect.Effect<Scan, ScanError, R>): Effect.Effect<Part, never, R> =>
  opened.pipe(
    Effect.flatMap((scan) =>
      Effect.gen(function* () {
        const candidates: Array<Candidate> = []
        const ended = yield* Effect.result(
          Stream.runForEachArray(scan.candidates, (some) => Effect.sync(() => candidates.push(...some)))
        )
        const summary = yield* scan.summary
        return {
          candidates,
          gaps: [...(Result.isFailure(ended) ? [ended.failure.message] : []), ...gapsOf(summary)],
          notices: noticesOf(summary),
          files: summary.files
        }
      })
    ),
    Effect.catch((error) => Effect.succeed(unread(error)))
  )

const gapsOf = ({ notRead, shallow }: ScanSummary): ReadonlyArray<string> => [
  ...named(notRead, "unreadable", "could not be read"),
  ...(shallow ? ["The history ends where this shallow clone does: check out with `fetch-depth: 0`"] : [])
]

const noticesOf = ({ notRead, warnings }: ScanSummary): ReadonlyArray<string> => [
  ...named(notRead, "submodule", "not read, being a submodule"),
  ...named(notRead, "too-large", "not read, being too large"),
  ...warnings
]

/** More than these are counted only. */
const mostNamed = 20

const named = (notRead: ScanSummary["notRead"], reason: NotReadReason, what: string): ReadonlyArray<string> => {
  const paths = [...new Set(notRead.filter((file) => file.reason === reason).map(({ path }) => path))]
  return [
    ...paths.slice(0, mostNamed).map((path) => `${path}: ${what}`),
    ...(paths.length > mostNamed ? [`${paths.length - mostNamed} more: ${what}`] : [])
  ]
}

/** As far as that can be had: the scan says itself where the history ends too early. */
const unshallowed = Effect.gen(function* () {
  const clone = yield* Clone
  if (yield* clone.isShallow) yield* clone.fetch({ depth: "all", revisions: [] })
}).pipe(Effect.ignore)
