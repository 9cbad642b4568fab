import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Credentials } from "../../src/client/Credentials.ts"
import { Events } from "../../src/client/Events.ts"
import { IdentifierGroups } from "../../src/client/IdentifierGroups.ts"
import { Identifiers } from "../../src/client/Identifiers.ts"
import { Intel } from "../../src/client/Intel.ts"
import { MatchingPolicies } from "../../src/client/MatchingPolicies.ts"
import { Recommendations } from "../../src/client/Recommendations.ts"
import { Reports } from "../../src/client/Reports.ts"
import { Tenants } from "../../src/client/Tenants.ts"
import { wrongAnswers } from "../../testing/WrongAnswers.ts"
import { makeScript, over } from "./Script.ts"

const query = { type: "domain", fqdn: "example.com" } as const

const listings = {
  "a search of credentials": Effect.flatMap(Credentials, (credentials) =>
    Stream.runDrain(credentials.search({ query }))
  ),
  "pages of credentials": Effect.flatMap(Credentials, (credentials) => Stream.runDrain(credentials.pages({ query }))),
  "a search of events": Effect.flatMap(Events, (events) => Stream.runDrain(events.search({ query }))),
  "pages of events": Effect.flatMap(Events, (events) => Stream.runDrain(events.pages({ query }))),
  "events of an identifier": Effect.flatMap(Events, (events) => Stream.runDrain(events.ofIdentifier(1))),
  recommendations: Effect.flatMap(Recommendations, (recommendations) => Stream.runDrain(recommendations.list()))
}

const answers = {
  "groups of identifiers": Effect.flatMap(IdentifierGroups, (groups) => groups.list()),
  "types of events": Effect.flatMap(Events, (events) => events.types()),
  "tenants of the key": Effect.flatMap(Tenants, (tenants) => tenants.mine()),
  "users of a tenant": Effect.flatMap(Tenants, (tenants) => tenants.users(1)),
  "an event": Effect.flatMap(Events, (events) => events.get("a/b/c")),
  "an identifier": Effect.flatMap(Identifiers, (identifiers) => identifiers.get(1)),
  "a group": Effect.flatMap(IdentifierGroups, (groups) => groups.get(1)),
  "a policy": Effect.flatMap(MatchingPolicies, (policies) => policies.get("5d0b1f6a-3c52-4e0e-8a27-6f1d9c4b7e10")),
  "a report": Effect.flatMap(Reports, (reports) => reports.get("1")),
  "an answer to a question": Effect.flatMap(Intel, (intel) => intel.get("5d0b1f6a-3c52-4e0e-8a27-6f1d9c4b7e10"))
}

/** Operations that accept the answer, because their response has a field of the same name. */
const similar: Readonly<Record<string, string>> = {
  "a page in a page": "an event, an identifier",
  "a list of errors": "an event, an identifier",
  "a status": "a report, an answer to a question"
}

describe("an answer that is none", () => {
  for (const [name, call] of Object.entries({ ...listings, ...answers })) {
    it.effect(`is no answer to a request for ${name}`, () =>
      Effect.gen(function* () {
        for (const [wrong, answer] of wrongAnswers) {
          if (similar[wrong]?.split(", ").includes(name) === true) continue
          const script = yield* makeScript(answer())
          const failure = yield* Effect.flip(call.pipe(over(script.layer())))
          assert.strictEqual(failure._tag, "UnexpectedResponse", wrong)
          assert.lengthOf(script.sent, 1, wrong)
        }
      })
    )
  }
})

const policy = "5d0b1f6a-3c52-4e0e-8a27-6f1d9c4b7e10"

/** Operations whose response only has a status. */
const changes = {
  "an action on events": Effect.flatMap(Events, (events) => events.act(["a/b/c"], "ignore")),
  "an action on credentials": Effect.flatMap(Credentials, (credentials) => credentials.act(["hash"], "ignore")),
  "the deletion of an identifier": Effect.flatMap(Identifiers, (identifiers) => identifiers.delete(1)),
  "the deletion of a group": Effect.flatMap(IdentifierGroups, (groups) => groups.delete(1)),
  "an assignment": Effect.flatMap(MatchingPolicies, (policies) => policies.assign(policy, { identifier_ids: [1] })),
  "the removal of a user": Effect.flatMap(Tenants, (tenants) => tenants.removeUser(1, 2))
}

const errors = [
  { error: { code: "INTERNAL", message: "failed" } },
  { error: "failed" },
  { message: "failed", code: "INTERNAL" },
  { message: "failed", code: 500 },
  { errors: [{ message: "failed" }] },
  { success: false },
  { ok: false },
  { detail: [{ loc: ["body"], msg: "failed", type: "value_error" }] }
]

describe("an error with the status of a success", () => {
  for (const [name, call] of Object.entries(listings)) {
    it.effect(`is no empty page of ${name}`, () =>
      Effect.gen(function* () {
        for (const items of [[], null]) {
          for (const error of [...errors, { detail: "failed" }]) {
            const script = yield* makeScript(Response.json({ items, next: null, ...error }))
            const failure = yield* Effect.flip(call.pipe(over(script.layer())))
            assert.strictEqual(failure._tag, "UnexpectedResponse", JSON.stringify(error))
          }
          for (const more of [{ total: 0 }, { message: "nothing found" }, { error: null, errors: [], success: true }]) {
            const script = yield* makeScript(Response.json({ items, next: null, ...more }))
            yield* call.pipe(over(script.layer()))
          }
        }
      })
    )
  }

  for (const [name, call] of Object.entries(changes)) {
    it.effect(`is no answer to ${name}`, () =>
      Effect.gen(function* () {
        for (const error of errors) {
          const script = yield* makeScript(Response.json(error))
          const failure = yield* Effect.flip(call.pipe(over(script.layer())))
          assert.strictEqual(failure._tag, "UnexpectedResponse", JSON.stringify(error))
        }
        for (const ignored of [{}, { message: "done" }, { status: "ok" }, null, []]) {
          const script = yield* makeScript(Response.json(ignored))
          yield* call.pipe(over(script.layer()))
        }
      })
    )
  }
})
