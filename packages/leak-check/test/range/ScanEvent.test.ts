import { assert, it } from "@effect/vitest"
import * as NodeScanner from "@threat-exposure/detect/node/NodeScanner"
import { layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import { scanEvent } from "@threat-exposure/leak-check/range/ScanEvent"
import { testRepository } from "@threat-exposure/leak-check/testing/TestRepository"
import { Duration, Effect, Layer } from "effect"

it.effect("a scan with more candidates than it may collect has a gap", () =>
  Effect.gen(function* () {
    const repository = yield* testRepository
    const base = repository.commit({ "README.md": "a" })
    const lines = Array.from({ length: 2000 }, (_, n) => `DB_PASSWORD_${n}=Vq7mXt${(n * 7919).toString(36)}92LkPw\n`)
    const head = repository.commit({ "a.env": lines.join("") })
    const root = repository.path
    const scan = (maxCandidates: number) =>
      scanEvent({
        event: { _tag: "MergeGroup", base, head },
        scan: "changes",
        root,
        paths: [],
        exclude: [],
        maxCandidates
      }).pipe(Effect.provide([NodeScanner.layer, cloneLayer({ root }).pipe(Layer.provide(NodeScanner.gitLayer))]))
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
    const head = repository.commit({ "a.env": "DB_PASSWORD=Vq7mXt92LkPw\n" })
    const root = repository.path
    const scan = (kind: "changes" | "tree" | "history", maxDuration: Duration.Duration) =>
      scanEvent({
        event: { _tag: "MergeGroup", base, head },
        scan: kind,
        root,
        paths: [],
        exclude: [],
        maxDuration
      }).pipe(Effect.provide([NodeScanner.layer, cloneLayer({ root }).pipe(Layer.provide(NodeScanner.gitLayer))]))
    for (const kind of ["changes", "tree", "history"] as const) {
      const whole = yield* scan(kind, Duration.minutes(1))
      assert.deepStrictEqual([whole.added.length, whole.skipped], [1, []], kind)
      const cut = yield* scan(kind, Duration.zero)
      assert.deepStrictEqual(
        [cut.added.length, cut.rest.length, cut.skipped.map(({ reason }) => reason)],
        [0, 0, ["not-in-time"]],
        kind
      )
    }
  })
)
