/** Selects what to scan, by the event and the input `scan`. */
import type { Candidate, Inclusion } from "@threat-exposure/detect/Candidate"
import { pathFilter } from "@threat-exposure/detect/skip/PathFilter"
import type { Range } from "@threat-exposure/detect/git/Repository"
import type { ScanError } from "@threat-exposure/detect/ScanError"
import { type ChangesOptions, type Scan, Scanner } from "@threat-exposure/detect/Scanner"
import { type Duration, Effect, Option, Result, Stream } from "effect"
import { counted } from "../Counted.ts"
import { mergeSkips, type Skipped } from "../Coverage.ts"
import { Clone } from "./Clone.ts"
import { openRange } from "./Range.ts"
import { rulesFrom, type WorkflowEvent } from "./WorkflowEvent.ts"

export interface EventScan {
  /** Candidates in lines that the event's commits add. */
  readonly added: ReadonlyArray<Candidate>
  /** The other candidates in the code. */
  readonly rest: ReadonlyArray<Candidate>
  readonly range: Range | undefined
  readonly skipped: ReadonlyArray<Skipped>
  /** Why a scan failed or ended early, one sentence each. */
  readonly gaps: ReadonlyArray<string>
  /** Number of files read; versions of files in a scan of commits. */
  readonly files: number
}

export interface UncommittedScan extends EventScan {
  /** The commit that the changes are compared with; undefined before the first commit, or if the scan failed. */
  readonly base: string | undefined
}

export interface ScanEventOptions {
  readonly event: WorkflowEvent
  readonly scan: "changes" | "tree" | "history" | "none"
  readonly root: string
  readonly paths: ReadonlyArray<string>
  readonly exclude: ReadonlyArray<string>
  readonly include?: ReadonlyArray<Inclusion> | undefined
  /** Maximum number of candidates per scan; default: no limit. */
  readonly maxCandidates?: number | undefined
  /** Time limit of each scan; default: none. */
  readonly maxDuration?: Duration.Duration | undefined
  /** Files other than `.gitleaks.toml` and `.gitattributes` with which a change could influence its own check. */
  readonly ruleFiles?: ReadonlyArray<string> | undefined
}

/** Never fails: an error becomes a gap, and a report with a gap is never clean. */
export const scanEvent = Effect.fn("scanEvent")(function* (
  options: ScanEventOptions
): Effect.fn.Return<EventScan, never, Clone | Scanner> {
  if (options.scan === "none") return combine([], [], undefined)
  const [scan, unmatched, gaps] = yield* Effect.all(
    [scanCommits(options), unmatchedOf(options.paths), allExcluded(options)],
    { concurrency: 3 }
  )
  return {
    ...scan,
    skipped: [...scan.skipped, ...unmatched],
    gaps: [...scan.gaps, ...gaps, ...(yield* explainNothingRead(scan, options))]
  }
})

/** Without a checkout, a workflow scans a folder without files, and would always be clean. */
const explainNothingRead = Effect.fnUntraced(function* (
  { files, gaps, skipped }: EventScan,
  { exclude, paths }: Pick<ScanEventOptions, "paths" | "exclude">
): Effect.fn.Return<ReadonlyArray<string>, never, Clone> {
  const isWithoutFiles = skipped.every(({ reason }) => reason === "symbolic-link" || reason === "ignored")
  if (files > 0 || gaps.length > 0 || !isWithoutFiles) return []
  const clone = yield* Clone
  if (yield* Effect.isSuccess(clone.files)) return []
  return paths.length + exclude.length > 0
    ? ["No file was read: the settings `paths` and `exclude` leave out every file here"]
    : ["There is no file and no git repository here: check out the repository first"]
})

/** Scans uncommitted changes, or only the staged ones. Like `scanEvent`, it never fails. */
export const scanUncommitted = Effect.fn("scanUncommitted")(function* ({
  exclude,
  include,
  maxCandidates,
  maxDuration,
  paths,
  root,
  staged
}: Pick<ScanEventOptions, "root" | "paths" | "exclude" | "include" | "maxCandidates" | "maxDuration"> &
  Pick<ChangesOptions, "staged">): Effect.fn.Return<UncommittedScan, never, Clone | Scanner> {
  const scanner = yield* Scanner
  const opened = yield* Effect.cached(scanner.changes({ root, paths, exclude, include, maxDuration, staged }))
  const scan = combine([yield* readCandidates(opened, maxCandidates)], [], undefined)
  const base = yield* Effect.orElseSucceed(
    Effect.map(opened, ({ base }) => base),
    () => undefined
  )
  return { ...scan, base, skipped: [...scan.skipped, ...(yield* unmatchedOf(paths))] }
})

/** Reports globs that match no file: a typing error would silently reduce the scan, possibly to nothing. */
const unmatchedOf = Effect.fnUntraced(function* (
  paths: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<Skipped>, never, Clone> {
  if (paths.length === 0) return []
  const clone = yield* Clone
  const files = yield* Effect.orElseSucceed(clone.files, () => undefined)
  const names = paths.filter((glob) => files !== undefined && !files.some(pathFilter([glob], [])))
  return names.length === 0 ? [] : [{ reason: "unmatched-pattern", count: names.length, names }]
})

/** Reports an `exclude` that matches every file: a typing error would silently turn the scan off. */
const allExcluded = Effect.fnUntraced(function* ({
  exclude,
  paths
}: Pick<ScanEventOptions, "paths" | "exclude">): Effect.fn.Return<ReadonlyArray<string>, never, Clone> {
  if (exclude.length === 0) return []
  const clone = yield* Clone
  const files = yield* Effect.orElseSucceed(clone.files, () => [])
  const wanted = files.filter(pathFilter(paths, []))
  return wanted.length > 0 && !wanted.some(pathFilter([], exclude))
    ? [`\`exclude\` leaves out every file: exclude less or, to check no code, set \`scan\` to \`none\``]
    : []
})

/** The commits of the event, without a scan; undefined if they cannot be determined. */
export const rangeOf = Effect.fn("rangeOf")(function* ({ exclude, paths, root, event }: ScanEventOptions) {
  const scanner = yield* Scanner
  const opened = yield* Effect.option(openRange(event, (range) => scanner.range({ root, paths, exclude, ...range })))
  return Option.getOrUndefined(opened)?.range
})

/** Rule files that the change itself edits, and that only apply once it is merged. */
const changedRules = Effect.fnUntraced(function* (
  event: WorkflowEvent,
  ruleFiles: ReadonlyArray<string>,
  range: Range | undefined
): Effect.fn.Return<ReadonlyArray<Skipped>, never, Clone> {
  const clone = yield* Clone
  const base = rulesFrom(event)
  if (base === undefined || range === undefined) return []
  const paths = [".gitleaks.toml", ":(glob)**/.gitattributes", ...ruleFiles]
  // Without a common ancestor, the whole head counts as the change.
  const names = yield* clone.changed({ base, head: range.head }, paths).pipe(Effect.orElseSucceed(() => []))
  return names.length === 0 ? [] : [{ reason: "changed-rules", count: names.length, names }]
})

const scanCommits = Effect.fnUntraced(function* ({
  exclude,
  include,
  maxCandidates,
  maxDuration,
  paths,
  root,
  ruleFiles = [],
  scan,
  event
}: ScanEventOptions): Effect.fn.Return<EventScan, never, Clone | Scanner> {
  const scanner = yield* Scanner
  const narrowed = { root, paths, exclude, include, maxDuration, rulesFrom: rulesFrom(event) }
  const found = yield* Effect.result(openRange(event, (range) => scanner.range({ ...narrowed, ...range })))
  const opened = Result.getOrUndefined(found)
  const read = Result.isFailure(found)
    ? makeUnread(found.failure)
    : opened === undefined
      ? nothing
      : yield* readCandidates(Effect.succeed(opened.content), maxCandidates)
  const change = { ...read, skipped: [...read.skipped, ...(yield* changedRules(event, ruleFiles, opened?.range))] }

  if (scan === "changes") {
    return event._tag === "Other" || (event._tag === "Tag" && Result.isSuccess(found) && opened === undefined)
      ? combine([], [yield* readCandidates(scanner.tree(narrowed), maxCandidates)], undefined)
      : combine([change], [], opened?.range)
  }
  const rest =
    scan === "tree"
      ? yield* readCandidates(scanner.tree(narrowed), maxCandidates)
      : yield* readCandidates(Effect.andThen(unshallow, scanner.history(narrowed)), maxCandidates)
  // Everything is scanned anyway: the change only determines the order of searches.
  return combine([{ ...change, skipped: change.skipped.filter(isOfTheChange), gaps: [] }], [rest], opened?.range)
})

const isOfTheChange = ({ reason }: Skipped) => reason === "added-allow-comment" || reason === "changed-rules"

interface Part extends Pick<EventScan, "skipped" | "gaps" | "files"> {
  readonly candidates: ReadonlyArray<Candidate>
}

const nothing: Part = { candidates: [], skipped: [], gaps: [], files: 0 }

const makeUnread = ({ message }: { readonly message: string }): Part => ({ ...nothing, gaps: [message] })

const combine = (added: ReadonlyArray<Part>, rest: ReadonlyArray<Part>, range: Range | undefined): EventScan => {
  const all = [...added, ...rest]
  return {
    added: added.flatMap(({ candidates }) => candidates),
    rest: rest.flatMap(({ candidates }) => candidates),
    range,
    skipped: mergeSkips(all.flatMap(({ skipped }) => skipped)),
    gaps: all.flatMap(({ gaps }) => gaps),
    files: all.reduce((sum, { files }) => sum + files, 0)
  }
}

/** Reads the candidates of a scan; those found before a failure still count. */
const readCandidates = <R>(
  opened: Effect.Effect<Scan, ScanError, R>,
  maxCandidates = Infinity
): Effect.Effect<Part, never, R> =>
  opened.pipe(
    Effect.flatMap((scan) =>
      Effect.gen(function* () {
        const candidates: Array<Candidate> = []
        const ended = yield* Effect.result(
          scan.candidates.pipe(
            Stream.take(maxCandidates + 1),
            Stream.runForEach((candidate) => Effect.sync(() => candidates.push(candidate)))
          )
        )
        const isCut = candidates.length > maxCandidates
        const summary = yield* scan.summary
        return {
          candidates: candidates.slice(0, maxCandidates),
          skipped: summary.skipped,
          gaps: [
            ...(Result.isFailure(ended) ? [ended.failure.message] : []),
            ...(isCut
              ? [
                  `The scan found more than the limit of ${counted(maxCandidates, "candidate")}, and the rest was not read: raise \`max-candidates\`, or read less with \`paths\` and \`exclude\``
                ]
              : [])
          ],
          files: summary.files
        }
      })
    ),
    Effect.catch((error) => Effect.succeed(makeUnread(error)))
  )

/** Errors are ignored: the scan itself reports an incomplete history. */
const unshallow = Effect.gen(function* () {
  const clone = yield* Clone
  if (yield* clone.isShallow) yield* clone.fetch({ depth: "all", revisions: [] })
}).pipe(Effect.ignore)
