/** Which commits an event is about (DESIGN section 7), with as much history fetched as it takes to tell. */
import { Effect, Match, Option, Schema } from "effect"
import { Git, type GitFailed } from "./Git.ts"
import type { Trigger } from "./Trigger.ts"

/** The commits that `head` reaches and `base` does not; without a base, all that `head` reaches. */
export interface Range {
  readonly base: string | undefined
  readonly head: string
}

/** The commits of the event cannot be told apart from others here, so that nothing said about them would be true. */
export class RangeUnknown extends Schema.TaggedError<RangeUnknown>()("RangeUnknown", {
  head: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The history up to ${this.head.slice(0, 12)} is not in this clone and could not be fetched (${this.reason}): check out with \`fetch-depth: 0\``
  }
}

/** Undefined where the event is not about commits, or about none. */
export const rangeOf = Effect.fn("rangeOf")(function* (
  trigger: Trigger
): Effect.fn.Return<Range | undefined, RangeUnknown, Git> {
  const git = yield* Git
  const unknown = (head: string) => (error: GitFailed) => new RangeUnknown({ head, reason: error.reason })

  const whole = (head: string, base: string | undefined) =>
    complete({ base, head }).pipe(Effect.mapError(unknown(head)))

  const beyondDefaultBranch = Effect.fnUntraced(function* (head: string, defaultBranch: string | undefined) {
    const tip = yield* defaultBranch === undefined ? git.commitOf("refs/remotes/origin/HEAD") : tipOf(defaultBranch)
    return yield* complete({ base: Option.getOrUndefined(tip), head })
  })

  const push = Effect.fnUntraced(function* ({
    after,
    before,
    defaultBranch,
    isDefaultBranch,
    isForced
  }: Trigger & { readonly _tag: "Push" }) {
    if (after === undefined) return undefined
    // What a default branch had before is all there is to compare it with.
    const usesBefore = before !== undefined && (isDefaultBranch || !isForced)
    if (usesBefore) {
      const range = yield* Effect.option(complete({ base: before, head: after }))
      if (Option.isSome(range)) {
        const base = yield* git.mergeBaseOf(before, after)
        if (isDefaultBranch || Option.contains(base, before)) return range.value
      }
    }
    return yield* isDefaultBranch
      ? complete({ base: undefined, head: after })
      : beyondDefaultBranch(after, defaultBranch)
  })

  return yield* Match.value(trigger).pipe(
    Match.tag("PullRequest", "MergeGroup", ({ base, head }) => whole(head, base)),
    Match.tag("Push", (event) => Effect.mapError(push(event), unknown(event.after ?? ""))),
    Match.tag("Other", () => Effect.undefined),
    Match.exhaustive
  )
})

/** Depths to fetch, in commits, until the range is whole; at last everything. */
const depths = [64, 512, 4096, "all"] as const

/** Fetches until both ends are here, no commit of the range lacks a parent, and where they part is known. */
const complete = Effect.fn("complete")(function* (range: Range): Effect.fn.Return<Range, GitFailed, Git> {
  const git = yield* Git
  const revisions = range.base === undefined ? [range.head] : [range.base, range.head]
  const isWhole = Effect.gen(function* () {
    for (const revision of revisions) if (Option.isNone(yield* git.commitOf(revision))) return false
    if (yield* git.reachesShallowEdge(range.base, range.head)) return false
    if (range.base === undefined || Option.isSome(yield* git.mergeBaseOf(range.base, range.head))) return true
    // Without a common ancestor the two are unrelated, unless the base's own history is cut off before it.
    return !(yield* git.reachesShallowEdge(range.head, range.base))
  })

  if (yield* git.holdsWhole(revisions)) return range
  if (yield* isWhole) return range
  if (!(yield* git.isShallow)) {
    yield* git.fetch({ revisions })
    return range
  }
  for (const depth of depths) {
    yield* git.fetch({ depth, revisions })
    if (yield* isWhole) break
  }
  return range
})

/** The branch as it was fetched, or as the remote has it now, or as it is here. */
const tipOf = Effect.fnUntraced(function* (branch: string): Effect.fn.Return<Option.Option<string>, GitFailed, Git> {
  const git = yield* Git
  const fetched = yield* git.commitOf(`refs/remotes/origin/${branch}`)
  if (Option.isSome(fetched)) return fetched
  const remote = yield* Effect.orElseSucceed(git.remoteTipOf(branch), () => Option.none<string>())
  return Option.isSome(remote) ? remote : yield* git.commitOf(`refs/heads/${branch}`)
})
