import { assert, describe, it } from "@effect/vitest"
import type { Report } from "@threat-exposure/leak-check/Report"
import { junit } from "@threat-exposure/leak-check/report/Junit"
import { Effect } from "effect"
import { clean, incomplete, leaked, skipped } from "../reports.ts"

/** A minimal XML parser that fails on anything not well-formed: every tag must be closed, and nothing unescaped. */
const elementsOf = (xml: string) => {
  const elements: Array<{ readonly name: string; readonly attributes: string; readonly depth: number }> = []
  const open: Array<string> = []
  const rest = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/u, "")
  let end = 0
  for (const tag of rest.matchAll(/<(\/?)([a-z-]+)((?: [a-z]+="[^"<&]*(?:&#\d+;[^"<&]*)*")*)(\/?)>/gu)) {
    assert.match(rest.slice(end, tag.index), /^(?:[^<&>]|&#\d+;)*$/u)
    end = tag.index + tag[0].length
    const [, closes, name = "", attributes = "", isEmpty] = tag
    if (closes === "/") assert.strictEqual(open.pop(), name)
    else {
      elements.push({ name, attributes, depth: open.length })
      if (isEmpty !== "/") open.push(name)
    }
  }
  assert.strictEqual(rest.slice(end).trim(), "")
  assert.isEmpty(open)
  return elements
}

const countsOf = (report: Report) => {
  const names = elementsOf(junit(report)).map(({ name }) => name)
  const count = (wanted: string) => names.filter((name) => name === wanted).length
  return [count("testcase"), count("failure"), count("error"), count("skipped")]
}

describe("Junit", () => {
  it.effect("has a failure for each leak that counts, an error for what was not searched, and at least one test", () =>
    Effect.gen(function* () {
      const report = yield* leaked
      const counting = report.leaks.filter(({ counts }) => counts).length
      assert.deepStrictEqual(countsOf(report), [report.leaks.length, counting, 0, report.leaks.length - counting])
      assert.deepStrictEqual(countsOf(yield* clean), [1, 0, 0, 0])
      for (const unfinished of [yield* incomplete, yield* skipped]) {
        const errors = unfinished.unsearched.length + unfinished.gaps.length + (unfinished.skipped === null ? 0 : 1)
        assert.isAbove(errors, 0)
        assert.deepStrictEqual(countsOf(unfinished), [errors, 0, errors, 0])
      }
    })
  )

  it.effect("has the message inside the element, too: Codecov takes an empty one for a pass", () =>
    Effect.gen(function* () {
      for (const report of [yield* leaked, yield* incomplete, yield* skipped]) {
        const outcomes = Array.from(junit(report).matchAll(/<(failure|error|skipped) message="([^"]+)"(.*)/gu))
        assert.isNotEmpty(outcomes)
        for (const [, name, message, rest] of outcomes) assert.strictEqual(rest, `>${message}</${name}></testcase>`)
      }
    })
  )

  it.effect("is valid XML, whatever a name contains", () =>
    Effect.gen(function* () {
      const report = yield* leaked
      const hostile = `"/><x a='&amp;]]>\u0000\u0008\uffff\ud800`
      const [leak] = report.leaks
      assert(leak !== undefined)
      elementsOf(
        junit({
          ...report,
          gaps: [hostile],
          leaks: [{ ...leak, subject: { type: "domain", domain: hostile, searchedBy: "address" } }]
        })
      )
    })
  )
})
