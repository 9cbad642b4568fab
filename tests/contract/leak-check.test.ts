/** The leak check against the service itself, over HTTP: every verdict, for every reason there is. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import * as client from "@threat-exposure/core/client/services"
import * as CleanCache from "@threat-exposure/leak-check/search/CleanCache"
import { fingerprint } from "@threat-exposure/leak-check/ignore/Fingerprint"
import * as IgnoreFile from "@threat-exposure/leak-check/ignore/IgnoreFile"
import * as LeakCheck from "@threat-exposure/leak-check/LeakCheck"
import { cacheFile } from "@threat-exposure/leak-check/node/CacheFile"
import { layer as nodeScrypt } from "@threat-exposure/leak-check/node/NodeScrypt"
import type { Input } from "@threat-exposure/leak-check/search/Plan"
import type { Report } from "@threat-exposure/leak-check/Report"
import { json } from "@threat-exposure/leak-check/report/Json"
import { defaults, type Settings } from "@threat-exposure/leak-check/Settings"
import { leakedSecrets } from "@threat-exposure/sample/LeakedSecrets"
import { TestService } from "@threat-exposure/service/testing/TestService"
import { DateTime, Duration, Effect, Redacted } from "effect"
import { leakedInto } from "../Leaked.ts"

const repository = "example/orchard"
const leaked = leakedSecrets.databasePassword
const unseen = (n: number) => ({
  name: `UNSEEN_${n}`,
  value: ["quiet", "Otter", String(7300 + n), "lantern!"].join("-")
})

interface Given extends Omit<Partial<Input>, "settings" | "secrets"> {
  readonly secrets?: ReadonlyArray<{ readonly name: string; readonly value: string }>
  readonly settings?: Partial<Settings>
  /** A token instead of that of the key with all permissions. */
  readonly token?: string
  readonly fetch?: typeof fetch
}

const check = Effect.fnUntraced(function* ({ fetch, secrets = [], settings, token, ...given }: Given) {
  const service = yield* TestService
  const plan = yield* LeakCheck.plan({
    repository,
    ...given,
    secrets: secrets.map(({ name, value }) => ({ name, value: Redacted.make(value) })),
    settings: { ...defaults(yield* DateTime.now), ...settings }
  })
  return yield* LeakCheck.run(plan).pipe(
    Effect.provide([
      client.layer({ baseUrl: service.url, token: token ?? service.token, ...(fetch === undefined ? {} : { fetch }) }),
      nodeScrypt
    ])
  )
})

/** Names of the unsearched targets, with the reasons. */
const left = ({ unsearched }: Report) =>
  unsearched.map(({ reason, subject }) => [subject.type === "value" ? subject.names[0] : subject.domain, reason])

/** The fetch that answers as long as `isServed` says, and never after. */
const servedWhile =
  (isServed: () => boolean): typeof fetch =>
  (input, init) =>
    isServed()
      ? fetch(input, init)
      : new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)))

layer(TestService.layer({ sample: true }), { excludeTestServices: true })(
  "the leak check against the service",
  (it) => {
    it.effect("clean: nothing that the service knows", () =>
      Effect.gen(function* () {
        const report = yield* check({ secrets: [unseen(1), unseen(2)] })
        assert.deepInclude(report, { verdict: "clean", searches: 4, leaks: [], unsearched: [] })
        assert.isNumber(report.quotaRemaining)
      })
    )

    it.effect("leaked: every sample secret, with where it was seen, and no value in the report", () =>
      Effect.gen(function* () {
        const secrets = Object.values(leakedSecrets)
        const report = yield* check({ secrets: [...secrets, unseen(3)], domains: ["example.com"] })
        assert.strictEqual(report.verdict, "leaked")
        assert.strictEqual(report.searches, 2 * (secrets.length + 2))
        assert.deepStrictEqual(report.unsearched, [])
        for (const { name, seenIn } of secrets) {
          const leak = report.leaks.find(({ subject }) => subject.type === "value" && subject.names[0] === name)
          assert.isTrue(leak?.counts, name)
          const events = seenIn.filter((where) => where !== "credentials")
          assert.strictEqual(leak?.credentials.length, seenIn.length - events.length, name)
          assert.strictEqual(new Set(leak?.events.map(({ uid }) => uid)).size, events.length, name)
        }
        assert.deepStrictEqual(
          leakedInto(
            new Map([["the report", json(report)]]),
            Object.fromEntries(secrets.map(({ name, value }) => [name, value]))
          ),
          []
        )
      })
    )

    it.effect("incomplete, or leaked with the rest named, where the budget ends", () =>
      Effect.gen(function* () {
        const clean = yield* check({ secrets: [unseen(1), unseen(2)], settings: { maxSearches: 3 } })
        assert.deepInclude(clean, { verdict: "incomplete", searches: 3 })
        assert.deepStrictEqual(left(clean), [["UNSEEN_2", "max-searches"]])
        const found = yield* check({ secrets: [leaked, unseen(1)], settings: { maxSearches: 2 } })
        assert.deepInclude(found, { verdict: "leaked", searches: 2 })
        assert.deepStrictEqual(left(found), [["UNSEEN_1", "max-searches"]])
      })
    )

    it.effect("incomplete where the deadline passes, with what leaked before it", () =>
      Effect.gen(function* () {
        for (const [secret, verdict] of [
          [unseen(0), "incomplete"],
          [leaked, "leaked"]
        ] as const) {
          let served = 0
          const report = yield* check({
            secrets: [secret, unseen(1), unseen(2), unseen(3)],
            settings: { deadline: Duration.seconds(3) },
            fetch: servedWhile(() => served++ < 2)
          })
          assert.strictEqual(report.verdict, verdict)
          assert.deepStrictEqual(left(report), [
            ["UNSEEN_1", "deadline"],
            ["UNSEEN_2", "deadline"],
            ["UNSEEN_3", "deadline"]
          ])
        }
      })
    )

    it.effect("incomplete where searches of the quota are to be left", () =>
      Effect.gen(function* () {
        const { quotaRemaining } = yield* check({ secrets: [unseen(40)] })
        const report = yield* check({
          secrets: Array.from({ length: 10 }, (_, n) => unseen(50 + n)),
          settings: { quotaReserve: (quotaRemaining ?? 0) - 6 }
        })
        assert.strictEqual(report.verdict, "incomplete")
        // Searches in flight, at most four, may pass it.
        assert.isAtLeast(report.searches, 6)
        assert.isAtMost(report.searches, 10)
        assert.isTrue(report.unsearched.every(({ reason }) => reason === "quota"))
      })
    )

    it.effect("domains warn or fail, as set", () =>
      Effect.gen(function* () {
        const of = (domainLeaks: Settings["domainLeaks"]) =>
          check({ domains: ["example.com"], settings: { domainLeaks } })
        const [fail, warn, off] = yield* Effect.all([of("fail"), of("warn"), of("off")])
        assert.deepStrictEqual(
          [fail, warn, off].map(({ leaks, searches, verdict }) => [verdict, searches, leaks.length]),
          [
            ["leaked", 2, 1],
            ["clean", 2, 1],
            ["clean", 0, 0]
          ]
        )
        assert.include(warn.leaks[0]?.notCountedReason ?? "", "domain-leaks: warn")
        assert.isAbove(fail.leaks[0]?.credentials.length ?? 0, 0)
        const ofTheFuture = yield* check({
          domains: ["example.com"],
          settings: { since: DateTime.addDuration(yield* DateTime.now, Duration.days(1)) }
        })
        assert.deepInclude(ofTheFuture, { verdict: "clean", leaks: [] })
      })
    )

    it.effect("the ignore file: an entry that applies, one that has expired, one that matches nothing", () =>
      Effect.gen(function* () {
        const now = yield* DateTime.now
        const day = (days: number) => DateTime.formatIsoDateUtc(DateTime.addDuration(now, Duration.days(days)))
        const over = leakedSecrets.paymentsToken
        const [handled, expired] = yield* Effect.forEach([leaked, over], ({ value }) =>
          fingerprint(Redacted.make(value), repository)
        )
        const ignore = yield* IgnoreFile.parse(
          [
            "ignore:",
            `  - { fingerprint: "${handled}", reason: rotated, expires: ${day(30)} }`,
            `  - { fingerprint: "${expired}", reason: rotated, expires: ${day(-1)} }`,
            `  - { fingerprint: "00000000000000ff", reason: gone, expires: ${day(30)} }`
          ].join("\n"),
          "ignore.yml"
        )
        const alone = yield* check({ secrets: [leaked], ignore })
        assert.strictEqual(alone.verdict, "clean")
        const both = yield* check({ secrets: [leaked, over], ignore })
        assert.strictEqual(both.verdict, "leaked")
        assert.deepStrictEqual(
          both.ignore.map(({ state }) => state),
          ["applied", "expired", "unmatched"]
        )
        assert.deepStrictEqual(
          both.leaks.map(({ counts, fingerprint }) => [fingerprint, counts]),
          [
            [expired, true],
            [handled, false]
          ]
        )
      })
    )

    it.effect("a second run searches leaked values again, and clean ones not", () =>
      Effect.gen(function* () {
        const { token } = yield* TestService
        const folder = mkdtempSync(join(tmpdir(), "leak-check-"))
        const file = join(folder, "cache.json")
        const cached = (secrets: Given["secrets"] = []) =>
          check({ secrets }).pipe(Effect.provide(CleanCache.layer(cacheFile(file), Redacted.make(token))))
        const secrets = [leaked, unseen(1), unseen(2)]
        const first = yield* cached(secrets)
        const second = yield* cached(secrets)
        const third = yield* cached(secrets.slice(1))
        assert.deepStrictEqual(
          [first, second, third].map(({ planned, searches, verdict }) => [verdict, searches, planned.knownClean]),
          [
            ["leaked", 6, 0],
            ["leaked", 2, 2],
            ["clean", 0, 2]
          ]
        )
        assert.deepStrictEqual(
          leakedInto(new Map([["the cache", readFileSync(file)]]), {
            ...Object.fromEntries(secrets.map(({ name, value }) => [name, value])),
            token
          }),
          []
        )
        rmSync(folder, { recursive: true, force: true })
      })
    )

    it.effect("a key without the permission ends the run, with the name of the permission", () =>
      Effect.gen(function* () {
        const service = yield* TestService
        const token = yield* service.key({ permissions: ["Write Tenant"] })
        const error = yield* Effect.flip(check({ secrets: [leaked], token }))
        if (error._tag !== "SearchesRefused") return assert.fail(error.message)
        assert.strictEqual(error.refusal._tag, "Forbidden")
        assert.include(error.message, "Read Tenant")
        return assert.strictEqual(error.report.verdict, "incomplete")
      })
    )

    it.effect("if the token is refused during a run, nothing that was found is lost", () =>
      Effect.gen(function* () {
        const service = yield* TestService
        let served = 0
        const revoked: typeof fetch = (input, init) => {
          if (served++ < 4) return fetch(input, init)
          const headers = new Headers(init?.headers)
          headers.set("authorization", "Bearer of-a-key-that-was-revoked")
          return fetch(input, { ...init, headers })
        }
        const error = yield* Effect.flip(
          check({ secrets: [leaked, unseen(1), unseen(2), unseen(3)], token: service.token, fetch: revoked })
        )
        if (error._tag !== "SearchesRefused") return assert.fail(error.message)
        assert.strictEqual(error.refusal._tag, "Unauthorized")
        assert.strictEqual(error.report.verdict, "leaked")
        assert.strictEqual(error.report.leaks[0]?.credentials.length, 1)
        return assert.deepStrictEqual(left(error.report), [
          ["UNSEEN_2", "error"],
          ["UNSEEN_3", "error"]
        ])
      })
    )
  }
)

layer(TestService.layer({ sample: true, searchesAMonth: 5 }), { excludeTestServices: true })(
  "the leak check against a service with five searches left",
  (it) => {
    it.effect("leaked, then incomplete once the quota is spent, and never clean", () =>
      Effect.gen(function* () {
        const first = yield* check({ secrets: [leaked, unseen(1), unseen(2), unseen(3), unseen(4)] })
        assert.strictEqual(first.verdict, "leaked")
        assert.strictEqual(first.quotaRemaining, 0)
        assert.isAbove(first.unsearched.length, 1)
        assert.isTrue(first.unsearched.every(({ reason }) => reason === "quota"))
        const second = yield* check({ secrets: [unseen(5), unseen(6)] })
        assert.strictEqual(second.verdict, "incomplete")
        assert.deepStrictEqual(left(second), [
          ["UNSEEN_5", "quota"],
          ["UNSEEN_6", "quota"]
        ])
      })
    )
  }
)
