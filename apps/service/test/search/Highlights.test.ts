import { assert, describe, it } from "@effect/vitest"
import { expressionOf } from "@threat-exposure/service/matching/EventQueries"
import { highlightsOf, mask } from "@threat-exposure/service/search/Highlights"
import { eventDocument } from "@threat-exposure/service/events/EventDocument"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { DatabaseForTest } from "../DatabaseForTest.ts"
import { eventForTest } from "../ServiceForTest.ts"

const highlights = (query_string: string, data: unknown) =>
  Effect.map(Database, ({ vault }) =>
    highlightsOf(
      Result.getOrThrow(expressionOf(vault, { type: "query_string", query_string })),
      eventDocument(vault, eventForTest(1, "paste", data))
    )
  )

const provided = Effect.provide(DatabaseForTest)

describe("Highlights", () => {
  it.effect("mark the matches as written, by field, and nothing that was excluded", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* highlights('"Éxample corp" leak* NOT absent', {
          title: "EXAMPLE-Corp leaks",
          content: "an example. Corp or a leak, <b>raw & hostile</b>",
          context: { topic_title: "nothing" },
          tags: [{ name: "Leaky" }, { name: "leaked" }]
        }),
        {
          title: "<mark>EXAMPLE-Corp</mark> <mark>leaks</mark>".split("\n"),
          content: ["an <mark>example. Corp</mark> or a <mark>leak</mark>, <b>raw & hostile</b>"],
          "tags.name": ["<mark>Leaky</mark>", "<mark>leaked</mark>"]
        }
      )
      assert.deepStrictEqual(yield* highlights("a AND missing OR b", { content: "a b" }), {
        content: ["a <mark>b</mark>"]
      })
    }).pipe(provided)
  )

  it.effect("mark nothing in a text that contains marks itself", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* highlights("needle", { content: "a <mark>fake</mark> <EM>one</em>, <mark>needle</mark>" }),
        {
          content: ["a ‹mark>fake‹/mark> ‹EM>one‹/em>, ‹mark><mark>needle</mark>‹/mark>"]
        }
      )
    }).pipe(provided)
  )

  it.effect("are a few short passages of a long text", () =>
    Effect.gen(function* () {
      const content = Array.from({ length: 20 }, (_, at) => `${"lorem ipsum ".repeat(40)}needle${at} `).join("")
      const { content: passages = [] } = yield* highlights("needle*", { content })
      assert.lengthOf(passages, 3)
      for (const [at, passage] of passages.entries()) {
        assert.include(passage, `<mark>needle${at}</mark>`)
        assert.isBelow(passage.length, 220)
        assert.match(passage, /^…(?:lorem|ipsum) .*(?:lorem|ipsum|needle\d+<\/mark>)…$/)
      }
    }).pipe(provided)
  )

  it.effect("never show a masked value or half a character, wherever the passage is cut", () =>
    Effect.gen(function* () {
      const { vault } = yield* Database
      const expression = Result.getOrThrow(expressionOf(vault, { type: "keyword", keyword: "needle" }))
      fc.assert(
        fc.property(
          fc.array(
            fc.constantFrom(
              "needle ",
              "x ",
              "password=tiger-woods ",
              "🐅",
              "🐅 ",
              "long-run-without-a-space-",
              "jane@example.com:tiger-woods\n"
            ),
            {
              maxLength: 60
            }
          ),
          (pieces) => {
            const event = eventDocument(vault, eventForTest(1, "paste", { content: pieces.join("") }))
            for (const passage of highlightsOf(expression, event)["content"] ?? []) {
              assert.notMatch(passage, /tiger|woods/)
              assert.isTrue(passage.isWellFormed())
              assert.include(passage, "<mark>needle</mark>")
              assert.strictEqual(passage.replaceAll(mask, "").includes("•"), false)
            }
          }
        ),
        { seed: 5, numRuns: 2_000 }
      )
    }).pipe(provided)
  )
})
