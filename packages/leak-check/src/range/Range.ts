/** Determines the commits that an event is about, and fetches as much of the history as that needs. */
import type { Range } from "@threat-exposure/detect/git/Repository"
import type { GitFailed, ScanError } from "@threat-exposure/detect/ScanError"
import { Effect, Match, Option, Schema } from "effect"
import { Clone } from "./Clone.ts"
import type { Target, WorkflowEvent } from "./WorkflowEvent.ts"

/** Opens a range; fails with RevisionMissing or HistoryShallow if more of the history has to be fetched first. */
export type OpenRange<A> = (range: Range) => Effect.Effect<A, ScanError>

export interface OpenedRange<A> {
  readonly range: Range
  readonly content: A
}

/** The commits of the event cannot be determined. */
export class RangeUnknown extends Schema.TaggedError<RangeUnknown>()("RangeUnknown", {
  head: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `It is not known which commits up to ${this.head.slice(0, 12)} are new: ${this.reason}`
  }
}

/** Opens the commits of the event; undefined if the event is not about commits, adds none, or is the first tag. */
export const openRange = Effect.fn("openRange")(function* <A>(
  event: WorkflowEvent,
  open: OpenRange<A>
): Effect.fn.Return<OpenedRange<A> | undefined, RangeUnknown | ScanError, Clone> {
  const clone = yield* Clone

  const push = Effect.fnUntraced(function* ({
    after,
    before,
    defaultBranch,
    isDefaultBranch,
    isForced
  }: WorkflowEvent & { readonly _tag: "Push" }) {
    if (after === undefined) return undefined
    // A default branch can only be compared with its own previous commit.
    if (before !== undefined && (isDefaultBranch || !isForced)) {
      const opened = yield* Effect.option(openComplete({ base: before, head: after }, open))
      if (Option.isSome(opened)) {
        if (isDefaultBranch) return opened.value
        const base = yield* clone.mergeBaseOf(before, after).pipe(Effect.mapError(unknown(after)))
        if (Option.contains(base, before)) return opened.value
      }
    }
    if (isDefaultBranch) return yield* openComplete({ base: undefined, head: after }, open)
    // The branch may itself be the unknown default branch, whose tip is the head: nothing would be scanned.
    const tip =
      defaultBranch === undefined ? Option.none() : yield* Effect.mapError(tipOf(defaultBranch), unknown(after))
    return yield* openComplete({ base: Option.getOrUndefined(tip), head: after }, open)
  })

  /** The commits since the nearest earlier tag; undefined if there is none. */
  const tagged = Effect.fnUntraced(function* ({ head }: { readonly head: string }) {
    const earlier = yield* clone.earlierTag(head).pipe(Effect.mapError(unknown(head)))
    return Option.isNone(earlier) ? undefined : yield* openComplete({ base: earlier.value, head }, open)
  })

  return yield* Match.value(event).pipe(
    Match.tag("PullRequest", "MergeGroup", ({ base, head }) => openComplete({ base, head }, open)),
    Match.tag("Push", push),
    Match.tag("Tag", tagged),
    Match.tag("Unknown", ({ head, reason }) => Effect.fail(new RangeUnknown({ head, reason }))),
    Match.tag("Other", () => Effect.undefined),
    Match.exhaustive
  )
})

/** Depths to fetch, in commits, until the range is complete; finally the whole history. */
const depths = [64, 512, 4096, "all"] as const

/** Opens the range, after fetching more history if needed. */
const openComplete = Effect.fn("openComplete")(function* <A>(
  range: Range,
  open: OpenRange<A>
): Effect.fn.Return<OpenedRange<A>, RangeUnknown | ScanError, Clone> {
  const clone = yield* Clone
  const revisions = range.base === undefined ? [range.head] : [range.base, range.head]
  const attempt = Effect.map(open(range), (content): OpenedRange<A> => ({ range, content }))
  const deepened = Effect.gen(function* () {
    const isShallow = yield* clone.isShallow.pipe(Effect.mapError(unknown(range.head)))
    for (const depth of isShallow ? depths : [undefined]) {
      yield* clone.fetch({ depth, revisions }).pipe(Effect.mapError(unknown(range.head, isShallow)))
      const opened = yield* Effect.option(attempt)
      if (Option.isSome(opened)) return opened.value
    }
    return yield* attempt
  })
  return yield* Effect.catchTag(attempt, ["RevisionMissing", "HistoryShallow"], () => deepened)
})

const unknown =
  (head: string, isShallow = true) =>
  ({ reason }: GitFailed) =>
    new RangeUnknown({
      head,
      reason: `the history is not in this clone and could not be fetched (${reason}). ${adviseOnFetch(isShallow)}`
    })

/** Advice after a failed fetch: a deeper checkout only helps a shallow clone. */
export const adviseOnFetch = (isShallow: boolean): string =>
  isShallow ? "Check out with `fetch-depth: 0`" : "Check that the remote can be reached and still has the commit"

/**
 * The branch's current tip on the remote, because the clone may be old; otherwise the fetched tip, otherwise the local
 * one.
 */
export const tipOf = Effect.fnUntraced(function* (
  branch: string
): Effect.fn.Return<Option.Option<string>, GitFailed, Clone> {
  const clone = yield* Clone
  const remote = yield* Effect.orElseSucceed(clone.remoteTipOf(branch), () => Option.none<string>())
  if (Option.isSome(remote)) return remote
  const fetched = yield* clone.commitOf(`refs/remotes/origin/${branch}`)
  return Option.isSome(fetched) ? fetched : yield* clone.commitOf(`refs/heads/${branch}`)
})

export interface ChangeOptions {
  readonly head: string
  /** The built commit. If it merges the head into its target, its first parent is the target. */
  readonly built?: string | undefined
  readonly target: Target | undefined
  /** The target at an earlier time, such as when the change was proposed. */
  readonly earlier?: string | undefined
}

/**
 * The commit to compare a change with: the current target. With an earlier target, commits that were since merged from
 * the target into the change would count as added by it.
 */
export const currentBase = Effect.fn("currentBase")(function* ({
  built,
  earlier,
  head,
  target
}: ChangeOptions): Effect.fn.Return<Option.Option<string>, never, Clone> {
  const clone = yield* Clone
  const parents = built === undefined ? [] : yield* Effect.orElseSucceed(clone.parentsOf(built), () => [])
  if (parents.length === 2 && parents[0] !== undefined && parents[1] === head) return Option.some(parents[0])
  if (target === undefined) return Option.fromUndefinedOr(earlier)
  // In a fork, the branch of that name belongs to the fork's owner.
  const isOfRemote =
    target.repository === undefined ||
    (yield* clone.repositoryName).endsWith(`/${target.repository.toLowerCase()}`) ||
    earlier === undefined
  const tip = isOfRemote ? yield* Effect.orElseSucceed(tipOf(target.branch), Option.none) : Option.none<string>()
  if (Option.isNone(tip)) return Option.fromUndefinedOr(earlier)
  // After the merge, the target contains the whole change.
  const shared = yield* Effect.orElseSucceed(clone.mergeBaseOf(tip.value, head), Option.none)
  return Option.contains(shared, head) ? Option.orElse(Option.fromUndefinedOr(earlier), () => tip) : tip
})

/** Replaces the base of a pull request by the current target. `built` is the commit that the run has checked out. */
export const atCurrentBase = Effect.fn("atCurrentBase")(function* (
  event: WorkflowEvent,
  built: string | undefined
): Effect.fn.Return<WorkflowEvent, never, Clone> {
  if (event._tag !== "PullRequest") return event
  const { base: earlier, head, target } = event
  const base = yield* currentBase({ built, earlier, head, target })
  return { ...event, base: Option.getOrElse(base, () => earlier), target: undefined }
})
