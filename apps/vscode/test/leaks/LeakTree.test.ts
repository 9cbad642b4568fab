/** Tests the rows of a check's findings. */
import { assert, describe, it } from "@effect/vitest"
import type { IgnoreEntryUse, Leak, Location, Unsearched, ValueSubject } from "@threat-exposure/leak-check/Report"
import { Effect } from "effect"
import { leakNodes, restNodes } from "../../src/leaks/LeakTree.ts"

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
  const finding = { leak: found, provider: undefined, places, repository: undefined, profile: undefined }
  const files = leakNodes([finding], "file")
  const under = yield* Effect.forEach(files, ({ children }) => children ?? Effect.succeed([]))
  return under.flat().map(({ row }) => row)
})

const credentials: Leak["credentials"] = [
  { account: "greta", severity: "high", importedAt: null, source: null, usedAt: [], counts: true }
]

describe("a value in two files", () => {
  it.effect("has in each file the name that it has there", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        (yield* rows({ ...leak, credentials })).map(({ description, label }) => [label, description]),
        [
          ["2: DATABASE_PASSWORD", "1 credential · password"],
          ["2: SHOP_TOKEN", "1 credential · password"]
        ]
      )
      for (const { tooltip } of yield* rows(leak)) assert.include(tooltip?.().split("\n") ?? [], "line 2")
    })
  )
})

describe("a location that a later commit removed", () => {
  it.effect("is shown as removed, and leads to the version of its commit, not to a line of the current file", () =>
    Effect.gen(function* () {
      const [first, second] = [
        { uri: "file:///orchard/a.ini", path: "a.ini", line: 2, column: 1 },
        { uri: "file:///orchard/b.ini", path: "b.ini", line: 7, column: 1, isRemoved: true }
      ]
      const [both] = leakNodes(
        [{ leak, provider: undefined, places: [first, second], repository: undefined, profile: undefined }],
        "secret"
      )
      const places = (yield* both?.children ?? Effect.succeed([])).map(({ row }) => row)
      assert.deepStrictEqual(
        places.map(({ command, description, label }) => [label, description, command?.args]),
        [
          ["a.ini:2", undefined, ["file:///orchard/a.ini", 2, 1]],
          ["b.ini:7", "removed later", undefined]
        ]
      )
      const message = { ...second, path: ".git/messages/0de" }
      const [ofMessage] = leakNodes(
        [{ leak, provider: undefined, places: [message], repository: undefined, profile: undefined }],
        "secret"
      )
      assert.isUndefined(ofMessage?.row.command)
      assert.notInclude(ofMessage?.row.description ?? "", "removed")
      const [gone] = leakNodes(
        [{ leak, provider: undefined, places: [second], repository: undefined, profile: undefined }],
        "secret"
      )
      assert.isUndefined(gone?.row.command)
      const committed = { ...second, commit: "0de" }
      const [known] = leakNodes(
        [{ leak, provider: undefined, places: [committed], repository: undefined, profile: undefined }],
        "secret"
      )
      assert.deepStrictEqual(known?.row.command?.args, ["file:///orchard/b.ini", 7, 1, "0de"])
      assert.include(gone?.row.description ?? "", "b.ini:7 · removed later")
      assert.include(gone?.row.accessibleLabel ?? "", "removed later")
      assert.include(gone?.row.tooltip?.().split("\n") ?? [], "b.ini:7 · removed later")
    })
  )
})

describe("an ignored finding", () => {
  it.effect("is announced to screen readers as ignored, not by its severity, and cannot be ignored again", () =>
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

describe("findings by severity", () => {
  it.effect(
    "are in order, each under the icon of its severity, with its file's name and line; the ignored ones last",
    () =>
      Effect.gen(function* () {
        const place = { uri: "file:///orchard/deploy/a.ini", path: "deploy/a.ini", line: 2, column: 1 }
        const finding = (severity: Leak["severity"], more: Partial<Leak> = {}) => ({
          leak: { ...leak, severity, fingerprint: severity, ...more },
          provider: undefined,
          places: [place],
          repository: undefined,
          profile: undefined
        })
        const ignored = { reason: "rotated", expires: "2027-01-01", by: null }
        const groups = leakNodes(
          [finding("critical", { ignored, counts: false }), finding("low"), finding("critical"), finding("high")],
          "severity"
        )
        assert.deepStrictEqual(
          groups.map(({ row: { description, icon, label } }) => [label, description, icon?.id]),
          [
            ["Critical", "1", "debug-breakpoint-log"],
            ["High", "1", "debug-breakpoint-data"],
            ["Low", "1", "circle-filled"],
            ["Ignored", "1", "mute"]
          ]
        )
        const [first] = yield* groups[0]?.children ?? Effect.succeed([])
        assert.deepInclude(first?.row, { label: "DATABASE_PASSWORD", description: "a.ini:2 · password" })
        assert.include(first?.row.tooltip?.().split("\n") ?? [], "deploy/a.ini:2")
      })
  )
})

describe("what is no finding", () => {
  const rest = Effect.fnUntraced(function* (checked: Parameters<typeof restNodes>[0]) {
    return yield* Effect.forEach(restNodes(checked), ({ children, row }) =>
      Effect.map(children ?? Effect.succeed([]), (rows) => [
        row.label,
        row.description,
        rows.map(({ row: { description, label } }) => [label, description])
      ])
    )
  })
  const unsearched = (subject: Unsearched["subject"], reason: Unsearched["reason"]): Unsearched => ({
    subject,
    missing: ["events"],
    reason,
    detail: "503"
  })
  const entry = (reason: string, state: IgnoreEntryUse["state"]): IgnoreEntryUse => ({
    fingerprint: "0123456789abcdef",
    reason,
    expires: "2026-01-31",
    by: null,
    line: 2,
    state,
    isAdded: false
  })

  it.effect("is listed by the reason, each with its own", () =>
    Effect.gen(function* () {
      const named: ValueSubject = {
        type: "value",
        kind: "password",
        names: ["DATABASE_PASSWORD"],
        locations,
        isAdded: true
      }
      assert.deepStrictEqual(
        yield* rest({
          gaps: ["a.env: unreadable"],
          notices: ["2 lock files", "1 vendored file"],
          report: {
            unsearched: [
              unsearched(named, "error"),
              unsearched({ ...named, names: [] }, "deadline"),
              unsearched({ ...named, locations: [] }, "quota"),
              unsearched({ type: "domain", domain: "example.com", searchedBy: "address" }, "max-searches"),
              unsearched(named, "skipped")
            ],
            ignore: [entry("rotated", "applied"), entry("unused", "unmatched"), entry("test account", "expired")]
          }
        }),
        [
          [
            "Not searched",
            "5",
            [
              ["DATABASE_PASSWORD · a.ini:2", "the search failed"],
              ["password · a.ini:2", "time limit reached"],
              ["DATABASE_PASSWORD", "search quota used up"],
              ["example.com", "over the search limit"],
              ["DATABASE_PASSWORD · a.ini:2", "cancelled"]
            ]
          ],
          ["Could not be read", "1", [["a.env: unreadable", ""]]],
          [
            "Skipped on purpose",
            "2",
            [
              ["2 lock files", ""],
              ["1 vendored file", ""]
            ]
          ],
          ["Entries of the ignore file that no longer apply", "1", [["test account", "expired 2026-01-31"]]]
        ]
      )
    })
  )

  it.effect("has no row if there is nothing of its kind", () =>
    Effect.gen(function* () {
      const report = { unsearched: [], ignore: [entry("rotated", "applied")] }
      assert.deepStrictEqual(yield* rest({ gaps: [], notices: [], report }), [])
    })
  )
})
