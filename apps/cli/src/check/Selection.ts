/** Which part of a repository a check looks at, and why. */
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

/** As in the report (docs/cli.md#check). */
export interface SelectedRange {
  readonly source: "flag" | "worktree" | "staged" | "pre-push" | CiSystem
  /** Null if no CI system reports it. */
  readonly event: EventKind | null
  /** The merge base with what the range is taken against. */
  readonly base: string | null
  readonly head: string | null
  /** Null unless a range of commits is checked. */
  readonly commits: number | null
}

export interface Selection {
  readonly scan: EventScan
  readonly range: SelectedRange
}

/** No code is checked. */
export const nothingSelected: Selection = {
  scan: { added: [], rest: [], range: undefined, skipped: [], gaps: [], files: 0 },
  range: { source: "flag", event: null, base: null, head: null, commits: null }
}

export type SelectionFlags =
  | { readonly _tag: "Tree" | "History" | "Staged" }
  /** `gap` says why the commits of a build are not known. */
  | { readonly _tag: "Worktree"; readonly gap?: string | undefined }
  | ({ readonly _tag: "Range" } & RangeEnds)
  /** `remote` is the name of what is pushed to. */
  | { readonly _tag: "Push"; readonly refs: ReadonlyArray<PushedRef>; readonly remote: string }
  | { readonly _tag: "Ci"; readonly ci: CiEvent }

/** Two commits: what the head adds to the base. */
export interface RangeEnds {
  readonly base: string
  readonly head: string
}

/** A line of a pre-push hook's standard input. */
export interface PushedRef {
  /** Undefined where the push deletes the remote ref. */
  readonly head: string | undefined
  /** Undefined where the remote ref is new. */
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

/** Null before the first commit. */
export const headCommit = Effect.map(Effect.orElseSucceed(commitOf("HEAD"), Option.none), Option.getOrNull)

/** `A..B` or `A...B`; without A or B, HEAD. */
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
  // A script gives an empty A where its variable is not set: nothing would be read, and called clean.
  if (from === "" && ends.base === ends.head) {
    return yield* new UsageInvalid({
      message: `--range: ${JSON.stringify(range)} has no commits, because it does not say where it begins: give A..B`
    })
  }
  return ends
})

/** The event of what is selected, which says where its rules come from; undefined where nothing but the work tree is read. */
export const eventOf = (flags: SelectionFlags | undefined): WorkflowEvent | undefined =>
  flags?._tag === "Ci" ? flags.ci.event : flags?._tag === "Range" ? changeOf(flags) : undefined

const changeOf = ({ base, head }: RangeEnds): WorkflowEvent => ({ _tag: "MergeGroup", base, head })

const readRange = Effect.fnUntraced(function* ({ base, head }: RangeEnds, narrowing: Narrowing) {
  const range = { base, head }
  const scan = yield* scanEvent({ ...narrowing, event: changeOf(range), scan: "changes" })
  const selection: Selection = { scan, range: { source: "flag", event: null, ...(yield* commitsOf(range, narrowing)) } }
  return selection
})

/** As in the report. `base` may be behind its own branch: the merge base with `head` is used. */
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

/** The commits of a CI event; the setting `scan` may ask for more. */
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

/** If a change adds lines and a hook reads none of them, the hook must fail. */
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
 * The merge base of a commit with what need not be read: the remote's default branch, or all of its branches where the
 * default is unknown, and the commits that were read already. Undefined if there is none.
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

/** The commits of a push that the remote does not have. */
const readPush = Effect.fnUntraced(function* (
  { refs, remote }: SelectionFlags & { readonly _tag: "Push" },
  narrowing: Narrowing
) {
  const clone = yield* Clone
  const selections: Array<Selection> = []
  const alreadyRead: Array<string> = []
  for (const { before, head } of refs) {
    if (head === undefined) continue
    // A commit that was never fetched, or that the push replaces, does not show what else the remote has.
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
      // There is no base to compare with: everything is read.
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

/** The lines that git gives a pre-push hook: local ref, local commit, remote ref, remote commit. */
export const pushedRefs = (input: string): ReadonlyArray<PushedRef> =>
  input.split("\n").flatMap((line) => {
    const [, head, , before] = line.trim().split(/\s+/u)
    return head === undefined || before === undefined ? [] : [{ head: orAbsent(head), before: orAbsent(before) }]
  })

/** git writes zeros for a commit that does not exist. */
const orAbsent = (commit: string) => (/^0+$/u.test(commit) ? undefined : commit)

export const noCommit = "0".repeat(40)
