import { assert, describe, it } from "@effect/vitest"
import { coverageTable } from "@threat-exposure/leak-check/Coverage"
import * as LeakCheck from "@threat-exposure/leak-check/LeakCheck"
import { layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import { scanEvent } from "@threat-exposure/leak-check/range/ScanEvent"
import {
  asUserOf,
  namesByReason,
  repositoryKinds,
  repositoryOf
} from "@threat-exposure/leak-check/testing/RepositoryKinds"
import * as NodeScanner from "@threat-exposure/detect/node/NodeScanner"
import { Effect, Layer } from "effect"
import { input } from "../samples.ts"
import { script } from "../ScriptedService.ts"

const scanned = (root: string) =>
  scanEvent({ event: { _tag: "Other", name: "schedule" }, scan: "tree", root, paths: [], exclude: [] }).pipe(
    Effect.provide([NodeScanner.layer, cloneLayer({ root }).pipe(Layer.provide(NodeScanner.gitLayer))])
  )

describe("the tree of", () => {
  it.effect.each(repositoryKinds)("$name", (kind) =>
    Effect.gen(function* () {
      const root = yield* repositoryOf(kind)
      const { gaps, rest, skipped } = yield* asUserOf(kind, scanned(root))
      assert.deepStrictEqual(rest.map(({ location }) => location.path).toSorted(), kind.found)
      assert.deepStrictEqual(namesByReason(skipped), kind.skipped)
      assert.strictEqual(gaps.length > 0, kind.fails === true, gaps.join())

      // All searches are clean, so that only skipped files decide.
      const plan = yield* LeakCheck.plan(input({ candidates: rest, skipped, gaps }))
      const report = yield* LeakCheck.run(plan).pipe(Effect.provide(script(() => ({ items: [], next: null })).layer))
      const hasGap = kind.fails === true || skipped.some(({ reason }) => coverageTable[reason].kind === "gap")
      assert.strictEqual(report.verdict, hasGap ? "incomplete" : "clean")
      assert.deepStrictEqual(
        report.coverage.map(({ count, reason }) => [reason, count]),
        skipped.map(({ count, reason }) => [reason, count])
      )
    })
  )
})
