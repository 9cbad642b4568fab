import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as LeakCheck from "@threat-exposure/leak-check/LeakCheck"
import { commonPasswords, plainWords } from "@threat-exposure/leak-check/search/SearchEligibility"
import { domainOf, valuesOf } from "@threat-exposure/leak-check/target/Target"
import { candidate, input } from "../samples.ts"
import { script } from "../ScriptedService.ts"

const named = (name: string, value: string) => ({ name, value: Redacted.make(value) })

describe("Plan", () => {
  it.effect("named secrets first, then what the change adds, then domains, then the rest; by confidence", () =>
    Effect.gen(function* () {
      const plan = yield* LeakCheck.plan(
        input({
          candidates: [
            candidate("rest-low-rest", { confidence: 0.6 }),
            candidate("rest-high-rest", { confidence: 0.9 })
          ],
          added: [candidate("added-low-add", { confidence: 0.6 }), candidate("added-high-add", { confidence: 0.9 })],
          domains: ["example.com"],
          secrets: [named("TOKEN", "named-secret-1")]
        })
      )
      assert.deepStrictEqual(
        plan.searches
          .filter(({ of }) => of === "credentials")
          .map(({ target }) => (target._tag === "Domain" ? target.domain : Redacted.value(target.value))),
        ["named-secret-1", "added-high-add", "added-low-add", "example.com", "rest-high-rest", "rest-low-rest"]
      )
      assert.strictEqual(plan.summary, "5 values, 1 domain: 12 searches")
    })
  )

  it.effect("states its cost before any search", () =>
    Effect.gen(function* () {
      const summary = (values: number, domains: number, maxSearches = 200) =>
        Effect.map(
          LeakCheck.plan(
            input({
              candidates: Array.from({ length: values }, (_, i) => candidate(`secret-number-${i}`)),
              domains: Array.from({ length: domains }, (_, i) => `d${i}.example.com`),
              settings: { maxSearches }
            })
          ),
          (plan) => plan.summary
        )
      assert.strictEqual(yield* summary(41, 2), "41 values, 2 domains: 86 searches")
      assert.strictEqual(yield* summary(1, 0), "1 value: 2 searches")
      assert.strictEqual(yield* summary(0, 1), "1 domain: 2 searches")
      assert.strictEqual(
        yield* summary(1000, 0, 200),
        "1000 values: 200 searches; 1800 searches over the budget of 200"
      )
      assert.strictEqual(yield* summary(100, 0), "100 values: 200 searches")
      assert.strictEqual(yield* summary(0, 0), "nothing to search")
      assert.strictEqual(yield* summary(1, 0, 0), "1 value: 0 searches; 2 searches over the budget of 0")
    })
  )

  it.effect("never sends values that are not worth a search, and says why", () =>
    Effect.gen(function* () {
      const plan = yield* LeakCheck.plan(
        input({
          candidates: [candidate("weak-weak-weak", { confidence: 0.3 })],
          secrets: [
            named("SHORT", "12345"),
            named("MISSPELLED", ""),
            named("REGION", "eu-west-1"),
            named("ENVIRONMENT", "Production"),
            named("FILLER", "******"),
            named("REAL", " a-real-secret-1\n")
          ]
        })
      )
      assert.strictEqual(plan.searches.length, 2)
      assert.deepStrictEqual(
        plan.ineligible
          .map(({ reason, subject }) => [subject.type === "value" ? subject.names[0] : "", reason])
          .toSorted(),
        [
          ["ENVIRONMENT", "an everyday word, not a secret"],
          ["FILLER", "one character repeated"],
          ["REGION", "an everyday word, not a secret"],
          ["MISSPELLED", "empty: check that a value is stored under this name"],
          ["SHORT", "shorter than 6 characters"],
          [undefined, "confidence 0.30 is below 0.5"]
        ].toSorted()
      )
      const [search] = plan.searches
      assert.strictEqual(search?.target._tag === "Value" && Redacted.value(search.target.value), "a-real-secret-1")
    })
  )

  it.effect("masks no value that is so short that it is in every other word", () =>
    Effect.gen(function* () {
      // Secrets of workflows include switches.
      const secrets = [named("ENABLED", "1"), named("STAGE", "dev"), named("REGION", "eu-west-1")]
      const plan = yield* LeakCheck.plan({ ...input({ secrets }), hidden: secrets.map(({ value }) => value) })
      assert.deepStrictEqual([...new Set(plan.otherValues.map(Redacted.value))], ["eu-west-1"])
    })
  )

  it.effect("does not search a JSON Web Token that has expired", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 20))
      const token = (claims: object) =>
        [{ alg: "HS256", typ: "JWT" }, claims]
          .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
          .concat("c2lnbmF0dXJlLXNpZ25hdHVyZQ")
          .join(".")
      const at = (iso: string) => Date.parse(iso) / 1000
      const plan = yield* LeakCheck.plan(
        input({
          candidates: [
            candidate(token({ sub: "a", exp: at("2026-11-19T23:59:59Z") }), { kind: "jwt" }),
            candidate(token({ sub: "b", exp: at("2026-11-20T00:00:01Z") }), { kind: "jwt" }),
            candidate(token({ sub: "c" }), { kind: "jwt" })
          ],
          secrets: [named("OLD", token({ exp: at("2020-01-01T00:00:00Z") }))]
        })
      )
      assert.strictEqual(plan.searches.length, 4)
      assert.deepStrictEqual(
        plan.ineligible.map(({ reason }) => reason),
        ["a JSON Web Token that expired on 2020-01-01", "a JSON Web Token that expired on 2026-11-19"]
      )
    })
  )

  it.effect("each everyday word keeps a named secret from being searched", () =>
    Effect.gen(function* () {
      const plan = yield* LeakCheck.plan(input({ secrets: Array.from(plainWords, (word) => named(word, word)) }))
      assert.deepStrictEqual(
        plan.ineligible.flatMap(({ reason, subject }) =>
          reason === "an everyday word, not a secret" || subject.type === "domain" ? [] : subject.names
        ),
        []
      )
      assert.deepStrictEqual(plan.searches, [])
    })
  )

  it.effect("does not send a named placeholder or a well-known password, and says so", () =>
    Effect.gen(function* () {
      const placeholder = "a placeholder, not a secret"
      const known = /^a well-known password/u
      const plan = yield* LeakCheck.plan(
        input({
          secrets: [
            ...["your-api-key-here", "<token>", "xxxx-xxxx", "REPLACE_ME", "my-secret-key"].map((value) =>
              named(`placeholder ${value}`, value)
            ),
            ...["sunshine", "Sunshine1", "Summer2026!", "letmein", "password123", "qwerty123"].map((value) =>
              named(`known ${value}`, value)
            ),
            // Each contains a word from above, but is none of them.
            ...["sunshine-otter-42", "sunlight-of-may", "https://hooks.example.com/T0/B1", "Ab3xxxx9kQ-Tz7Lw"].map(
              (value) => named(`sent ${value}`, value)
            ),
            named("sent KEY", `-----BEGIN ${"PRIVATE"} KEY-----\n${"kQ3v".repeat(30)}\n-----END ${"PRIVATE"} KEY-----`)
          ]
        })
      )
      assert.strictEqual(plan.ineligible.length, 11)
      for (const { reason, subject } of plan.ineligible) {
        const [name = ""] = subject.type === "value" ? subject.names : []
        if (name.startsWith("placeholder ")) assert.strictEqual(reason, placeholder, name)
        else assert.match(`${name}: ${reason}`, new RegExp(`^known .*: ${known.source.slice(1)}`, "u"))
      }
      assert.strictEqual(plan.searches.length, 10)
    })
  )

  it.effect("no common password is sent", () =>
    Effect.gen(function* () {
      const plan = yield* LeakCheck.plan(
        input({ secrets: Array.from(commonPasswords, (word) => named(word, `${word}2026!`)) })
      )
      assert.deepStrictEqual(plan.searches, [])
      for (const word of commonPasswords) assert.match(word, /^[a-z0]{5,}$/u)
    })
  )

  it.effect("a word that the detector did not reject is sent if it is a candidate", () =>
    Effect.gen(function* () {
      const plan = yield* LeakCheck.plan(input({ candidates: [candidate("eu-west-1", { confidence: 0.9 })] }))
      assert.strictEqual(plan.searches.length, 2)
    })
  )

  it("a value with several locations or names is one target with all of them", () => {
    const [target, ...more] = valuesOf(
      [named("A", "same-same-1"), named("B", "same-same-1\n"), named("A", "same-same-1")],
      [candidate("same-same-1", { path: "b", confidence: 0.7 })],
      [
        candidate("same-same-1", { path: "a" }),
        candidate("same-same-1", { path: "b", confidence: 0.9, kind: "provider-token" })
      ]
    )
    assert.deepStrictEqual(more, [])
    assert.deepInclude(target, { kind: "provider-token", names: ["A", "B"], isAdded: true, confidence: 1 })
    assert.deepStrictEqual(
      target?.places.map(({ location }) => location.path),
      ["b", "a"]
    )
  })

  it.effect("no plan exceeds its budget", () =>
    Effect.gen(function* () {
      for (const maxSearches of [0, 1, 2, 3, 7, 40, 1000]) {
        const plan = yield* LeakCheck.plan(
          input({
            candidates: Array.from({ length: 20 }, (_, i) => candidate(`secret-number-${i}`)),
            settings: { maxSearches }
          })
        )
        const { layer, seen } = script(({ of }) => ({ items: [], next: of === "events" ? "more" : null }))
        const report = yield* LeakCheck.run(plan).pipe(Effect.provide(layer))
        assert.strictEqual(seen.calls.length, Math.min(40, maxSearches))
        assert.strictEqual(report.searches, seen.calls.length)
        assert.strictEqual(plan.searches.length, seen.calls.length)
      }
    })
  )

  it("recognises domains", () => {
    assert.deepStrictEqual(
      ["Example.COM", "mail.example.com.", "bücher.example", "_dmarc.example.com", "xn--bcher-kva.example"].map(
        domainOf
      ),
      ["example.com", "mail.example.com", "xn--bcher-kva.example", "_dmarc.example.com", "xn--bcher-kva.example"]
    )
    for (const text of [
      "",
      "localhost",
      "a b.example",
      "https://example.com",
      "example.com/x",
      "a@example.com",
      "10.0.0.1",
      "example.com:80",
      "-.example",
      "*.example.com",
      "..",
      "%65xample.com"
    ]) {
      assert.isUndefined(domainOf(text), text)
    }
  })
})
