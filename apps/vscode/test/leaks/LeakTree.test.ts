/** The rows of what a check found. */
import { assert, describe, it } from "@effect/vitest"
import type { Leak, Location } from "@threat-exposure/leak-check/Report"
import { Effect } from "effect"
import { leakNodes } from "../../src/leaks/LeakTree.ts"

const location = (path: string, name: string): Location => ({
  path,
  line: 2,
  column: 1,
  endLine: 2,
  endColumn: 9,
  commit: null,
  removed: false,
  rule: "generic",
  name
})

const locations = [location("a.ini", "DATABASE_PASSWORD"), location("b.ini", "SHOP_TOKEN")]

const leak: Leak = {
  fingerprint: "0123456789abcdef",
  subject: { type: "value", kind: "password", names: [], locations, isAdded: true },
  counts: true,
  notCountedReason: null,
  severity: "critical",
  firstSeen: null,
  lastSeen: null,
  common: null,
  ignored: null,
  credentials: [],
  moreCredentials: false,
  events: [],
  moreEvents: false
}

const rows = Effect.fnUntraced(function* (found: Leak) {
  const places = locations.map(({ column, line, path }) => ({ uri: `file:///orchard/${path}`, path, line, column }))
  const finding = { leak: found, provider: undefined, places, repository: undefined }
  const files = leakNodes([finding], "file")
  const under = yield* Effect.forEach(files, ({ children }) => children ?? Effect.succeed([]))
  return under.flat().map(({ row }) => row)
})

describe("a value in two files", () => {
  it.effect("has in each the name that it has there", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        (yield* rows(leak)).map(({ description, label }) => [label, description]),
        [
          ["DATABASE_PASSWORD", "line 2 · password"],
          ["SHOP_TOKEN", "line 2 · password"]
        ]
      )
    })
  )
})

describe("an ignored finding", () => {
  it.effect("is read out as ignored and not by its severity, and cannot be ignored again", () =>
    Effect.gen(function* () {
      const ignored = { reason: "rotated", expires: "2027-01-01", by: null }
      for (const { accessibleLabel, kinds } of yield* rows({ ...leak, ignored, counts: false })) {
        assert.match(accessibleLabel ?? "", /^ignored, /u)
        assert.notInclude(accessibleLabel ?? "", "critical")
        assert.notInclude(kinds ?? [], "counted")
      }
      for (const { accessibleLabel, kinds } of yield* rows(leak)) {
        assert.match(accessibleLabel ?? "", /^critical, /u)
        assert.include(kinds ?? [], "counted")
      }
    })
  )
})
