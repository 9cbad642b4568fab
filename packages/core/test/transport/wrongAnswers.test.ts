import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Credentials } from "../../src/client/Credentials.ts"
import { Events } from "../../src/client/Events.ts"
import { Recommendations } from "../../src/client/Recommendations.ts"
import { wrongAnswers } from "../../src/testing/WrongAnswers.ts"
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

describe("an answer that is none", () => {
  for (const [name, listing] of Object.entries(listings)) {
    it.effect(`is no empty page to ${name}`, () =>
      Effect.gen(function* () {
        for (const [wrong, answer] of wrongAnswers) {
          const script = yield* makeScript(answer())
          const failure = yield* Effect.flip(listing.pipe(over(script.layer())))
          assert.strictEqual(failure._tag, "UnexpectedResponse", wrong)
          assert.lengthOf(script.sent, 1, wrong)
        }
      })
    )
  }
})
