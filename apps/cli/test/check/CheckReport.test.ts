import { assert, describe, it } from "@effect/vitest"
import { exitCodeOf, type ExitRules } from "@threat-exposure/cli/check/CheckReport"
import { exitCodes } from "@threat-exposure/cli/ExitCode"
import type { Leak, Report, Unsearched } from "@threat-exposure/leak-check/Report"

const subject = { type: "domain", domain: "example.com", searchedBy: "address" } as const

const leak = (counts: boolean): Leak => ({
  fingerprint: "0123456789abcdef",
  subject,
  counts,
  notCountedReason: counts ? null : "ignored",
  severity: "high",
  firstSeen: null,
  lastSeen: null,
  common: null,
  ignored: null,
  credentials: [{ account: "a…@example.com", severity: "high", importedAt: null, source: null, usedAt: [], counts }],
  moreCredentials: false,
  events: [],
  moreEvents: false
})

const unsearched = (reason: Unsearched["reason"]): Unsearched => ({
  subject,
  missing: ["credentials"],
  reason,
  detail: ""
})

const report = (given: Partial<Report>): Report => ({
  schemaVersion: 1,
  verdict: "clean",
  skipped: null,
  repository: "r",
  startedAt: "",
  finishedAt: "",
  plan: "",
  searches: 1,
  quotaRemaining: null,
  planned: { values: 0, domains: 0, searches: 0, knownClean: 0 },
  settings: {
    minSeverity: "low",
    since: "",
    domainLeaks: "fail",
    maxSearches: 1,
    quotaReserve: 0,
    deadlineSeconds: 1
  },
  leaks: [],
  unsearched: [],
  gaps: [],
  ineligible: [],
  ignore: [],
  notices: [],
  coverage: [],
  omitted: null,
  ...given
})

const code = (given: Partial<Report>, rules: Partial<ExitRules> = {}) =>
  exitCodeOf(report(given), {
    failOn: "any",
    onIncomplete: "fail",
    offline: false,
    isAnswered: true,
    isInStealerLog: false,
    ...rules
  })

const { done, incomplete, leaked, refused, unavailable } = exitCodes

describe("the exit code of a check", () => {
  it("is that of a leak if it fails the check, whatever else went wrong", () => {
    const wrong = { leaks: [leak(true)], gaps: ["unread"], unsearched: [unsearched("error")] }
    assert.strictEqual(code(wrong), leaked)
    assert.strictEqual(code(wrong, { onIncomplete: "warn", isAnswered: false }), leaked)
    assert.strictEqual(code({ leaks: [leak(true)] }, { failOn: "credentials" }), leaked)
    for (const failOn of ["events", "none"] as const) {
      assert.strictEqual(code({ leaks: [leak(true)] }, { failOn }), done)
      assert.strictEqual(code(wrong, { failOn }), incomplete)
    }
    assert.strictEqual(code({ leaks: [leak(false)] }), done)
  })

  it("is that of a leak if a name of the machine stands in a stealer log, which is an event", () => {
    for (const failOn of ["any", "events"] as const) {
      assert.strictEqual(code({ gaps: ["unread"] }, { failOn, isInStealerLog: true }), leaked)
    }
    for (const failOn of ["credentials", "none"] as const) {
      assert.strictEqual(code({}, { failOn, isInStealerLog: true }), done)
    }
  })

  it("is never clean for what was not read or not searched, unless that is allowed", () => {
    for (const given of [{ gaps: ["unread"] }, { unsearched: [unsearched("quota")] }]) {
      assert.strictEqual(code(given), incomplete)
      assert.strictEqual(code(given, { onIncomplete: "warn" }), done)
    }
    assert.strictEqual(code({}), done)
  })

  it("says that nobody is signed in, unless that is allowed", () => {
    assert.strictEqual(code({ verdict: "skipped", unsearched: [unsearched("skipped")] }), refused)
    assert.strictEqual(code({ verdict: "skipped" }, { onIncomplete: "warn" }), done)
  })

  it("says that the service is unavailable only if it answered nothing, and for no other reason", () => {
    const down = { unsearched: [unsearched("error"), unsearched("max-searches")] }
    assert.strictEqual(code(down, { isAnswered: false }), unavailable)
    assert.strictEqual(code(down), incomplete)
    assert.strictEqual(code({ ...down, searches: 0 }, { isAnswered: false }), incomplete)
    const spent = { unsearched: [unsearched("error"), unsearched("quota")] }
    assert.strictEqual(code(spent, { isAnswered: false }), incomplete)
  })

  it("expects unsearched candidates offline, but no unread files", () => {
    const offline = (given: Partial<Report>, failOn: ExitRules["failOn"] = "any") =>
      code({ searches: 0, ...given }, { offline: true, isAnswered: false, failOn })
    const listed = { unsearched: [unsearched("skipped")] }
    assert.strictEqual(offline({ ...listed, leaks: [leak(true)] }), done)
    assert.strictEqual(offline({ ...listed, gaps: ["unread"] }), incomplete)
    assert.strictEqual(offline(listed, "candidates"), leaked)
    assert.strictEqual(offline({}, "candidates"), done)
    assert.strictEqual(offline({ gaps: ["unread"] }, "candidates"), incomplete)
  })
})
