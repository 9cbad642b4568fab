import { assert, describe, it } from "@effect/vitest"
import * as LeakCheck from "@threat-exposure/leak-check/LeakCheck"
import { annotations, command } from "@threat-exposure/leak-check/report/Annotations"
import { Effect } from "effect"
import { leaked, skipped } from "../reports.ts"
import { candidate, input } from "../samples.ts"
import { credential, script } from "../ScriptedService.ts"

describe("Annotations", () => {
  it.effect("is an error if the leak counts, else a warning, at its first location", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        annotations(yield* leaked).map(({ level, location, title }) => [level, location?.path, location?.line, title]),
        [
          ["error", "src/a b/ü.ts", 12, "Leaked password (critical)"],
          ["error", "config/app.yml", 12, "Leaked AWS secret access key AWS_SECRET_ACCESS_KEY (critical)"],
          ["warning", undefined, undefined, "Leaks of domain example.com (high)"]
        ]
      )
    })
  )

  it.effect("the message names the file and line of a value that is only in the history", () =>
    Effect.gen(function* () {
      const { layer } = script(({ of }) => (of === "credentials" ? { items: [credential()], next: null } : undefined))
      const gone = candidate("hunter2-hunter2", { path: "old.env", line: 3, commit: "a".repeat(40), removed: true })
      const plan = yield* LeakCheck.plan(input({ candidates: [gone] }))
      const [annotation] = annotations(yield* Effect.provide(LeakCheck.run(plan), layer))
      assert.isUndefined(annotation?.location)
      assert.include(annotation?.message, "Only in the history: old.env:3.")
    })
  )

  it.effect("the message of a commit is no file that can be annotated, and comes behind those that can", () =>
    Effect.gen(function* () {
      const { layer } = script(({ of }) => (of === "credentials" ? { items: [credential()], next: null } : undefined))
      const message = candidate("hunter2-hunter2", { path: `.git/messages/${"a".repeat(40)}`, commit: "a".repeat(40) })
      const annotationOf = (...candidates: ReadonlyArray<ReturnType<typeof candidate>>) =>
        LeakCheck.plan(input({ candidates })).pipe(
          Effect.flatMap((plan) => Effect.provide(LeakCheck.run(plan), layer)),
          Effect.map((report) => annotations(report)[0])
        )
      const alone = yield* annotationOf(message)
      assert.isUndefined(alone?.location)
      assert.include(alone?.message, `Only in the history: .git/messages/${"a".repeat(40)}:12.`)
      assert.strictEqual((yield* annotationOf(message, candidate("hunter2-hunter2")))?.location?.path, "config/app.yml")
    })
  )

  it.effect("a skipped check is a notice", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        annotations(yield* skipped).map(({ level }) => level),
        ["notice"]
      )
    })
  )

  it("a command contains nothing that could end it or begin another", () => {
    assert.strictEqual(
      command({
        level: "error",
        title: "a,b::c%\n::error::x",
        message: "one\r\ntwo 100% ::set-output name=x::y",
        location: { path: "a:b,c.ts", line: 3, column: 5, endLine: 3, endColumn: 9 }
      }),
      "::error file=a%3Ab%2Cc.ts,line=3,endLine=3,col=5,endColumn=9,title=a%2Cb%3A%3Ac%25%0A%3A%3Aerror%3A%3Ax::one%0D%0Atwo 100%25 ::set-output name=x::y"
    )
  })
})
