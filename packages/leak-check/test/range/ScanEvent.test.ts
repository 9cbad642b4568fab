import { assert, it } from "@effect/vitest"
import * as NodeScanner from "@threat-exposure/detect/node/NodeScanner"
import { layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import { scanEvent } from "@threat-exposure/leak-check/range/ScanEvent"
import { testRepository } from "@threat-exposure/leak-check/testing/TestRepository"
import { Effect, Layer } from "effect"

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
