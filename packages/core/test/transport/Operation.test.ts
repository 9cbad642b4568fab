import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../src/client/ApiError.ts"
import { Credentials } from "../../src/client/Credentials.ts"
import { Events } from "../../src/client/Events.ts"
import { IdentifierGroups } from "../../src/client/IdentifierGroups.ts"
import { Identifiers } from "../../src/client/Identifiers.ts"
import { Intel } from "../../src/client/Intel.ts"
import { MatchingPolicies } from "../../src/client/MatchingPolicies.ts"
import { Recommendations } from "../../src/client/Recommendations.ts"
import { Tenants } from "../../src/client/Tenants.ts"
import { CredentialQuery } from "../../src/domain/Credential.ts"
import { EventQuery } from "../../src/domain/Event.ts"
import { severities } from "../../src/domain/Severity.ts"
import { json, makeScript, over } from "./Script.ts"

const domain = { type: "domain", fqdn: "example.com" } as const

describe("a request that breaks a rule", () => {
  type Call = Effect.Effect<
    unknown,
    ApiError,
    Credentials | Events | Identifiers | MatchingPolicies | Recommendations | Tenants
  >
  /** A value that an untyped program may pass. */
  const untyped = (value: unknown) => Object(value)
  const credentials = (request: unknown) =>
    Effect.flatMap(Credentials, (credentials) => Stream.runDrain(credentials.search(untyped(request))))
  const events = (request: unknown) =>
    Effect.flatMap(Events, (events) => Stream.runDrain(events.search(untyped(request))))
  const ofIdentifier = (id: unknown, request: unknown = {}) =>
    Effect.flatMap(Events, (events) => Stream.runDrain(events.ofIdentifier(untyped(id).valueOf(), untyped(request))))

  const broken: ReadonlyArray<readonly [string, Call, ...Array<string>]> = [
    ["a page of credentials of 0", credentials({ query: domain, size: 0 }), "size", "1 and 10000"],
    ["a page of credentials of 10,001", credentials({ query: domain, size: 10_001 }), "size", "1 and 10000"],
    ["half a credential", credentials({ query: domain, size: 1.5 }), "size"],
    ["credentials without a query", credentials({}), "query"],
    [
      "a query of no known type",
      credentials({ query: { type: "zip" } }),
      ...CredentialQuery.members.map(({ fields }) => fields.type.literal)
    ],
    [
      "a query that is none",
      events({ query: "example.com" }),
      ...EventQuery.members.map(({ fields }) => fields.type.literal)
    ],
    ["a word that is not known", events({ filters: { severity: "huge" } }), ...severities],
    ["a query without its field", credentials({ query: { type: "email" } }), "query.email"],
    ["a filter at the wrong level", credentials({ query: domain, imported_at: {} }), "imported_at", "unknown field"],
    [
      "a bound that is no time",
      credentials({ query: domain, filters: { imported_at: { gte: "soon" } } }),
      "imported_at.gte"
    ],
    ["an order of its own", credentials({ query: domain, order: "up" }), "order: Expected one of asc, desc"],
    [
      "an include that does not exist",
      credentials({ query: domain, include: ["all"] }),
      "include.0: Expected one of known_password_id, auth_domains, urls"
    ],
    ["a page of events of 11", events({ size: 11 }), "size", "1 and 10"],
    ["an event type that is no text", ofIdentifier(1, { filters: { type: [5] } }), "filters.type.0"],
    ["an event status in a global search", events({ filters: { status: ["open"] } }), "filters.status"],
    ["an identifier that is not a number", ofIdentifier("seven"), "identifier_id"],
    [
      "a page of recommendations of 101",
      Effect.flatMap(Recommendations, (list) => Stream.runDrain(list.list({ size: 101 }))),
      "size"
    ],
    [
      "a page of assignments of 0",
      Effect.flatMap(MatchingPolicies, (policies) => Stream.runDrain(policies.assignments("uuid", { size: 0 }))),
      "size"
    ],
    [
      "an identifier without a name",
      Effect.flatMap(Identifiers, (all) => all.createV2({ name: "" })),
      "name: Expected at least one"
    ],
    [
      "a user that is not a number",
      Effect.flatMap(Tenants, (tenants) => tenants.addUsers(1, untyped({ users: [{ user_id: "x" }] }))),
      "users.0.user_id"
    ],
    ["an event without a name", Effect.flatMap(Events, (events) => events.get("")), "uid: Expected at least one"],
    [
      "an assignment to no policy",
      Effect.flatMap(MatchingPolicies, (policies) => policies.assign("", { identifier_ids: [] })),
      "policy_uuid"
    ],
    [
      "assignments of no policy",
      Effect.flatMap(MatchingPolicies, (policies) => Stream.runDrain(policies.assignments(""))),
      "policy_uuid"
    ],
    ["a policy without a name", Effect.flatMap(MatchingPolicies, (policies) => policies.delete("")), "policy_uuid"],
    ["a policy that climbs", Effect.flatMap(MatchingPolicies, (policies) => policies.delete("..")), "policy_uuid"]
  ]

  for (const [rule, call, ...words] of broken) {
    it.effect(`is not sent: ${rule}`, () =>
      Effect.gen(function* () {
        const script = yield* makeScript(json({}))
        const error = yield* Effect.flip(call).pipe(over(script.layer()))
        assert.strictEqual(error._tag, "RequestInvalid")
        for (const word of words) assert.include(error.message, word)
        assert.strictEqual(script.sent.length, 0)
      })
    )
  }

  it.effect("names every fault, and no secret", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(json({}))
      const faulty = { query: { type: "secret", secret: ["correct-horse"] }, size: 0, order: "correct-horse" }
      const error = yield* Effect.flip(credentials(faulty)).pipe(over(script.layer()))
      for (const word of ["query.secret", "size", "order"]) assert.include(error.message, word)
      assert.notInclude(inspect(error, { showHidden: true, depth: 9 }), "correct-horse")
    })
  )
})

describe("a secret in a request", () => {
  it.effect("may be text, a redacted value, or a Secret of the Promise client", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(json({ items: [], next: null }))
      for (const secret of ["correct-horse", Redacted.make("correct-horse"), { reveal: () => "correct-horse" }]) {
        yield* Effect.gen(function* () {
          const credentials = yield* Credentials
          yield* Stream.runDrain(credentials.search({ query: { type: "secret", secret } }))
          const events = yield* Events
          yield* Stream.runDrain(events.search({ query: { type: "credentials", username: "a", password: secret } }))
        }).pipe(over(script.layer()))
      }
      assert.deepStrictEqual(
        script.sent.map(({ body }) => body),
        Array.from({ length: 3 }, () => [
          { query: { type: "secret", secret: "correct-horse" } },
          { query: { type: "credentials", username: "a", password: "correct-horse" } }
        ]).flat()
      )
    })
  )

  it.effect("is sent unchanged when it is an identifier", () =>
    Effect.gen(function* () {
      const script = yield* makeScript((sent) => json({ asset: { id: 1, ...Object(sent.body) } }))
      const roundTrip = Effect.gen(function* () {
        const identifiers = yield* Identifiers
        const created = yield* identifiers.createV2({ type: "secret", name: "correct-horse" })
        assert.notInclude(inspect(created), "correct-horse")
        yield* identifiers.createV2({ type: "secret", name: created.name, data: created.data })
      })
      yield* roundTrip.pipe(over(script.layer()))
      for (const { body } of script.sent) assert.deepInclude(Object(body), { name: "correct-horse" })
    })
  )
})

describe("an answer", () => {
  it.effect("has the link under one name, whatever the service calls it", () =>
    Effect.gen(function* () {
      const metadata = {
        estimated_created_at: "2026-01-01T00:00:00Z",
        uid: "a/b",
        severity: "low",
        type: "leak",
        word_url: "https://app.example.com/a/b"
      }
      const script = yield* makeScript((sent) =>
        sent.method === "GET"
          ? json({ event_type: "bucket", metadata, data: {} })
          : json({ items: [{ metadata, highlights: {} }], next: null })
      )
      const both = Effect.gen(function* () {
        const events = yield* Events
        const [found] = yield* Stream.runCollect(events.search())
        assert.strictEqual(found?.metadata.svc_url, "https://app.example.com/a/b")
        assert.strictEqual((yield* events.get("a/b")).metadata.svc_url, "https://app.example.com/a/b")
      })
      yield* both.pipe(over(script.layer({ linkField: "word_url" })))
    })
  )

  it.effect("is returned without its wrapper", () =>
    Effect.gen(function* () {
      const script = yield* makeScript(
        json({ asset: { id: 5, name: "example.com", type: "domain" } }),
        json({ assets_group: { id: 6, name: "ours" } }),
        json({ request_id: "0b2c7ad2-0000-4000-8000-000000000000" }),
        json([{ matching_policy: { uuid: "u", name: "n", policy_type: "INCLUDED_KEYWORDS", value: { keywords: [] } } }])
      )
      const all = Effect.gen(function* () {
        assert.deepInclude(yield* (yield* Identifiers).createV2({ name: "example.com" }), { id: 5 })
        assert.deepInclude(yield* (yield* IdentifierGroups).create({ name: "ours" }), { id: 6 })
        assert.deepStrictEqual(yield* (yield* Intel).ask({ question: "who?", tone: "analytical" }), {
          request_id: "0b2c7ad2-0000-4000-8000-000000000000"
        })
        assert.strictEqual((yield* (yield* MatchingPolicies).ofIdentifier(5))[0]?.matching_policy.uuid, "u")
      })
      yield* all.pipe(over(script.layer()))
      assert.deepStrictEqual(
        script.sent.map(({ method, url }) => `${method} ${new URL(url).pathname}`),
        [
          "POST /svc/v2/assets/",
          "POST /svc/v2/assets/groups/",
          "POST /svc/v4/threat_flow/intel/requests",
          "GET /svc/v4/matching-policies/by_identifier_id/5"
        ]
      )
    })
  )

  it.effect("that cannot be decoded is described without its values and keys", () =>
    Effect.gen(function* () {
      const metadata = { estimated_created_at: "2026", uid: "a", severity: "low", type: "leak" }
      for (const key of ["correct_horse", "a key\u001b[31m of a leak"]) {
        const script = yield* makeScript(json({ items: [{ metadata, highlights: { [key]: ["x", 5] } }], next: null }))
        const search = Effect.flatMap(Events, (events) =>
          Stream.runDrain(events.search({ query: { type: "secret", secret: "correct_horse" } }))
        )
        const error = yield* Effect.flip(search).pipe(over(script.layer()))
        assert.strictEqual(error._tag, "UnexpectedResponse")
        assert.include(error.message, "items.0.highlights")
        assert.notInclude(inspect(error), "correct_horse")
        assert.notInclude(inspect(error), "of a leak")
      }
    })
  )
})
