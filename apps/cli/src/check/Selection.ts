/** Selects the part of a repository to check. */
import { Git, type GitArguments } from "@threat-exposure/detect/git/Git"
import { counted } from "@threat-exposure/leak-check/Counted"
import { Clone } from "@threat-exposure/leak-check/range/Clone"
import type { Range } from "@threat-exposure/detect/git/Repository"
import type { CiEvent, CiSystem, EventKind } from "@threat-exposure/leak-check/range/CiEvent"
import {
  type EventScan,
  scanEvent,
  scanUncommitted,
  type ScanEventOptions
} from "@threat-exposure/leak-check/range/ScanEvent"
import type { WorkflowEvent } from "@threat-exposure/leak-check/range/WorkflowEvent"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { UsageInvalid } from "../request/UsageInvalid.ts"

/** The range as the report contains it (docs/cli.md#check). */
export interface SelectedRange {
  readonly source: "flag" | "worktree" | "staged" | "pre-push" | CiSystem
  /** Null if no CI system reports it. */
  readonly event: EventKind | null
  /** Merge base of `head` and the commit that it is compared with. */
  readonly base: string | null
  readonly head: string | null
  /** Number of commits; null if the check does not read a range of commits. */
  readonly commits: number | null
}

export interface Selection {
  readonly scan: EventScan
  readonly range: SelectedRange
}

/** The selection of a check that reads no code. */
export const nothingSelected: Selection = {
  scan: { added: [], rest: [], range: undefined, skipped: [], gaps: [], files: 0 },
  range: { source: "flag", event: null, base: null, head: null, commits: null }
}

export type SelectionFlags =
  | { readonly _tag: "Tree" | "History" | "Staged" }
  /** `gap` says why the commits of a build are unknown. */
  | { readonly _tag: "Worktree"; readonly gap?: string | undefined }
  | ({ readonly _tag: "Range" } & RangeEnds)
  /** `remote` is the name of the remote that the push goes to. */
  | { readonly _tag: "Push"; readonly refs: ReadonlyArray<PushedRef>; readonly remote: string }
  | { readonly _tag: "Ci"; readonly ci: CiEvent }

/** The check reads what `head` adds to `base`. */
export interface RangeEnds {
  readonly base: string
  readonly head: string
}

/** A line of a pre-push hook's standard input. */
export interface PushedRef {
  /** Undefined if the push deletes the remote ref. */
  readonly head: string | undefined
  /** Undefined if the remote ref is new. */
  readonly before: string | undefined
}

interface Narrowing extends Pick<
  ScanEventOptions,
  "root" | "paths" | "exclude" | "include" | "maxCandidates" | "maxDuration" | "ruleFiles"
> {
  /** The part to scan for the event of a CI system. Default: the lines that its commits add. */
  readonly scan?: ScanEventOptions["scan"]
}

export const select = Effect.fn("Selection.select")(function* (flags: SelectionFlags, narrowing: Narrowing) {
  switch (flags._tag) {
    case "Worktree": {
      const gaps = flags.gap === undefined ? [] : [flags.gap]
      const { base, ...scan } = yield* scanUncommitted(narrowing)
      return uncommitted("worktree", base, { ...scan, gaps: [...scan.gaps, ...gaps] })
    }
    case "Staged": {
      const { base, ...scan } = yield* scanUncommitted({ ...narrowing, staged: true })
      return uncommitted("staged", base, yield* unlessUnread(scan, ["diff", "--cached"], narrowing))
    }
    case "Tree":
    case "History": {
      const scanning = scanEvent({ ...narrowing, event: noEvent, scan: flags._tag === "Tree" ? "tree" : "history" })
      const [scan, head] = yield* Effect.all([scanning, headCommit], { concurrency: "unbounded" })
      const selection: Selection = { scan, range: { source: "flag", event: null, base: null, head, commits: null } }
      return selection
    }
    case "Range":
      return yield* readRange(flags, narrowing)
    case "Push":
      return yield* readPush(flags, narrowing)
    case "Ci":
      return yield* readCi(flags.ci, narrowing)
  }
})

const noEvent: WorkflowEvent = { _tag: "Other", name: "none" }

const commitOf = (revision: string) => Effect.flatMap(Clone, (clone) => clone.commitOf(revision))

const uncommitted = (source: "worktree" | "staged", base: string | undefined, scan: EventScan): Selection => ({
  scan,
  range: { source, event: null, base: base ?? null, head: null, commits: null }
})

/** The commit of HEAD; null before the first commit. */
export const headCommit = Effect.map(Effect.orElseSucceed(commitOf("HEAD"), Option.none), Option.getOrNull)

/** Parses `A..B` or `A...B`; a missing A or B means HEAD. */
export const endsOf = Effect.fnUntraced(function* (range: string) {
  const [, from = "", to = ""] = /^(.*?)\.\.\.?(.*)$/u.exec(range) ?? [range, "?", "?"]
  if (!range.includes("..")) return yield* new UsageInvalid({ message: "--range takes two revisions: A..B" })
  const resolve = Effect.fnUntraced(function* (revision: string) {
    const commit = yield* Effect.orElseSucceed(commitOf(revision), Option.none)
    return Option.isSome(commit)
      ? commit.value
      : yield* new UsageInvalid({
          message: `--range: ${JSON.stringify(revision)} is not a revision of this repository`
        })
  })
  const ends: RangeEnds = {
    base: yield* resolve(from === "" ? "HEAD" : from),
    head: yield* resolve(to === "" ? "HEAD" : to)
  }
  // In a script, A is empty if its variable is unset: the check would read nothing and pass.
  if (from === "" && ends.base === ends.head) {
    return yield* new UsageInvalid({
      message: `--range: ${JSON.stringify(range)} has no commits, because it does not say where it begins: give A..B`
    })
  }
  return ends
})

/** The event that decides which commit's rules apply; undefined if only the work tree is read. */
export const eventOf = (flags: SelectionFlags | undefined): WorkflowEvent | undefined =>
  flags?._tag === "Ci" ? flags.ci.event : flags?._tag === "Range" ? changeOf(flags) : undefined

const changeOf = ({ base, head }: RangeEnds): WorkflowEvent => ({ _tag: "MergeGroup", base, head })

const readRange = Effect.fnUntraced(function* ({ base, head }: RangeEnds, narrowing: Narrowing) {
  const range = { base, head }
  const scan = yield* scanEvent({ ...narrowing, event: changeOf(range), scan: "changes" })
  const selection: Selection = { scan, range: { source: "flag", event: null, ...(yield* commitsOf(range, narrowing)) } }
  return selection
})

/** The range for the report. The branch of `base` may have advanced, so `base` becomes the merge base with `head`. */
const commitsOf = Effect.fnUntraced(function* ({ base, head }: Range, { root }: Narrowing) {
  const git = yield* Git
  const clone = yield* Clone
  const fork =
    base === undefined ? Option.none() : yield* Effect.orElseSucceed(clone.mergeBaseOf(base, head), Option.none)
  const count = yield* Effect.orElseSucceed(
    git.text(root, ["rev-list", "--count", head, ...(base === undefined ? [] : ["--not", base])]),
    () => ""
  )
  return {
    base: Option.getOrNull(fork),
    head: Option.getOrElse(yield* Effect.orElseSucceed(clone.commitOf(head), Option.none), () => head),
    commits: /^\d+$/u.test(count) ? Number(count) : null
  }
})

/** Reads the commits of a CI event; the setting `scan` can extend this. */
const readCi = Effect.fnUntraced(function* ({ event, kind, source }: CiEvent, narrowing: Narrowing) {
  const wanted = narrowing.scan ?? "changes"
  const scan = yield* scanEvent({ ...narrowing, event, scan: wanted })
  const isDeletion = event._tag === "Push" && event.after === undefined
  const ends =
    wanted === "changes" && scan.range !== undefined
      ? yield* commitsOf(scan.range, narrowing)
      : {
          base: null,
          head: isDeletion
            ? null
            : Option.getOrNull(
                yield* Effect.orElseSucceed(commitOf("head" in event ? event.head : "HEAD"), Option.none)
              ),
          commits: isDeletion ? 0 : null
        }
  const selection: Selection = { scan, range: { source, event: kind, ...ends } }
  return selection
})

/** Adds a gap if a change adds lines but the check read no file, so that the hook fails. */
const unlessUnread = Effect.fnUntraced(function* (
  scan: EventScan,
  [command, ...revisions]: GitArguments,
  { root }: Pick<Narrowing, "root">
) {
  if (scan.files > 0 || scan.skipped.length > 0 || scan.gaps.length > 0) return scan
  const git = yield* Git
  const added = yield* Effect.orElseSucceed(
    git.text(root, [command, "--numstat", "--find-renames", ...revisions]),
    () => ""
  )
  const files = new Set(added.split("\n").flatMap((line) => /^[1-9]\d*\t\d+\t(.+)$/u.exec(line)?.[1] ?? []))
  const gap = `No changed file was read: the settings paths and exclude leave out ${counted(files.size, "changed file")}`
  const unread: EventScan = { ...scan, gaps: [gap] }
  return files.size === 0 ? scan : unread
})

/**
 * The merge base of `head` and the commits that need no reading: the remote's default branch (or, if unknown, all its
 * branches) and the heads in `alreadyRead`. Undefined if there is none.
 */
const forkFrom = Effect.fnUntraced(function* (
  remote: string,
  head: string,
  alreadyRead: ReadonlyArray<string>,
  { root }: Narrowing
) {
  const git = yield* Git
  const tipsOf = (pattern: string) =>
    Effect.orElseSucceed(git.text(root, ["for-each-ref", "--format=%(objectname)", pattern]), () => "")
  const ofDefault = yield* tipsOf(`refs/remotes/${remote}/HEAD`)
  const ofRemote = ofDefault === "" ? yield* tipsOf(`refs/remotes/${remote}/`) : ofDefault
  const tips = new Set([...ofRemote.split("\n"), ...alreadyRead].filter((tip) => tip !== ""))
  const fork = yield* Effect.orElseSucceed(git.text(root, ["merge-base", head, ...tips]), () => "")
  return fork === "" ? undefined : fork
})

/** Reads the commits of a push that the remote does not have. */
const readPush = Effect.fnUntraced(function* (
  { refs, remote }: SelectionFlags & { readonly _tag: "Push" },
  narrowing: Narrowing
) {
  const clone = yield* Clone
  const selections: Array<Selection> = []
  const alreadyRead: Array<string> = []
  for (const { before, head } of refs) {
    if (head === undefined) continue
    // A commit that was never fetched, or that a forced push replaces, does not tell what else the remote has.
    const known =
      before === undefined ? Option.none() : yield* Effect.orElseSucceed(clone.commitOf(before), Option.none)
    const shared = Option.isNone(known)
      ? known
      : yield* Effect.orElseSucceed(clone.mergeBaseOf(known.value, head), Option.none)
    const isExtended = Option.isSome(known) && Option.contains(shared, known.value)
    const base = isExtended ? known.value : yield* forkFrom(remote, head, alreadyRead, narrowing)
    alreadyRead.push(head)
    const event: WorkflowEvent = {
      _tag: "Push",
      before: base,
      after: head,
      isForced: false,
      // Without a base there is nothing to compare with: everything is read.
      isDefaultBranch: base === undefined,
      defaultBranch: undefined
    }
    const seen = yield* scanEvent({ ...narrowing, event, scan: "changes" })
    const since = seen.range?.base === undefined ? [] : ["--not", seen.range.base]
    const scan = yield* unlessUnread(seen, ["log", "--format=", head, ...since], narrowing)
    const range = yield* commitsOf(scan.range ?? { base: undefined, head }, narrowing)
    selections.push({ scan, range: { source: "pre-push", event: null, ...range } })
  }
  const [first, ...others] = selections
  if (first !== undefined && others.length === 0) return first
  const selection: Selection = {
    scan: {
      added: selections.flatMap(({ scan }) => scan.added),
      rest: [],
      range: undefined,
      skipped: selections.flatMap(({ scan }) => scan.skipped),
      gaps: selections.flatMap(({ scan }) => scan.gaps),
      files: selections.reduce((sum, { scan }) => sum + scan.files, 0)
    },
    range: {
      source: "pre-push",
      event: null,
      base: null,
      head: null,
      commits: selections.reduce((sum, { range }) => sum + (range.commits ?? 0), 0)
    }
  }
  return selection
})

/** Parses the lines that git writes to a pre-push hook: local ref, local commit, remote ref, remote commit. */
export const pushedRefs = (input: string): ReadonlyArray<PushedRef> =>
  input.split("\n").flatMap((line) => {
    const [, head, , before] = line.trim().split(/\s+/u)
    return head === undefined || before === undefined ? [] : [{ head: orAbsent(head), before: orAbsent(before) }]
  })

/** git writes zeros for a missing commit. */
const orAbsent = (commit: string) => (/^0+$/u.test(commit) ? undefined : commit)

export const noCommit = "0".repeat(40)
