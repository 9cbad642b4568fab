import { assert, describe, it } from "@effect/vitest"
import {
  endsOf,
  eventOf,
  noCommit,
  type PushedRef,
  pushedRefs,
  select,
  type SelectionFlags
} from "@threat-exposure/cli/check/Selection"
import { Effect, Redacted } from "effect"
import { type MemoryRepository, memoryRepository } from "./CheckDoubles.ts"

/** Branch main has the commits a, b and c; another branch starts at b and has d and e. */
const commits = { a: [], b: ["a"], c: ["b"], d: ["b"], e: ["d"] }
const refs = { HEAD: "c", main: "c", side: "e" }

const selecting = Effect.fnUntraced(function* (flags: SelectionFlags, given: Partial<MemoryRepository> = {}) {
  const { layer, scanned } = memoryRepository({ commits, refs, ...given })
  const { range, scan } = yield* select(flags, { root: "/r", paths: [], exclude: [] }).pipe(Effect.provide(layer))
  const values = [...scan.added, ...scan.rest].map(({ value }) => Redacted.value(value))
  return { range, scan, scanned, values }
})

const push = (refs: ReadonlyArray<PushedRef>, given: Partial<MemoryRepository> = {}) =>
  selecting({ _tag: "Push", refs, remote: "origin" }, given)

const withRemote = (more: Readonly<Record<string, string>>) => ({ refs: { ...refs, ...more } })

describe("what a push sends", () => {
  it.effect("is what extends the commit that the remote ref has", () =>
    Effect.gen(function* () {
      const { range, scanned } = yield* push([{ head: "c", before: "a" }])
      assert.deepStrictEqual(range, { source: "pre-push", event: null, base: "a", head: "c", commits: 2 })
      assert.deepStrictEqual(scanned, [{ scan: "range", base: "a", head: "c" }])
    })
  )

  it.effect(
    "begins at the remote's default branch for a new ref, one that is replaced, and one that is not known",
    () =>
      Effect.gen(function* () {
        const given = withRemote({ "refs/remotes/origin/HEAD": "c", "refs/remotes/origin/old": "d" })
        for (const before of [undefined, "c", "never fetched"]) {
          const { range, scanned } = yield* push([{ head: "e", before }], given)
          assert.deepInclude(range, { base: "b", head: "e", commits: 2 }, String(before))
          assert.deepStrictEqual(scanned, [{ scan: "range", base: "b", head: "e" }])
        }
      })
  )

  it.effect("begins at the nearest branch of the remote where its default branch is not known", () =>
    Effect.gen(function* () {
      const given = withRemote({ "refs/remotes/origin/old": "d", "refs/remotes/other/x": "e" })
      const { range } = yield* push([{ head: "e", before: undefined }], given)
      assert.deepInclude(range, { base: "d", head: "e", commits: 1 })
    })
  )

  it.effect("is everything where the remote has nothing that is known", () =>
    Effect.gen(function* () {
      const { range, scanned } = yield* push([{ head: "e", before: undefined }])
      assert.deepInclude(range, { base: null, head: "e", commits: 4 })
      assert.deepStrictEqual(scanned, [{ scan: "range", base: undefined, head: "e" }])
    })
  )

  it.effect("is everything where another remote has the commits, and not this one", () =>
    Effect.gen(function* () {
      const given = withRemote({ "refs/remotes/origin/HEAD": "c" })
      const flags = { _tag: "Push", refs: [{ head: "e", before: undefined }], remote: "backup" } as const
      const { range, scanned } = yield* selecting(flags, given)
      assert.deepInclude(range, { base: null, head: "e", commits: 4 })
      assert.deepStrictEqual(scanned, [{ scan: "range", base: undefined, head: "e" }])
    })
  )

  it.effect("is read once where several refs have it, in their order, without those that are deleted", () =>
    Effect.gen(function* () {
      const { range, scan, scanned, values } = yield* push([
        { head: "c", before: undefined },
        { head: undefined, before: "a" },
        { head: "e", before: undefined }
      ])
      assert.deepStrictEqual(scanned, [
        { scan: "range", base: undefined, head: "c" },
        { scan: "range", base: "b", head: "e" }
      ])
      assert.deepStrictEqual(range, { source: "pre-push", event: null, base: null, head: null, commits: 5 })
      assert.deepStrictEqual(values, ["range-1", "range-2"])
      assert.strictEqual(scan.files, 2)
    })
  )

  it.effect("is nothing where it only deletes", () =>
    Effect.gen(function* () {
      const { range, scan, scanned } = yield* push([{ head: undefined, before: "a" }])
      assert.deepStrictEqual(scanned, [])
      assert.deepInclude(range, { base: null, head: null, commits: 0 })
      assert.deepStrictEqual([scan.files, scan.gaps], [0, []])
    })
  )

  it.effect("has a gap if it adds lines and none of them was read", () =>
    Effect.gen(function* () {
      const unread = { files: 0, numstat: "3\t0\tprod.env\n0\t7\tgone.env\n-\t-\timage.png\n2\t1\tprod.env" }
      const sent = yield* push([{ head: "c", before: "a" }], unread)
      const gap = "No changed file was read: the settings paths and exclude leave out 1 changed file"
      assert.deepStrictEqual(sent.scan.gaps, [gap])
      assert.deepStrictEqual((yield* selecting({ _tag: "Staged" }, unread)).scan.gaps, [gap])
      const read = yield* push([{ head: "c", before: "a" }], { ...unread, files: 1 })
      assert.deepStrictEqual(read.scan.gaps, [])
      const removing = yield* push([{ head: "c", before: "a" }], { files: 0, numstat: "0\t7\tgone.env" })
      assert.deepStrictEqual(removing.scan.gaps, [])
    })
  )

  it("is read from the lines that git gives a hook", () => {
    const id = "1".repeat(40)
    assert.deepStrictEqual(
      pushedRefs(`refs/heads/a ${id} refs/heads/a ${noCommit}\n(delete) ${noCommit} refs/heads/b ${id}\n\nbroken\n`),
      [
        { head: id, before: undefined },
        { head: undefined, before: id }
      ]
    )
  })
})

describe("what a check looks at", () => {
  it.effect("is the work tree, the index, all files or all lines", () =>
    Effect.gen(function* () {
      for (const [flags, scan, range] of [
        [{ _tag: "Worktree" }, { scan: "changes", staged: false }, { source: "worktree", base: "c", head: null }],
        [{ _tag: "Staged" }, { scan: "changes", staged: true }, { source: "staged", base: "c", head: null }],
        [{ _tag: "Tree" }, { scan: "tree" }, { source: "flag", base: null, head: "c" }],
        [{ _tag: "History" }, { scan: "history" }, { source: "flag", base: null, head: "c" }]
      ] as const) {
        const selection = yield* selecting(flags)
        assert.deepStrictEqual(selection.scanned, [scan])
        assert.deepStrictEqual(selection.range, { event: null, commits: null, ...range })
        assert.deepStrictEqual(selection.scan.gaps, [])
      }
      const unborn = yield* selecting({ _tag: "Staged" }, { commits: {}, refs: {} })
      assert.isNull(unborn.range.base)
    })
  )

  it.effect("is incomplete where the commits of a build are not known", () =>
    Effect.gen(function* () {
      const { scan } = yield* selecting({ _tag: "Worktree", gap: "An unknown CI system" })
      assert.deepStrictEqual(scan.gaps, ["An unknown CI system"])
    })
  )

  it.effect("is a range from the merge base, whose rules come from its base", () =>
    Effect.gen(function* () {
      const { range, scanned } = yield* selecting({ _tag: "Range", base: "c", head: "e" })
      assert.deepStrictEqual(scanned, [{ scan: "range", base: "c", head: "e" }])
      assert.deepStrictEqual(range, { source: "flag", event: null, base: "b", head: "e", commits: 2 })
      assert.deepStrictEqual(eventOf({ _tag: "Range", base: "c", head: "e" }), {
        _tag: "MergeGroup",
        base: "c",
        head: "e"
      })
      assert.isUndefined(eventOf({ _tag: "Tree" }))
    })
  )

  it.effect("is what a build is about", () =>
    Effect.gen(function* () {
      const build = (event: (SelectionFlags & { readonly _tag: "Ci" })["ci"]["event"], kind: "push" | "schedule") =>
        selecting({ _tag: "Ci", ci: { source: "gitlab", kind, event } })
      const change = yield* build({ _tag: "MergeGroup", base: "c", head: "e" }, "push")
      assert.deepStrictEqual(change.range, { source: "gitlab", event: "push", base: "b", head: "e", commits: 2 })
      const nightly = yield* build({ _tag: "Other", name: "schedule" }, "schedule")
      assert.deepStrictEqual(nightly.scanned, [{ scan: "tree" }])
      assert.deepInclude(nightly.range, { event: "schedule", base: null, head: "c", commits: null })
      const deletion = yield* build(
        {
          _tag: "Push",
          before: "a",
          after: undefined,
          isForced: false,
          isDefaultBranch: false,
          defaultBranch: undefined
        },
        "push"
      )
      assert.deepStrictEqual(deletion.scanned, [])
      assert.deepInclude(deletion.range, { base: null, head: null, commits: 0 })
    })
  )

  it.effect("is given by the two ends of a range", () =>
    Effect.gen(function* () {
      const { layer } = memoryRepository({ commits, refs })
      const ends = (text: string) => endsOf(text).pipe(Effect.provide(layer))
      assert.deepStrictEqual(yield* ends("a..side"), { base: "a", head: "e" })
      assert.deepStrictEqual(yield* ends("a...side"), { base: "a", head: "e" })
      assert.deepStrictEqual(yield* ends("a.."), { base: "a", head: "c" })
      assert.deepStrictEqual(yield* ends("..side"), { base: "c", head: "e" })
      for (const [text, message] of [
        ["a", "A..B"],
        ["..", "does not say where it begins"],
        ["..main", "does not say where it begins"],
        ["a..none", '"none" is not a revision']
      ] as const) {
        assert.include((yield* Effect.flip(ends(text))).message, message)
      }
    })
  )
})
