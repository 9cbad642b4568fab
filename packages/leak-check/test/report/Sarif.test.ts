import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as LeakCheck from "@threat-exposure/leak-check/LeakCheck"
import type { Leak } from "@threat-exposure/leak-check/Report"
import { sarif, uploadable } from "@threat-exposure/leak-check/report/Sarif"
import { Ajv } from "ajv"
import { default as addFormats } from "ajv-formats"
import { Effect, Redacted } from "effect"
import { clean, leaked, reports } from "../reports.ts"
import { candidate, input, place } from "../samples.ts"
import { credential, event, script } from "../ScriptedService.ts"

const options = { workflowPath: ".github/workflows/leaks.yml", toolVersion: "1.2.3" }

/** Validates with the schema of OASIS. */
const isSarif = (() => {
  const file = fileURLToPath(import.meta.resolve("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"))
  const { $schema: _, id: __, ...schema } = JSON.parse(readFileSync(file, "utf8"))
  // One pattern in the schema is invalid in Unicode mode.
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false })
  addFormats.default(ajv)
  return ajv.compile(schema)
})()

const runOf = (text: string) => {
  const log = JSON.parse(text)
  assert.isTrue(isSarif(log), JSON.stringify(isSarif.errors))
  return log.runs[0]
}

describe("Sarif", () => {
  it.effect("is 2.1.0 with rules that have help texts, and every result names one of them", () =>
    Effect.gen(function* () {
      for (const report of yield* reports) {
        const log = JSON.parse(sarif(report, options))
        assert.strictEqual(log.version, "2.1.0")
        assert.strictEqual(log.runs.length, 1)
        const { results, tool } = runOf(sarif(report, options))
        assert.deepStrictEqual([tool.driver.version, tool.driver.semanticVersion], ["1.2.3", "1.2.3"])
        assert.match(tool.driver.informationUri, /^https:/)
        for (const rule of tool.driver.rules) {
          for (const text of [
            rule.shortDescription.text,
            rule.fullDescription.text,
            rule.help.text,
            rule.help.markdown
          ]) {
            assert.isAbove(text.length, 10)
          }
          assert.match(rule.properties["security-severity"], /^\d\.\d$/)
        }
        for (const result of results) {
          assert.strictEqual(tool.driver.rules[result.ruleIndex].id, result.ruleId)
          assert.match(result.partialFingerprints["threatExposure/v1"], /^[0-9a-f]{16}$/)
          assert.isAbove(result.locations[0].physicalLocation.region.startLine, 0)
        }
      }
      assert.deepStrictEqual(runOf(sarif(yield* clean, options)).results, [])
      assert.isFalse(isSarif({ version: "2.1.0", runs: [{ results: [] }] }), "the tool is missing")
    })
  )

  it.effect(
    "a leak that counts is an error at its location, its other locations are related, and other leaks are notes",
    () =>
      Effect.gen(function* () {
        const { results } = runOf(sarif(yield* leaked, options))
        const [first, , domain] = results
        assert.deepInclude(first, { ruleId: "leaked-password", level: "error", suppressions: [] })
        assert.deepStrictEqual(first.locations[0].physicalLocation, {
          artifactLocation: { uri: "src/a%20b/%C3%BC.ts", uriBaseId: "%SRCROOT%" },
          region: { startLine: 12, startColumn: 11, endLine: 12, endColumn: 26 }
        })
        assert.strictEqual(first.relatedLocations[0].physicalLocation.artifactLocation.uri, "config/app.yml")
        assert.include(first.message.text, "It is also at [config/app.yml:40](1).")
        assert.deepInclude(domain, { ruleId: "leaked-domain", level: "note" })
        assert.strictEqual(domain.locations[0].physicalLocation.artifactLocation.uri, options.workflowPath)
      })
  )

  it.effect("relates the first twenty other locations, and links to five of them", () =>
    Effect.gen(function* () {
      const report = yield* leaked
      const [leak] = report.leaks
      assert.isTrue(leak?.subject.type === "value")
      if (leak?.subject.type !== "value") return
      const locations = Array.from({ length: 25 }, (_, index) => place({ line: index + 1 }))
      const spread = { ...report, leaks: [{ ...leak, subject: { ...leak.subject, locations } }] }
      const [result] = runOf(sarif(spread, options)).results
      assert.deepStrictEqual(
        result.relatedLocations.map(
          (related: { readonly physicalLocation: { readonly region: { readonly startLine: number } } }) =>
            related.physicalLocation.region.startLine
        ),
        Array.from({ length: 20 }, (_, index) => index + 2)
      )
      assert.match(result.message.text, /It is also at (?:\[[^\]]+\]\(\d\)(?:, )?){5} and 19 more places\.$/u)
    })
  )

  it.effect(
    "an ignored leak is suppressed, a named secret is at the workflow file, and a message contains no link",
    () =>
      Effect.gen(function* () {
        const { layer } = script(({ of }) =>
          of === "credentials"
            ? {
                items: [credential({ source: { ...credential().source, name: "[x](https://evil.example) {0}" } })],
                next: null
              }
            : { items: [event()], next: null }
        )
        const given = input({ secrets: [{ name: "DB_PASSWORD", value: Redacted.make("hunter2-hunter2") }] })
        const before = yield* Effect.provide(
          Effect.flatMap(LeakCheck.plan(given), (plan) => LeakCheck.run(plan)),
          layer
        )
        const [leak] = before.leaks
        const entry = {
          fingerprint: leak?.fingerprint ?? "",
          reason: "rotated",
          expires: "2999-01-01",
          by: "me",
          line: 2
        }
        const after = yield* Effect.provide(
          Effect.flatMap(LeakCheck.plan({ ...given, ignore: { entries: [entry] } }), (plan) => LeakCheck.run(plan)),
          layer
        )
        const [open, ignored] = [before, after].map((report) => runOf(sarif(report, options)).results[0])
        assert.strictEqual(open.level, "error")
        assert.strictEqual(open.locations[0].physicalLocation.artifactLocation.uri, options.workflowPath)
        assert.include(open.message.text, "\\[x\\](https://evil.example) {{0}}")
        assert.deepInclude(ignored, {
          level: "note",
          suppressions: [{ kind: "external", status: "accepted", justification: "rotated (until 2999-01-01, by me)" }]
        })
        assert.strictEqual(after.verdict, "clean")
      })
  )

  it.effect(
    "contains no more results than GitHub accepts, the most severe ones, and the number of those left out",
    () =>
      Effect.gen(function* () {
        const report = yield* leaked
        const many = (count: number, over: Partial<Leak> = {}) => ({
          ...report,
          leaks: Array.from({ length: count }, (_, n) =>
            Object.assign({}, report.leaks[n % 2], over, { fingerprint: n.toString(16).padStart(16, "0") })
          )
        })
        const few = yield* uploadable(report, options)
        assert.deepStrictEqual(few, { text: sarif(report, options), leftOut: 0 })

        const { leftOut, text } = yield* uploadable(many(25_010), options)
        const [{ invocations, results }] = JSON.parse(text).runs
        assert.deepStrictEqual([results.length, leftOut], [25_000, 10])
        assert.strictEqual(
          results.at(-1).partialFingerprints["threatExposure/v1"],
          (24_999).toString(16).padStart(16, "0")
        )
        assert.include(invocations[0].toolExecutionNotifications[0].message.text, "10 leaks left out")
      })
  )

  it.effect("is no larger than GitHub accepts once it is compressed", () =>
    Effect.gen(function* () {
      const report = yield* leaked
      const [leak] = report.leaks
      // Compression reduces random base64 by at most a quarter.
      const wide = Array.from({ length: 6_000 }, (_, n) =>
        Object.assign({}, leak, {
          fingerprint: n.toString(16).padStart(16, "0"),
          notCountedReason: randomBytes(1_800).toString("base64")
        })
      )
      const { leftOut, text } = yield* uploadable({ ...report, leaks: wide }, options)
      assert.isAbove(leftOut, 0)
      assert.isBelow(gzipSync(text).length, 10_000_000)
      // Not more than necessary is left out.
      assert.isAbove(gzipSync(text).length, 8_000_000)
      assert.strictEqual(runOf(text).results.length, 6_000 - leftOut)
    })
  )

  it.effect("leaks at the same location, or without one, stay separate alerts", () =>
    Effect.gen(function* () {
      const { layer } = script(({ of }) => (of === "credentials" ? { items: [credential()], next: null } : undefined))
      const given = input({
        secrets: ["first-secret-1", "second-secret-2"].map((value) => ({ name: value, value: Redacted.make(value) })),
        candidates: [candidate("third-secret-3"), candidate("fourth-secret-4", { column: 60 })]
      })
      const report = yield* Effect.provide(
        Effect.flatMap(LeakCheck.plan(given), (plan) => LeakCheck.run(plan)),
        layer
      )
      const results: ReadonlyArray<{ readonly partialFingerprints: Record<string, string> }> = runOf(
        sarif(report, options)
      ).results
      const hashes = results.map(({ partialFingerprints }) => partialFingerprints["primaryLocationLineHash"])
      assert.strictEqual(new Set(hashes).size, 4)
      assert.deepStrictEqual(
        hashes,
        report.leaks.map(({ fingerprint }) => `${fingerprint}:1`)
      )
    })
  )

  it.effect("a fingerprint survives a move of the value, a new token, another rule", () =>
    Effect.gen(function* () {
      const { layer } = script(({ of }) => (of === "credentials" ? { items: [credential()], next: null } : undefined))
      const fingerprintOf = (over: Parameters<typeof candidate>[1], repository = "acme/app") =>
        Effect.map(
          Effect.flatMap(
            LeakCheck.plan(input({ repository, candidates: [candidate("hunter2-hunter2", over)] })),
            (plan) => Effect.provide(LeakCheck.run(plan), layer)
          ),
          ({ leaks }) => leaks[0]?.fingerprint
        )
      const first = yield* fingerprintOf({})
      assert.match(first ?? "", /^[0-9a-f]{16}$/)
      assert.strictEqual(yield* fingerprintOf({ path: "other.env", line: 99, rule: "other", kind: "jwt" }), first)
      assert.notStrictEqual(yield* fingerprintOf({}, "acme/other"), first)
    })
  )
})
