import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import { openRange } from "@threat-exposure/leak-check/range/Range"
import * as NodeScanner from "@threat-exposure/detect/node/NodeScanner"
import { Scanner } from "@threat-exposure/detect/Scanner"
import type { Range } from "@threat-exposure/detect/git/Repository"
import type { WorkflowEvent } from "@threat-exposure/leak-check/range/WorkflowEvent"
import { cloneOf, testRepository, type TestRepository } from "@threat-exposure/leak-check/testing/TestRepository"

const rangeIn = (repository: TestRepository, event: WorkflowEvent) =>
  Effect.gen(function* () {
    const scanner = yield* Scanner
    const opened = yield* openRange(event, (range) => scanner.range({ root: repository.path, ...range }))
    return opened?.range
  }).pipe(
    Effect.provide([NodeScanner.layer, cloneLayer({ root: repository.path }).pipe(Layer.provide(NodeScanner.gitLayer))])
  )

const pullRequest = (base: string, head: string): WorkflowEvent => ({
  _tag: "PullRequest",
  number: 1,
  base,
  head,
  isFork: false
})

const push = (over: Partial<WorkflowEvent & { readonly _tag: "Push" }>): WorkflowEvent => ({
  _tag: "Push",
  before: undefined,
  after: undefined,
  isForced: false,
  isDefaultBranch: false,
  defaultBranch: "main",
  ...over
})

/** The commits of the range in the clone, newest first. */
const commitsIn = (repository: TestRepository, range: Range | undefined) =>
  range === undefined
    ? []
    : repository
        .git("rev-list", range.head, ...(range.base === undefined ? [] : [`^${range.base}`]))
        .split("\n")
        .filter((commit) => commit !== "")

/** main with `behind` commits after the fork point, and a branch with `ahead` commits. */
const forked = (behind: number, ahead: number) =>
  Effect.map(testRepository, (origin) => {
    const start = origin.commits(3)
    origin.git("checkout", "--quiet", "-b", "feature")
    const head = origin.commits(ahead)
    const added = origin.git("rev-list", "--reverse", `${start}..${head}`).split("\n")
    origin.git("checkout", "--quiet", "main")
    const base = behind === 0 ? start : origin.commits(behind)
    return { origin, start, base, added, head }
  })

describe("openRange", () => {
  it.effect("returns for a pull request the commits that its base does not have", () =>
    Effect.gen(function* () {
      const { added, base, head, origin } = yield* forked(5, 3)
      const clone = yield* cloneOf(origin, "main")
      const range = yield* rangeIn(clone, pullRequest(base, head))
      assert.deepStrictEqual(commitsIn(clone, range), added.toReversed())
    })
  )

  it.effect.each([
    { behind: 0, ahead: 1 },
    { behind: 10, ahead: 3 },
    { behind: 90, ahead: 3 },
    { behind: 3, ahead: 90 }
  ])("deepens a clone of depth 1 as far as it must: $behind behind, $ahead ahead", ({ ahead, behind }) =>
    Effect.gen(function* () {
      const { added, base, head, origin } = yield* forked(behind, ahead)
      const clone = yield* cloneOf(origin, "main", 1)
      const range = yield* rangeIn(clone, pullRequest(base, head))
      assert.deepStrictEqual(commitsIn(clone, range), added.toReversed())
    })
  )

  it.effect("leaves out what a branch merged from its base", () =>
    Effect.gen(function* () {
      const { added, base, origin } = yield* forked(4, 2)
      origin.git("checkout", "--quiet", "feature")
      origin.git("merge", "--quiet", "--no-edit", "main")
      const head = origin.git("rev-parse", "HEAD")
      const clone = yield* cloneOf(origin, "main", 1)
      const range = yield* rangeIn(clone, pullRequest(base, head))
      assert.deepStrictEqual(new Set(commitsIn(clone, range)), new Set([head, ...added]))
    })
  )

  it.effect("reports that the history cannot be fetched", () =>
    Effect.gen(function* () {
      const { base, head, origin } = yield* forked(2, 2)
      const clone = yield* cloneOf(origin, "main", 1)
      clone.git("remote", "set-url", "origin", "file:///nowhere/at/all")
      const error = yield* Effect.flip(rangeIn(clone, pullRequest(base, head)))
      assert.strictEqual(error._tag, "RangeUnknown")
      assert.include(error.message, "fetch-depth: 0")
      // The reason does not include git's own advice.
      assert.include(error.message, "does not appear to be a git repository")
    })
  )

  it.effect("does not advise a whole clone to fetch its history", () =>
    Effect.gen(function* () {
      const { head, origin } = yield* forked(0, 1)
      const clone = yield* cloneOf(origin, "feature")
      const error = yield* Effect.flip(rangeIn(clone, pullRequest("a".repeat(40), head)))
      assert.strictEqual(error._tag, "RangeUnknown")
      assert.notInclude(error.message, "fetch-depth")
      assert.include(error.message, "still has the commit")
    })
  )

  it.effect("returns the commits of a push", () =>
    Effect.gen(function* () {
      const { added, head, origin, start } = yield* forked(0, 3)
      const clone = yield* cloneOf(origin, "feature", 1)
      const [first = ""] = added
      const range = yield* rangeIn(clone, push({ before: first, after: head }))
      assert.deepStrictEqual(commitsIn(clone, range), added.slice(1).toReversed())
      const all = yield* rangeIn(clone, push({ before: start, after: head }))
      assert.deepStrictEqual(commitsIn(clone, all), added.toReversed())
    })
  )

  it.effect.each([1, undefined])(
    "returns for a new branch what the default branch does not have, at depth %s",
    (depth) =>
      Effect.gen(function* () {
        const { added, head, origin } = yield* forked(2, 3)
        const clone = yield* cloneOf(origin, "feature", depth)
        const range = yield* rangeIn(clone, push({ after: head }))
        assert.deepStrictEqual(commitsIn(clone, range), added.toReversed())
      })
  )

  it.effect.each([1, undefined])(
    "returns for a forced push what the default branch does not have, at depth %s",
    (depth) =>
      Effect.gen(function* () {
        const { head: before, origin } = yield* forked(2, 3)
        origin.git("checkout", "--quiet", "-B", "feature", "main~1")
        const after = origin.commit({ "other.txt": "other" })
        const clone = yield* cloneOf(origin, "feature", depth)
        for (const isForced of [true, false]) {
          const range = yield* rangeIn(clone, push({ before, after, isForced }))
          assert.deepStrictEqual(commitsIn(clone, range), [after])
        }
      })
  )

  it.effect("returns everything for the first push of the default branch", () =>
    Effect.gen(function* () {
      const { base, origin } = yield* forked(2, 0)
      const clone = yield* cloneOf(origin, "main", 1)
      const range = yield* rangeIn(clone, push({ after: base, isDefaultBranch: true }))
      assert.strictEqual(commitsIn(clone, range).length, 5)
    })
  )

  it.effect("compares a forced push of the default branch with the previous commit", () =>
    Effect.gen(function* () {
      const { base: before, origin } = yield* forked(3, 0)
      origin.git("reset", "--quiet", "--hard", "main~2")
      const after = origin.commit({ "rewritten.txt": "rewritten" })
      const clone = yield* cloneOf(origin, "main", 1)
      const range = yield* rangeIn(clone, push({ before, after, isForced: true, isDefaultBranch: true }))
      assert.deepStrictEqual(commitsIn(clone, range), [after])
    })
  )

  it.effect("returns everything where neither the previous commit nor the default branch is known", () =>
    Effect.gen(function* () {
      const { base: after, origin } = yield* forked(3, 0)
      const clone = yield* cloneOf(origin, "main")
      clone.git("remote", "set-head", "origin", "main")
      for (const isForced of [false, true]) {
        // The branch may be the default branch, whose tip is the pushed head.
        const range = yield* rangeIn(clone, push({ before: "a".repeat(40), after, isForced, defaultBranch: undefined }))
        assert.strictEqual(commitsIn(clone, range).length, 6)
      }
    })
  )

  it.effect("has nothing to read for a branch that was deleted, or an event without commits", () =>
    Effect.gen(function* () {
      const { base, origin } = yield* forked(1, 1)
      assert.isUndefined(yield* rangeIn(origin, push({ before: base })))
      assert.isUndefined(yield* rangeIn(origin, { _tag: "Other", name: "schedule" }))
    })
  )

  it.effect("returns for a merge group the commits between its base and its head", () =>
    Effect.gen(function* () {
      const { added, head, origin, start } = yield* forked(0, 2)
      const clone = yield* cloneOf(origin, "feature", 1)
      const range = yield* rangeIn(clone, { _tag: "MergeGroup", base: start, head })
      assert.deepStrictEqual(commitsIn(clone, range), added.toReversed())
    })
  )
})
