import { assert, describe, it } from "@effect/vitest"
import { decodeAnalysis, encodeAnalysis } from "@threat-exposure/service/events/EventAnalysis"
import { type EventContent, eventDocument } from "@threat-exposure/service/events/EventDocument"
import { expressionOf } from "@threat-exposure/service/matching/EventQueries"
import { type Expression, matches, or, phrase, termExpression } from "@threat-exposure/service/search/Expression"
import { highlightsOf, titleOf } from "@threat-exposure/service/search/Highlights"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { sampleOf } from "@threat-exposure/sample/Sample"
import { plantedEvents } from "@threat-exposure/service/testing/PlantedEvents"
import { DateTime, Effect, Result } from "effect"
import * as fc from "fast-check"
import { DatabaseForTest } from "../DatabaseForTest.ts"

const piece = fc.constantFrom(
  "alpha",
  "beta ",
  " ",
  "<mark>",
  "password=tiger ",
  "jane@example.com:tiger\n",
  "https://jane:tiger@example.com/a ",
  "a1b2c3d4e5f6g7h8 ",
  "192.0.2.1 ",
  "東京",
  "🐅"
)
const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""))
const data = fc.record({
  title: text,
  content: text,
  password: text,
  username: text,
  posted_at: text,
  victim: fc.record({ name: text, pins: fc.array(fc.oneof(text, fc.integer()), { maxLength: 3 }) }),
  tags: fc.array(fc.record({ name: text }), { maxLength: 2 }),
  nothing: fc.constantFrom(null, true, 1.5)
})

describe("EventAnalysis", () => {
  it.effect("highlights, titles and matches as the event itself does, to the byte", () =>
    Effect.gen(function* () {
      const { vault } = yield* Database
      const queries = ["alpha", "beta alpha", "a1b2c3d4e5f6g7h8", "東京", "domain:example.com", "tiger", "alp*"]
      const expressions = queries.map((query_string) =>
        Result.getOrThrow(expressionOf(vault, { type: "query_string", query_string }))
      )
      let highlighted = 0
      const compare = (event: EventContent) => {
        const fresh = eventDocument(vault, event)
        const restored = decodeAnalysis(vault, event.data, encodeAnalysis(fresh))
        const everything: Expression = or(
          ...[...fresh.terms.values()].map(({ kind, value }) => termExpression({ kind, value })),
          ...fresh.texts.flatMap(({ words }) => words.slice(0, 20).map(({ text }) => phrase([text])))
        )
        for (const expression of [...expressions, everything]) {
          const highlights = JSON.stringify(highlightsOf(expression, fresh))
          assert.strictEqual(JSON.stringify(highlightsOf(expression, restored)), highlights)
          assert.strictEqual(matches(expression, restored), matches(expression, fresh))
          if (highlights !== "{}") highlighted += 1
        }
        assert.strictEqual(titleOf(restored), titleOf(fresh))
      }
      const { events } = sampleOf(yield* DateTime.now)
      for (const event of events) compare(event)
      for (const { event } of plantedEvents()) compare(event)
      assert.isAbove(highlighted, events.length)
      fc.assert(
        fc.property(data, (data) => compare({ event_type: "paste", metadata: { severity: "low" }, data })),
        { seed: 12, numRuns: 500 }
      )
    }).pipe(Effect.provide(DatabaseForTest))
  )
})
