import { assert, describe, it } from "@effect/vitest"
import * as LeakCheck from "@threat-exposure/leak-check/LeakCheck"
import { text } from "@threat-exposure/leak-check/report/Console"
import { Effect } from "effect"
import { displayWidth } from "effect/cli/CliOutput"
import { leaked, skipped } from "../reports.ts"
import { candidate, input } from "../samples.ts"
import { credential, script } from "../ScriptedService.ts"

describe("Console", () => {
  it.effect("a table says what leaked, where it is, what was seen, when and its severity", () =>
    Effect.gen(function* () {
      const lines = text(yield* leaked, { colors: false, width: 125 }).split("\n")
      assert.deepStrictEqual(lines.slice(0, 5), [
        "2 secrets found in leaked data",
        "",
        "severity  where in the code   what leaked                                    last seen   seen",
        "critical  src/a b/ü.ts:12 +1  password                                       2026-11-01  2 credentials, 1+ events",
        "critical  config/app.yml:12   AWS_SECRET_ACCESS_KEY (AWS secret access key)  2026-11-01  2 credentials, 1+ events"
      ])
      for (const width of [40, 60, 80, 100, 200]) {
        const report = text(yield* leaked, { colors: false, width })
        const [, , , first = "", second = ""] = report.split("\n")
        assert.include(first, "critical  src/a b/ü.ts:12 +1")
        assert.include(second, "critical  config/app.yml:12")
        for (const row of [first, second]) assert.isAtMost(displayWidth(row), Math.max(width, 46))
        for (const { fingerprint } of (yield* leaked).leaks) {
          assert.include(report, fingerprint)
        }
        // Severity, name and location of a leak are never truncated, however narrow the terminal is.
        for (const line of report.split("\n").slice(5)) {
          if (/^(?:critical|high) /u.test(line)) assert.isAtMost(displayWidth(line), Math.max(width, 72))
        }
      }
      const piped = text(yield* leaked, { colors: false })
      assert.include(piped, "critical  config/app.yml:12   AWS_SECRET_ACCESS_KEY (AWS secret access key)  2026-11-01")
      assert.match(piped, /^ {2}threat-exposure ignore add [0-9a-f]{16} --reason …$/mu)
    })
  )

  it.effect("a table keeps its columns beside wide characters, shortened or not", () =>
    Effect.gen(function* () {
      const { layer } = script(({ of }) => (of === "credentials" ? { items: [credential()], next: null } : undefined))
      const plan = yield* LeakCheck.plan(
        input({
          candidates: [
            candidate("hunter2-hunter2", { path: "設定/本番環境.env" }),
            candidate("hunter3-hunter3", { path: "cafe\u0301/🔑.env" }),
            candidate("hunter4-hunter4", { path: "plain.env" })
          ]
        })
      )
      const report = yield* Effect.provide(LeakCheck.run(plan), layer)
      for (const width of [70, 120]) {
        const rows = text(report, { colors: false, width })
          .split("\n")
          .filter((line) => /^(?:critical|high|medium|low|info) .* 2026-/u.test(line))
        assert.lengthOf(rows, 3)
        const starts = rows.map((row) => displayWidth(row.slice(0, row.indexOf(" 2026-"))))
        assert.strictEqual(new Set(starts).size, 1, rows.join("\n"))
      }
    })
  )

  it.effect("the reason of a skipped check is given once", () =>
    Effect.gen(function* () {
      const report = yield* skipped
      assert.isAbove(report.unsearched.length, 0)
      assert.lengthOf(text(report, { colors: false, width: 1000 }).split(report.skipped ?? "none"), 2)
    })
  )

  it.effect("colours are for terminals only, and there is no other control sequence", () =>
    Effect.gen(function* () {
      const { layer } = script(({ of }) => (of === "credentials" ? { items: [credential()], next: null } : undefined))
      const plan = yield* LeakCheck.plan(
        input({ candidates: [candidate("hunter2-hunter2", { path: "a\u001b[2Jb\r\n\u0007\u202Ec" })] })
      )
      const report = yield* Effect.provide(LeakCheck.run(plan), layer)
      // oxlint-disable-next-line no-control-regex
      assert.notMatch(text(report, { colors: false }), /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
      // oxlint-disable-next-line no-control-regex
      assert.notMatch(text(report, { colors: true }).replace(/\u001b\[[\d;]*m/g, ""), /[\u0000-\u0009\u000b-\u001f]/)
      assert.include(text(report, { colors: true }), "\u001b[1;31m")
    })
  )
})
