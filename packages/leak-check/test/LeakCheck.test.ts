import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { fingerprint } from "@threat-exposure/leak-check/ignore/Fingerprint"
import { wrongAnswers } from "@threat-exposure/core/testing/WrongAnswers"
import * as IgnoreFile from "@threat-exposure/leak-check/ignore/IgnoreFile"
import * as LeakCheck from "@threat-exposure/leak-check/LeakCheck"
import * as Console from "@threat-exposure/leak-check/report/Console"
import type { Input } from "@threat-exposure/leak-check/search/Plan"
import { candidate, input, now } from "./samples.ts"
import { type Call, credential, event, script } from "./ScriptedService.ts"

const check = Effect.fnUntraced(function* (
  given: Input,
  answer: (call: Call, index: number) => object | Response | undefined = () => undefined
) {
  yield* TestClock.setTime(DateTime.toEpochMillis(now))
  const { layer, seen } = script(answer)
  const plan = yield* LeakCheck.plan(given)
  const report = yield* LeakCheck.run(plan).pipe(Effect.provide(layer))
  return { plan, report, seen }
})

const page = (items: ReadonlyArray<object>, next: string | null = null) => ({ items, next })

/** Waits for response bodies, which are read by promises that a test clock does not await. */
const answersRead = Effect.promise(async () => {
  for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve))
})

const failure = (status: number, body: object) => new Response(JSON.stringify(body), { status })

describe("verdict", () => {
  it.effect("is clean when everything planned was searched and nothing was found", () =>
    Effect.gen(function* () {
      const { report, seen } = yield* check(
        input({ candidates: [candidate("hunter2-hunter2")], domains: ["example.com"] })
      )
      assert.strictEqual(report.verdict, "clean")
      assert.strictEqual(report.searches, 4)
      assert.strictEqual(seen.calls.length, 4)
    })
  )

  it.effect("is clean when nothing had to be searched", () =>
    Effect.gen(function* () {
      const { report } = yield* check(input())
      assert.deepStrictEqual([report.verdict, report.searches, report.plan], ["clean", 0, "nothing to search"])
    })
  )

  it.effect("is never clean for an answer that is none", () =>
    Effect.gen(function* () {
      for (const [wrong, answer] of wrongAnswers) {
        const { report } = yield* check(input({ candidates: [candidate("hunter2-hunter2")] }), answer)
        assert.strictEqual(report.verdict, "incomplete", wrong)
      }
      // One wrong answer to the two searches is enough.
      for (const [wrong, answer] of wrongAnswers) {
        const { report } = yield* check(input({ candidates: [candidate("hunter2-hunter2")] }), ({ of }) =>
          of === "events" ? answer() : page([])
        )
        assert.strictEqual(report.verdict, "incomplete", wrong)
      }
    })
  )

  it.effect("is leaked with the evidence of both searches", () =>
    Effect.gen(function* () {
      const { report, seen } = yield* check(input({ candidates: [candidate("hunter2-hunter2")] }), ({ of }) =>
        of === "credentials" ? page([credential()]) : page([event({ severity: "critical" })], "more")
      )
      assert.strictEqual(seen.calls.length, 2)
      const [leak] = report.leaks
      assert.strictEqual(report.verdict, "leaked")
      assert.deepInclude(leak, {
        counts: true,
        notCountedReason: null,
        severity: "critical",
        firstSeen: "2025-03-01",
        lastSeen: "2026-11-01T10:00:00Z",
        moreCredentials: false,
        moreEvents: true
      })
      assert.strictEqual(leak?.credentials[0]?.account, "a…@example.com")
      assert.strictEqual(leak?.credentials[0]?.source?.name, "Collection 7")
      assert.strictEqual(leak?.events[0]?.link, "https://app.example.com/events/1")
    })
  )

  it.effect("is incomplete when one search fails, and says which", () =>
    Effect.gen(function* () {
      const { report } = yield* check(
        input({ candidates: [candidate("hunter2-hunter2"), candidate("another-secret-1")] }),
        ({ asked, of }) =>
          asked === "hunter2-hunter2" && of === "events"
            ? failure(500, { error: { code: "X", message: "boom" } })
            : undefined
      )
      assert.strictEqual(report.verdict, "incomplete")
      assert.strictEqual(report.unsearched.length, 1)
      assert.deepInclude(report.unsearched[0], { missing: ["events"], reason: "error" })
    })
  )

  it.effect("is incomplete when something could not be read, even with nothing to search", () =>
    Effect.gen(function* () {
      const { report } = yield* check(input({ gaps: ["The history could not be fetched"] }))
      assert.strictEqual(report.verdict, "incomplete")
    })
  )

  it.effect("is incomplete when an empty first page says that there is more", () =>
    Effect.gen(function* () {
      const { report, seen } = yield* check(input({ candidates: [candidate("hunter2-hunter2")] }), ({ of }) =>
        of === "credentials" ? page([], "more") : undefined
      )
      assert.strictEqual(report.verdict, "incomplete")
      assert.deepStrictEqual(report.unsearched[0]?.missing, ["credentials"])
      assert.strictEqual(seen.calls.length, 2)
    })
  )

  it.effect("is incomplete when an item of an answer cannot be read, unless another one counts", () =>
    Effect.gen(function* () {
      const unreadable = { metadata: "none" }
      for (const [items, verdict] of [
        [[event({ severity: "info" }), unreadable], "incomplete"],
        [[unreadable], "incomplete"],
        [[event(), unreadable], "leaked"],
        [[event({ severity: "info" })], "clean"]
      ] as const) {
        const { report } = yield* check(
          input({ candidates: [candidate("hunter2-hunter2")], settings: { minSeverity: "high" } }),
          ({ of }) => (of === "events" ? page(items) : undefined)
        )
        assert.strictEqual(report.verdict, verdict)
        if (verdict !== "incomplete") continue
        assert.deepInclude(report.unsearched[0], { missing: ["events"], reason: "error" })
        assert.match(report.unsearched[0]?.detail ?? "", /cannot be read/u)
      }
    })
  )

  it.effect("lists the most severe leak first, and equal ones by their position in the code", () =>
    Effect.gen(function* () {
      const candidates = [
        ...[4, 12, 3, 5].map((line) => candidate(`hunter-in-line-${line}`, { path: "b.env", line })),
        candidate("hunter-in-another-file", { path: "a.env", line: 9 }),
        candidate("hunter-of-an-old-day", { path: "a.env", line: 1 })
      ]
      const { report } = yield* check(input({ candidates }), ({ asked, of }) =>
        of === "credentials"
          ? page([credential(asked === "hunter-of-an-old-day" ? { imported_at: "2026-10-01T00:00:00Z" } : {})])
          : undefined
      )
      const places = report.leaks.map(({ subject }) =>
        subject.type === "value" ? `${subject.locations[0]?.path}:${subject.locations[0]?.line}` : subject.domain
      )
      assert.deepStrictEqual(places, ["a.env:9", "b.env:3", "b.env:4", "b.env:5", "b.env:12", "a.env:1"])
    })
  )

  it.effect("is leaked even if other targets were left unsearched", () =>
    Effect.gen(function* () {
      const { report } = yield* check(
        input({
          candidates: [candidate("hunter2-hunter2", { confidence: 0.9 }), candidate("another-secret-1")],
          settings: { maxSearches: 2 }
        }),
        ({ of }) => (of === "credentials" ? page([credential()]) : undefined)
      )
      assert.strictEqual(report.verdict, "leaked")
      assert.deepInclude(report.unsearched[0], { missing: ["credentials", "events"], reason: "max-searches" })
    })
  )

  it.effect("is skipped, with what would have been searched", () =>
    Effect.gen(function* () {
      const plan = yield* LeakCheck.plan(input({ candidates: [candidate("hunter2-hunter2")] }))
      const report = yield* LeakCheck.skip(plan, "A pull request from a fork has no token")
      assert.deepInclude(report, {
        verdict: "skipped",
        skipped: "A pull request from a fork has no token",
        searches: 0
      })
      assert.deepInclude(report.unsearched[0], { reason: "skipped" })
    })
  )
})

describe("what counts", () => {
  const domain = (settings: Partial<Input["settings"]> = {}) => input({ domains: ["example.com"], settings })

  it.effect("requests what is recent and severe enough", () =>
    Effect.gen(function* () {
      const { seen } = yield* check(
        input({
          candidates: [candidate("hunter2-hunter2")],
          domains: ["example.com"],
          settings: { minSeverity: "high" }
        })
      )
      const filters = seen.calls.map(({ asked, body, of }) => [asked, of, body.filters])
      assert.deepStrictEqual(filters.toSorted(), [
        ["example.com", "credentials", { imported_at: { gte: "2026-10-21T12:00:00.000Z" } }],
        ["example.com", "events", { severity: "high", estimated_created_at: { gte: "2026-10-21T12:00:00.000Z" } }],
        ["hunter2-hunter2", "credentials", undefined],
        ["hunter2-hunter2", "events", { severity: "high" }]
      ])
    })
  )

  it.effect("a service that ignores the filters changes nothing", () =>
    Effect.gen(function* () {
      const { report } = yield* check(domain({ minSeverity: "high" }), ({ of }) =>
        of === "credentials"
          ? page([credential({ imported_at: "2020-01-01T00:00:00" })])
          : page([event({ severity: "medium" }), event({ estimated_created_at: "2020-01-01T00:00:00" })])
      )
      assert.strictEqual(report.verdict, "clean")
      assert.strictEqual(report.leaks[0]?.counts, false)
      assert.include(report.leaks[0]?.notCountedReason ?? "", "since")
    })
  )

  it.effect("the age does not matter for a value", () =>
    Effect.gen(function* () {
      const { report } = yield* check(input({ candidates: [candidate("hunter2-hunter2")] }), ({ of }) =>
        of === "credentials" ? page([credential({ imported_at: "2010-01-01T00:00:00" })]) : undefined
      )
      assert.strictEqual(report.verdict, "leaked")
    })
  )

  it.effect("domains fail, warn or are not searched", () =>
    Effect.gen(function* () {
      const answer = () => page([credential()])
      const fail = yield* check(domain({ domainLeaks: "fail", since: DateTime.makeUnsafe("2026-01-01") }), ({ of }) =>
        of === "credentials" ? answer() : undefined
      )
      const warn = yield* check(domain({ domainLeaks: "warn", since: DateTime.makeUnsafe("2026-01-01") }), ({ of }) =>
        of === "credentials" ? answer() : undefined
      )
      const off = yield* check(domain({ domainLeaks: "off" }), answer)
      assert.deepStrictEqual(
        [fail, warn, off].map(({ report, seen }) => [report.verdict, report.leaks.length, seen.calls.length]),
        [
          ["leaked", 1, 2],
          ["clean", 1, 2],
          ["clean", 0, 0]
        ]
      )
    })
  )

  it.effect("a login domain takes one search, of credentials that were used to log in there", () =>
    Effect.gen(function* () {
      const { plan, report, seen } = yield* check(
        input({ domains: ["example.com"], loginDomains: ["example.com", "example.com"] })
      )
      assert.strictEqual(plan.summary, "2 domains: 3 searches")
      assert.strictEqual(report.verdict, "clean")
      assert.sameDeepMembers(
        seen.calls.map(({ body, of }) => [of, body.query.type, body.filters?.["imported_at"]]),
        [
          ["credentials", "domain", { gte: "2026-10-21T12:00:00.000Z" }],
          ["events", "domain", undefined],
          ["credentials", "auth_domain", { gte: "2026-10-21T12:00:00.000Z" }]
        ]
      )
    })
  )

  it.effect("a leak of a login domain is its own leak: another fingerprint, and the settings of domains", () =>
    Effect.gen(function* () {
      const both = input({ domains: ["example.com"], loginDomains: ["example.com"] })
      const found = ({ of }: Call) =>
        of === "credentials" ? page([credential({ imported_at: "2026-11-19T00:00:00Z" })]) : undefined
      const { report } = yield* check(both, found)
      assert.deepStrictEqual(
        report.leaks
          .map(({ severity, subject }) => [severity, subject.type === "domain" && subject.searchedBy])
          .toSorted(),
        [
          ["medium", "address"],
          ["medium", "login"]
        ]
      )
      assert.strictEqual(new Set(report.leaks.map(({ fingerprint }) => fingerprint)).size, 2)
      const login = report.leaks.find(({ subject }) => subject.type === "domain" && subject.searchedBy === "login")
      const ignore = {
        entries: [
          { fingerprint: login?.fingerprint ?? "", reason: "known", expires: "2027-01-01", by: undefined, line: 1 }
        ]
      }
      const ignoring = yield* check({ ...both, ignore }, found)
      assert.deepStrictEqual(
        ignoring.report.leaks.map(({ counts, subject }) => [subject.type === "domain" && subject.searchedBy, counts]),
        [
          ["address", true],
          ["login", false]
        ]
      )
      for (const [domainLeaks, leaks, verdict] of [
        ["warn", 2, "clean"],
        ["off", 0, "clean"]
      ] as const) {
        const { report } = yield* check(
          input({ domains: ["example.com"], loginDomains: ["example.com"], settings: { domainLeaks } }),
          found
        )
        assert.deepStrictEqual([report.leaks.length, report.verdict], [leaks, verdict])
      }
    })
  )

  it.effect("an event's severity is the tenant's override, if there is one", () =>
    Effect.gen(function* () {
      const { report } = yield* check(
        input({ candidates: [candidate("hunter2-hunter2")], settings: { minSeverity: "medium" } }),
        ({ of }) =>
          of === "events"
            ? page([{ ...event(), tenant_metadata: { severity: { original: "high", override: "info" } } }])
            : undefined
      )
      assert.strictEqual(report.verdict, "clean")
      assert.strictEqual(report.leaks[0]?.severity, "info")
    })
  )

  it.effect("an unknown severity counts as the highest", () =>
    Effect.gen(function* () {
      const { report } = yield* check(
        input({ candidates: [candidate("hunter2-hunter2")], settings: { minSeverity: "critical" } }),
        ({ of }) => (of === "events" ? page([event({ severity: "catastrophic" })]) : undefined)
      )
      assert.deepStrictEqual([report.verdict, report.leaks[0]?.severity], ["leaked", "critical"])
    })
  )

  it.effect("a credential is more severe with an account in one of the domains, and a common value less", () =>
    Effect.gen(function* () {
      const { report } = yield* check(
        input({
          candidates: ["own-own-own-1", "other-other-1", "common-common-1"].map((value) => candidate(value)),
          domains: ["example.com"]
        }),
        ({ asked, of }) =>
          of === "events" || asked === "example.com"
            ? undefined
            : asked === "own-own-own-1"
              ? page([credential({ domain: "mail.example.com" })])
              : asked === "other-other-1"
                ? page([credential({ domain: "example.org" })])
                : page(
                    Array.from({ length: 21 }, (_, id) => credential({ id, identity_name: `user${id}@example.org` })),
                    "more"
                  )
      )
      assert.deepStrictEqual(
        report.leaks.map(({ common, counts, severity }) => [severity, counts, common === null]),
        [
          ["critical", true, true],
          ["high", true, true],
          ["low", true, false]
        ]
      )
      assert.include(report.leaks[2]?.common ?? "", "21 or more accounts")
    })
  )

  it.effect("the ignore file: applied, expired, unmatched, added", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.toEpochMillis(now))
      const [handled, expired] = yield* Effect.forEach(["handled-secret-1", "expired-secret-1"], (value) =>
        fingerprint(Redacted.make(value), "acme/app")
      )
      const ignore = yield* IgnoreFile.parse(
        [
          "ignore:",
          `  - { fingerprint: "${handled}", reason: rotated, expires: 2026-11-20, by: security@example.com }`,
          `  - { fingerprint: "${expired}", reason: rotated, expires: 2026-11-19 }`,
          `  - { fingerprint: "00000000000000ff", reason: gone, expires: 2027-01-01 }`
        ].join("\n"),
        "ignore.yml"
      )
      const { report } = yield* check(
        input({
          candidates: [candidate("handled-secret-1"), candidate("expired-secret-1")],
          ignore,
          ignoreAdded: ["00000000000000ff"]
        }),
        ({ of }) => (of === "credentials" ? page([credential()]) : undefined)
      )
      assert.deepStrictEqual(
        report.ignore.map(({ isAdded, line, state }) => [state, isAdded, line]),
        [
          ["applied", false, 2],
          ["expired", false, 3],
          ["unmatched", true, 4]
        ]
      )
      const shown = Console.text(report, { colors: false })
      assert.match(shown, /applied, until \d{4}-\d{2}-\d{2}: /u)
      assert.match(shown, /expired on \d{4}-\d{2}-\d{2}, counts again: /u)
      assert.deepStrictEqual(
        report.leaks.map(({ counts, fingerprint, ignored }) => [fingerprint, counts, ignored?.by]),
        [
          [expired, true, undefined],
          [handled, false, "security@example.com"]
        ]
      )
    })
  )
})

describe("the location of a value", () => {
  it.effect("comes first if the value is still there", () =>
    Effect.gen(function* () {
      const { report } = yield* check(
        input({
          added: [
            candidate("hunter2-hunter2", { path: "gone.ts", commit: "0dd", removed: true }),
            candidate("hunter2-hunter2", { path: "here.ts", commit: "0dd" })
          ]
        }),
        ({ of }) => (of === "credentials" ? page([credential()]) : undefined)
      )
      const subject = report.leaks[0]?.subject
      assert.deepStrictEqual(subject?.type === "value" && subject.locations.map(({ path }) => path), [
        "here.ts",
        "gone.ts"
      ])
      assert.include(Console.text(report, { colors: false }), "also at gone.ts:12 (removed since)")
    })
  )
})

describe("a name that a value is assigned to", () => {
  it.effect("is treated as untrusted: without values, and of a hundred characters at most", () =>
    Effect.gen(function* () {
      const { report } = yield* check(
        input({ candidates: [candidate("hunter2-hunter2", { name: `hunter2-hunter2 ${"x".repeat(500)}` })] }),
        ({ of }) => (of === "credentials" ? page([credential()]) : undefined)
      )
      const subject = report.leaks[0]?.subject
      const name = subject?.type === "value" ? subject.locations[0]?.name : undefined
      assert.match(name ?? "", /^•••• x{94}…$/)
    })
  )
})

describe("the budget", () => {
  it.effect("at most four searches are in flight", () =>
    Effect.gen(function* () {
      const { seen } = yield* check(
        input({ candidates: Array.from({ length: 30 }, (_, i) => candidate(`secret-number-${i}`)) })
      )
      assert.strictEqual(seen.mostInFlight, 4)
    })
  )

  it.effect("quota-reserve stops the searches at that many units, except for those in flight", () =>
    Effect.gen(function* () {
      let remaining = 20
      const { report, seen } = yield* check(
        input({
          candidates: Array.from({ length: 30 }, (_, i) => candidate(`secret-number-${i}`)),
          settings: { quotaReserve: 10 }
        }),
        () =>
          new Response(JSON.stringify(page([])), {
            headers: { "X-Example-Global-Searches-Remaining": String(--remaining) }
          })
      )
      assert.strictEqual(report.verdict, "incomplete")
      assert.isAtLeast(seen.calls.length, 10)
      assert.isAtMost(seen.calls.length, 13)
      assert.strictEqual(report.searches, seen.calls.length)
      assert.isTrue(report.unsearched.every(({ reason }) => reason === "quota"))
    })
  )

  it.effect("an exhausted quota leaves the rest unsearched", () =>
    Effect.gen(function* () {
      const { report, seen } = yield* check(
        input({ candidates: Array.from({ length: 30 }, (_, i) => candidate(`secret-number-${i}`)) }),
        (_, index) =>
          index < 10 ? undefined : failure(429, { error: { code: "QUOTA_EXHAUSTED", message: "no searches left" } })
      )
      assert.strictEqual(report.verdict, "incomplete")
      assert.isAtMost(seen.calls.length, 14)
      assert.isTrue(report.unsearched.every(({ reason }) => reason === "quota"))
      assert.isAtLeast(report.unsearched.length, 25)
    })
  )

  it.effect("the deadline aborts what is not answered by then", () =>
    Effect.gen(function* () {
      const { layer, seen } = script(() => undefined, { takes: "10 seconds" })
      const plan = yield* LeakCheck.plan(
        input({
          candidates: Array.from({ length: 10 }, (_, i) => candidate(`secret-number-${i}`)),
          settings: { deadline: Duration.seconds(25) }
        })
      )
      const fiber = yield* LeakCheck.run(plan).pipe(Effect.provide(layer), Effect.forkChild)
      yield* TestClock.adjust("25 seconds")
      const report = yield* Fiber.join(fiber)
      assert.strictEqual(report.verdict, "incomplete")
      assert.strictEqual(seen.calls.length, 12)
      assert.strictEqual(report.unsearched.length, 6)
      assert.isTrue(report.unsearched.every(({ reason }) => reason === "deadline"))
    })
  )

  it.effect("a deadline that passes because of the rate limit names the limit", () =>
    Effect.gen(function* () {
      const { layer } = script((_, index) => (index === 0 ? undefined : failure(429, {})))
      const plan = yield* LeakCheck.plan(
        input({
          candidates: Array.from({ length: 10 }, (_, i) => candidate(`secret-number-${i}`)),
          settings: { deadline: Duration.seconds(5) }
        })
      )
      const fiber = yield* LeakCheck.run(plan).pipe(Effect.provide(layer), Effect.forkChild)
      for (let second = 0; second < 5; second++) {
        yield* answersRead
        yield* TestClock.adjust("1 second")
      }
      const report = yield* Fiber.join(fiber)
      assert.isTrue(
        report.unsearched.some(
          ({ detail, reason }) => reason === "deadline" && detail.includes("the service limits the rate of searches")
        )
      )
    })
  )

  it.effect("a refused token ends the run with that error and loses nothing that was found before", () =>
    Effect.gen(function* () {
      for (const [status, tag, why] of [
        [401, "Unauthorized", "The token is missing, expired or revoked: renew it"],
        [
          403,
          "Forbidden",
          'The API key needs the permission "Read Tenant": use a key that has it, or an account with this feature'
        ]
      ] as const) {
        const refusedAfterTen = Effect.fnUntraced(function* (leaked: string) {
          const error = yield* Effect.flip(
            check(
              input({ candidates: Array.from({ length: 30 }, (_, i) => candidate(`secret-number-${i}`)) }),
              ({ asked, of }, index) =>
                index >= 10
                  ? failure(status, {})
                  : asked === leaked && of === "credentials"
                    ? page([credential()])
                    : undefined
            )
          )
          return error._tag === "SearchesRefused" ? error : assert.fail(error.message)
        })
        const error = yield* refusedAfterTen("secret-number-2")
        const { refusal, report } = error
        assert.strictEqual(refusal._tag, tag)
        assert.strictEqual(report.verdict, "leaked")
        assert.strictEqual(report.leaks.length, 1)
        // Searches in flight finish; no other is sent.
        assert.isAtMost(report.searches, 14)
        assert.strictEqual(report.unsearched.length, 25)
        assert.isTrue(report.unsearched.every(({ detail, reason }) => reason === "error" && detail === why))
        assert.strictEqual((yield* refusedAfterTen("none")).report.verdict, "incomplete")
      }
    })
  )

  it.effect("a service that is down gets no more requests", () =>
    Effect.gen(function* () {
      const { report, seen } = yield* check(
        input({ candidates: Array.from({ length: 50 }, (_, i) => candidate(`secret-number-${i}`)) }),
        () => failure(500, {})
      )
      assert.strictEqual(report.verdict, "incomplete")
      assert.isAtMost(seen.calls.length, 12)
      assert.strictEqual(report.unsearched.length, 50)
      // The same reason as for the failed searches, which is not repeated.
      assert.include(
        report.unsearched.map(({ detail }) => detail),
        "The service failed 8 times in a row, so this search was not sent"
      )
    })
  )

  it.effect("values that the service refuses do not count as failures of the service", () =>
    Effect.gen(function* () {
      const { report, seen } = yield* check(
        input({ candidates: Array.from({ length: 30 }, (_, i) => candidate(`secret-number-${i}`)) }),
        ({ of }) => (of === "credentials" ? failure(422, { detail: [] }) : undefined)
      )
      assert.deepStrictEqual([report.verdict, seen.calls.length, report.unsearched.length], ["incomplete", 60, 30])
    })
  )

  it.effect("progress is reported after each search", () =>
    Effect.gen(function* () {
      const { layer } = script(({ of }) => (of === "credentials" ? page([credential()]) : undefined))
      const plan = yield* LeakCheck.plan(
        input({ candidates: [candidate("hunter2-hunter2"), candidate("another-secret")] })
      )
      const told: Array<string> = []
      yield* LeakCheck.run(plan, {
        onProgress: ({ leaked, planned, searched }) =>
          Effect.sync(() => {
            told.push(`${searched}/${planned} ${leaked}`)
          })
      }).pipe(Effect.provide(layer))
      assert.strictEqual(told.length, 4)
      assert.strictEqual(told.at(-1), "4/4 2")
    })
  )

  it.effect("progress distinguishes failed searches", () =>
    Effect.gen(function* () {
      const { layer } = script(({ of }) => (of === "credentials" ? failure(422, { detail: [] }) : undefined))
      const plan = yield* LeakCheck.plan(input({ candidates: [candidate("hunter2-hunter2")] }))
      const told: Array<string> = []
      yield* LeakCheck.run(plan, {
        onProgress: ({ failed, searched }) => Effect.sync(() => void told.push(`${failed} of ${searched}`))
      }).pipe(Effect.provide(layer))
      assert.strictEqual(told.at(-1), "1 of 2")
    })
  )

  it.effect("a cancelled run reports what was found by then, and what was not searched", () =>
    Effect.gen(function* () {
      const { layer, seen } = script(({ of }) => (of === "credentials" ? page([credential()]) : undefined))
      const plan = yield* LeakCheck.plan(
        input({ candidates: Array.from({ length: 20 }, (_, i) => candidate(`secret-number-${i}`)) })
      )
      const enough = yield* Deferred.make<void>()
      const report = yield* LeakCheck.run(plan, {
        onProgress: ({ leaked }) => (leaked < 2 ? Effect.void : Effect.asVoid(Deferred.succeed(enough, undefined))),
        until: Deferred.await(enough)
      }).pipe(Effect.provide(layer))
      assert.strictEqual(report.verdict, "leaked")
      assert.isAtLeast(report.leaks.length, 2)
      assert.isBelow(seen.calls.length, 40)
      assert.isAtLeast(report.unsearched.length, 10)
      assert.isTrue(report.unsearched.every(({ reason }) => reason === "skipped"))
    })
  )
})
