/** Which part of a repository a check looks at, and why. */
import { Git, type GitArguments, type GitOptions } from "@threat-exposure/detect/git/Git"
import { Clone } from "@threat-exposure/leak-check/range/Clone"
import type { Range } from "@threat-exposure/detect/git/Repository"
import type { CiEvent, CiSystem, EventKind } from "@threat-exposure/leak-check/range/CiEvent"
import {
  type EventScan,
  read,
  readUncommitted,
  type ScanEventOptions
} from "@threat-exposure/leak-check/range/ScanEvent"
import type { WorkflowEvent } from "@threat-exposure/leak-check/range/WorkflowEvent"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Misused } from "../request/Misused.ts"

/** As in the report (docs/cli.md#check). */
export interface SelectedRange {
  readonly source: "flag" | "worktree" | "staged" | "pre-push" | CiSystem
  /** Null if no CI system tells. */
  readonly event: EventKind | null
  /** The merge base with what the range is taken against. */
  readonly base: string | null
  readonly head: string | null
  /** Null if not a range of commits is checked, but all files or what is not committed. */
  readonly commits: number | null
}

export interface Selection {
  readonly scan: EventScan
  readonly range: SelectedRange
}

export type SelectionFlags =
  | { readonly _tag: "Worktree" | "Tree" | "History" }
  /** `index` is the file of the index that git tells a hook; undefined for the repository's own. */
  | { readonly _tag: "Staged"; readonly index: string | undefined }
  | { readonly _tag: "Range"; readonly range: string }
  /** `remote` is the name of what is pushed to. */
  | { readonly _tag: "Push"; readonly refs: ReadonlyArray<PushedRef>; readonly remote: string }
  | { readonly _tag: "Ci"; readonly ci: CiEvent }

/** A line of a pre-push hook's standard input. */
export interface PushedRef {
  /** Undefined where the push deletes the remote ref. */
  readonly head: string | undefined
  /** Undefined where the remote ref is new. */
  readonly before: string | undefined
}

interface Narrowing extends Pick<ScanEventOptions, "root" | "paths" | "exclude" | "ruleFiles"> {
  /** How much to read for the event of a CI system; what its commits add unless given. */
  readonly scan?: ScanEventOptions["scan"]
}

export const select = Effect.fn("Selection.select")(function* (flags: SelectionFlags, narrowing: Narrowing) {
  switch (flags._tag) {
    case "Worktree":
      return yield* readWithHead("worktree", readUncommitted(narrowing))
    case "Staged": {
      const { index } = flags
      const reading = readUncommitted({ ...narrowing, staged: true, index })
      const env = index === undefined ? undefined : { GIT_INDEX_FILE: index }
      return yield* readWithHead(
        "staged",
        Effect.flatMap(reading, (scan) => unlessUnread(scan, ["diff", "--cached"], { ...narrowing, env }))
      )
    }
    case "Tree":
    case "History": {
      const scanning = read({ ...narrowing, event: noEvent, scan: flags._tag === "Tree" ? "tree" : "history" })
      const [scan, head] = yield* Effect.all([scanning, headCommit], { concurrency: "unbounded" })
      const selection: Selection = { scan, range: { source: "flag", event: null, base: null, head, commits: null } }
      return selection
    }
    case "Range": {
      const { base, head } = yield* endsOf(flags.range)
      return yield* readRange({ base, head }, "flag", narrowing)
    }
    case "Push":
      return yield* readPush(flags, narrowing)
    case "Ci":
      return yield* readCi(flags.ci, narrowing)
  }
})

const noEvent: WorkflowEvent = { _tag: "Other", name: "none" }

const commitOf = (revision: string) => Effect.flatMap(Clone, (clone) => clone.commitOf(revision))

const readWithHead = Effect.fnUntraced(function* <R>(
  source: "worktree" | "staged",
  reading: Effect.Effect<EventScan, never, R>
) {
  const [scan, base] = yield* Effect.all([reading, headCommit], { concurrency: "unbounded" })
  const selection: Selection = { scan, range: { source, event: null, base, head: null, commits: null } }
  return selection
})

/** Null before the first commit. */
const headCommit = Effect.map(Effect.orElseSucceed(commitOf("HEAD"), Option.none), Option.getOrNull)

/** `A..B` or `A...B`; without A or B, HEAD. */
const endsOf = Effect.fnUntraced(function* (range: string) {
  const [, from = "", to = ""] = /^(.*?)\.\.\.?(.*)$/u.exec(range) ?? [range, "?", "?"]
  if (!range.includes(".."))
    return yield* new Misused({ message: `--range takes A..B, and not ${JSON.stringify(range)}` })
  const resolve = Effect.fnUntraced(function* (revision: string) {
    const commit = yield* Effect.orElseSucceed(commitOf(revision), Option.none)
    return Option.isSome(commit)
      ? commit.value
      : yield* new Misused({ message: `--range: ${JSON.stringify(revision)} is no revision of this repository` })
  })
  return { base: yield* resolve(from === "" ? "HEAD" : from), head: yield* resolve(to === "" ? "HEAD" : to) }
})

const readRange = Effect.fnUntraced(function* (
  range: { readonly base: string; readonly head: string },
  source: SelectedRange["source"],
  narrowing: Narrowing
) {
  const scan = yield* read({ ...narrowing, event: { _tag: "MergeGroup", ...range }, scan: "changes" })
  const selection: Selection = { scan, range: { source, event: null, ...(yield* commitsOf(range, narrowing)) } }
  return selection
})

/** As the report has them. `base` may be behind its own branch: what counts is the commit where `head` left it. */
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
  const scan = yield* read({ ...narrowing, event, scan: wanted })
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

/** A hook that reads nothing of a change that adds lines must not let it pass. */
const unlessUnread = Effect.fnUntraced(function* (
  scan: EventScan,
  [command, ...revisions]: GitArguments,
  { env, root }: Pick<Narrowing, "root"> & Pick<GitOptions, "env">
) {
  if (scan.files > 0 || scan.skipped.length > 0 || scan.gaps.length > 0) return scan
  const git = yield* Git
  const added = yield* Effect.orElseSucceed(
    git.text(root, [command, "--numstat", "--find-renames", ...revisions], { env }),
    () => ""
  )
  const files = new Set(added.split("\n").flatMap((line) => /^[1-9]\d*\t\d+\t(.+)$/u.exec(line)?.[1] ?? []))
  const gap = `Nothing was read of ${files.size} changed ${files.size === 1 ? "file" : "files"}: the settings paths and exclude leave out all`
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
    // A commit that was never fetched, or that the push replaces, says nothing about what the remote has besides it.
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
      // There is nothing to compare it with: all of it is read.
      isDefaultBranch: base === undefined,
      defaultBranch: undefined
    }
    const seen = yield* read({ ...narrowing, event, scan: "changes" })
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
