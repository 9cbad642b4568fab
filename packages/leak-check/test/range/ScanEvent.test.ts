import { assert, describe, it } from "@effect/vitest"
import * as NodeScanner from "@threat-exposure/detect/node/NodeScanner"
import { layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import { scanEvent, type ScanEventOptions } from "@threat-exposure/leak-check/range/ScanEvent"
import type { WorkflowEvent } from "@threat-exposure/leak-check/range/WorkflowEvent"
import { testRepository } from "@threat-exposure/leak-check/testing/TestRepository"
import { Duration, Effect, Layer } from "effect"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const scanIn = (root: string, event: WorkflowEvent, options: Partial<ScanEventOptions> = {}) =>
  scanEvent({ event, scan: "changes", root, paths: [], exclude: [], ...options }).pipe(
    Effect.provide([NodeScanner.layer, cloneLayer({ root }).pipe(Layer.provide(NodeScanner.gitLayer))])
  )

const scheduled: WorkflowEvent = { _tag: "Other", name: "schedule" }

const secret = "DB_PASSWORD=Vq7mXt92LkPw\n"

it.effect("a scan with more candidates than it may collect has a gap", () =>
  Effect.gen(function* () {
    const repository = yield* testRepository
    const base = repository.commit({ "README.md": "a" })
    const lines = Array.from({ length: 2000 }, (_, n) => `DB_PASSWORD_${n}=Vq7mXt${(n * 7919).toString(36)}92LkPw\n`)
    const head = repository.commit({ "a.env": lines.join("") })
    const scan = (maxCandidates: number) =>
      scanIn(repository.path, { _tag: "MergeGroup", base, head }, { maxCandidates })
    const whole = yield* scan(2000)
    assert.deepStrictEqual([whole.added.length, whole.gaps], [2000, []])
    const cut = yield* scan(100)
    assert.strictEqual(cut.added.length, 100)
    assert.match(cut.gaps.join(), /limit of 100 candidates.*max-candidates/)
  })
)

it.effect("what is not read within the time limit is a gap", () =>
  Effect.gen(function* () {
    const repository = yield* testRepository
    const base = repository.commit({ "README.md": "a" })
    const head = repository.commit({ "a.env": secret })
    for (const scan of ["changes", "tree", "history"] as const) {
      const within = (maxDuration: Duration.Duration) =>
        scanIn(repository.path, { _tag: "MergeGroup", base, head }, { scan, maxDuration })
      const whole = yield* within(Duration.minutes(1))
      assert.deepStrictEqual([whole.added.length, whole.skipped], [1, []], scan)
      const cut = yield* within(Duration.zero)
      assert.deepStrictEqual(
        [cut.added.length, cut.rest.length, cut.skipped.map(({ reason }) => reason)],
        [0, 0, ["not-in-time"]],
        scan
      )
    }
  })
)

describe("a scan of changes", () => {
  it.effect("reads the whole tree if the event is about no change: on a schedule, and for a first tag", () =>
    Effect.gen(function* () {
      const repository = yield* testRepository
      repository.commit({ "a.env": secret })
      const head = repository.commit({ "b.env": secret })
      const found = (event: WorkflowEvent) =>
        Effect.map(scanIn(repository.path, event), ({ added, gaps, rest }) => [added.length, rest.length, gaps])
      assert.deepStrictEqual(yield* found(scheduled), [0, 2, []])
      assert.deepStrictEqual(yield* found({ _tag: "Tag", head }), [0, 2, []])
      repository.git("tag", "v1", `${head}~`)
      assert.deepStrictEqual(yield* found({ _tag: "Tag", head }), [1, 0, []])
    })
  )

  it.effect("reads nothing of a change that it cannot find, and says so", () =>
    Effect.gen(function* () {
      const repository = yield* testRepository
      repository.commit({ "a.env": secret })
      const { added, gaps, rest } = yield* scanIn(repository.path, {
        _tag: "MergeGroup",
        base: "a".repeat(40),
        head: "b".repeat(40)
      })
      assert.deepStrictEqual([added.length, rest.length, gaps.length], [0, 0, 1])
    })
  )
})

describe("a folder", () => {
  const gapsIn = (
    files: Readonly<Record<string, string>>,
    isRepository: boolean,
    options: { readonly paths?: ReadonlyArray<string>; readonly exclude?: ReadonlyArray<string> } = {}
  ) =>
    Effect.gen(function* () {
      const { path } = yield* testRepository
      if (!isRepository) rmSync(join(path, ".git"), { recursive: true })
      for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
      return (yield* scanIn(path, scheduled, { ...options, scan: "tree" })).gaps
    })

  it.effect.each([{ paths: ["typo"] }, { exclude: ["**"] }])("of which %j selects no file has a gap", (options) =>
    Effect.gen(function* () {
      // An ignored file is counted as skipped.
      const files = { ".gitignore": "b.env", "b.env": secret, "a.env": secret }
      assert.deepStrictEqual(yield* gapsIn(files, false, options), [
        "No file was read: the settings `paths` and `exclude` leave out every file here"
      ])
    })
  )

  it.effect("without a file and a repository has a gap: nothing was checked out", () =>
    Effect.gen(function* () {
      const [gap = "", ...others] = yield* gapsIn({}, false)
      assert.match(gap, /check out the repository first/u)
      assert.deepStrictEqual(others, [])
    })
  )

  it.effect.each([
    ["with a file, without a repository", { "a.env": secret }, false],
    ["with a file that is not read, without a repository", { "yarn.lock": "a" }, false],
    ["with an empty repository", {}, true]
  ] as const)("%s has none", ([, files, isRepository]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* gapsIn(files, isRepository), [])
    })
  )
})

describe("a pattern", () => {
  const scan = (options: Partial<ScanEventOptions>) =>
    Effect.gen(function* () {
      const repository = yield* testRepository
      repository.commit({ "src/a.env": secret, "docs/b.env": secret })
      const { gaps, rest, skipped } = yield* scanIn(repository.path, scheduled, { scan: "tree", ...options })
      return { read: rest.length, gaps, skipped: skipped.map(({ names, reason }) => ({ reason, names })) }
    })

  it.effect("of `paths` that matches no file is named", () =>
    Effect.gen(function* () {
      const read = { read: 1, gaps: [], skipped: [] }
      assert.deepStrictEqual(yield* scan({ paths: ["src/**"] }), read)
      const skipped = [{ reason: "unmatched-pattern" as const, names: ["sorce/**"] }]
      assert.deepStrictEqual(yield* scan({ paths: ["src/**", "sorce/**"] }), { ...read, skipped })
    })
  )

  it.effect("of `exclude` that leaves out every file is a gap", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* scan({ exclude: ["docs/**"] })).gaps, [])
      assert.match((yield* scan({ exclude: ["**"] })).gaps.join(), /leaves out every file/u)
      assert.match((yield* scan({ paths: ["src/**"], exclude: ["src/**"] })).gaps.join(), /leaves out every file/u)
    })
  )
})
