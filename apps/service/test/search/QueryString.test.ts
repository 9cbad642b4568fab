import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { expressionOf, queryFaults } from "@threat-exposure/service/matching/EventQueries"
import type { StoredEvent } from "@threat-exposure/service/events/EventStore"
import { loadEventsJob } from "@threat-exposure/service/testing/PublishedRecords"
import { type Expression, matches } from "@threat-exposure/service/search/Expression"
import { eventDocument } from "@threat-exposure/service/events/EventDocument"
import {
  maxGroupDepth,
  maxQueryLength,
  maxTermLength,
  maxWords,
  type QueryStringInvalid
} from "@threat-exposure/service/search/QueryString"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { fullTextQuery } from "@threat-exposure/service/sqlite/database/FullTextQuery"
import { DatabaseForTest } from "../DatabaseForTest.ts"

const event = (uid: string, event_type: string, data: unknown, severity = "medium"): StoredEvent => ({
  event_type,
  metadata: { uid, severity, estimated_created_at: "2026-01-02T03:04:05Z" },
  data
})

const events: ReadonlyArray<StoredEvent> = [
  event("t/paste/1", "paste", { title: "Dump of Acme", content: "alpha beta gamma, jane@mail.example.com" }),
  event("t/forum/2", "forum_post", { content: "beta alpha\ndelta", actor: { name: "Übel Täter" } }, "high"),
  event("t/chat/3", "chat_message", { content: "alphabet soup 東京タワー", actor: { name: "gamma" } }, "low"),
  event(
    "t/stealer/4",
    "stealer_log",
    { victim_information: { ip_address: "192.0.2.7", os: "Windows 11" } },
    "critical"
  ),
  event("t/leak/5", "leaked_credential", { identity_name: "joe@example.org", password: "alpha beta" })
]

const loaded = Effect.gen(function* () {
  const database = yield* Database
  yield* database.write(loadEventsJob, { events, now: "2026-01-03T00:00:00Z" })
  return database
})

const search = (database: Database["Service"], expression: Expression): ReadonlyArray<string> =>
  database.connection
    .prepare(
      "SELECT uid FROM event_index JOIN events e ON e.id = event_index.rowid WHERE event_index MATCH ? ORDER BY uid"
    )
    .all(fullTextQuery(database.vault, expression))
    .map(({ uid }) => String(uid))

const parse = (database: Database["Service"], text: string) =>
  expressionOf(database.vault, { type: "query_string", query_string: text })

describe("QueryString", () => {
  const finds: ReadonlyArray<readonly [query: string, ...uids: ReadonlyArray<string>]> = [
    ["alpha", "t/forum/2", "t/paste/1"],
    ["ALPHA", "t/forum/2", "t/paste/1"],
    ["alpha*", "t/chat/3", "t/forum/2", "t/paste/1"],
    ["alpha delta", "t/forum/2", "t/paste/1"],
    ["alpha OR soup", "t/chat/3", "t/forum/2", "t/paste/1"],
    ["alpha AND delta", "t/forum/2"],
    ['"alpha beta"', "t/paste/1"],
    ["alpha NOT delta", "t/paste/1"],
    ["alpha AND NOT delta", "t/paste/1"],
    ["soup OR NOT alpha", "t/chat/3", "t/leak/5", "t/stealer/4"],
    ["NOT alpha", "t/chat/3", "t/leak/5", "t/stealer/4"],
    ["NOT (alpha OR soup)", "t/leak/5", "t/stealer/4"],
    ["soup alpha AND delta", "t/chat/3", "t/forum/2"],
    ["(soup alpha) AND delta", "t/forum/2"],
    ["title:acme", "t/paste/1"],
    ["content:acme"],
    ["actor:gamma", "t/chat/3"],
    ["content:(gamma delta)", "t/forum/2", "t/paste/1"],
    ['content:"beta alpha"', "t/forum/2"],
    ["ubel", "t/forum/2"],
    ["jane@mail.example.com", "t/paste/1"],
    ["東京", "t/chat/3"],
    ["domain:example.com", "t/paste/1"],
    ["email:JANE@mail.example.com", "t/paste/1"],
    ["ip:192.0.2.7 OR username:joe", "t/leak/5", "t/stealer/4"],
    ["severity:high", "t/forum/2"],
    ["type:infected_devices", "t/stealer/4"],
    ["type:leaked_credential", "t/leak/5"],
    ["*", "t/chat/3", "t/forum/2", "t/leak/5", "t/paste/1", "t/stealer/4"],
    ["* NOT type:paste", "t/chat/3", "t/forum/2", "t/leak/5", "t/stealer/4"],
    ["and"],
    [String.raw`\NOT`],
    ["alpha & delta", "t/forum/2", "t/paste/1"],
    ["alpha -delta", "t/paste/1"],
    ["alpha !delta", "t/paste/1"],
    ["-alpha", "t/chat/3", "t/leak/5", "t/stealer/4"],
    ['alpha -"beta alpha" -title:nothing', "t/paste/1"],
    ["-(alpha OR soup)", "t/leak/5", "t/stealer/4"],
    ["+alpha delta", "t/forum/2", "t/paste/1"],
    ["+alpha +delta soup", "t/forum/2"],
    ["+alpha -content:delta soup", "t/paste/1"],
    ["soup (+alpha)", "t/chat/3", "t/forum/2", "t/paste/1"],
    ["content:(+gamma -delta)", "t/paste/1"],
    ["+(gamma soup) -title:acme", "t/chat/3"],
    ["+-alpha soup", "t/chat/3", "t/leak/5", "t/stealer/4"],
    ["alpha && delta", "t/forum/2"],
    ["delta || soup", "t/chat/3", "t/forum/2"],
    [String.raw`\-alpha`, "t/forum/2", "t/paste/1"],
    [String.raw`alpha\? "delta~2"`, "t/forum/2", "t/paste/1"],
    ['""']
  ]
  it.effect("finds what the language promises", () =>
    Effect.gen(function* () {
      const database = yield* loaded
      for (const [query, ...uids] of finds) {
        const expression = Result.getOrThrow(parse(database, query))
        assert.deepStrictEqual(search(database, expression), uids, query)
      }
    }).pipe(Effect.provide(DatabaseForTest))
  )

  const refusals: ReadonlyArray<readonly [query: string, position: number]> = [
    ["", 0],
    ["  ", 0],
    ["&&", 0],
    ["foo -", 5],
    ["foo - AND bar", 6],
    ["-", 1],
    ["title:-foo", 6],
    ["foo [a TO b]", 4],
    ["bin:{400000 TO 400010}", 4],
    ["foo bin:>=400000", 8],
    ["foo /ba[rz]/", 4],
    ["foo ba?", 6],
    ["foo~", 3],
    ["foo~0.8", 3],
    ['"foo bar"~2', 9],
    ["foo^2", 3],
    ["(foo bar)^2", 9],
    ["foo (bar", 4],
    ["foo) bar", 3],
    ['say "this', 4],
    ["AND foo", 0],
    ["foo AND", 7],
    ["foo OR", 6],
    ["OR foo", 0],
    ["foo AND OR bar", 8],
    ["NOT", 3],
    ["()", 0],
    ["fo*o", 2],
    ["f*", 0],
    ["title:*", 6],
    ["nowhere:foo", 0],
    ["title:", 6],
    ["title:(content:foo)", 7],
    ["ip:nonsense", 3],
    ["email:foo*", 6],
    ["a".repeat(maxQueryLength + 1), maxQueryLength],
    [`foo ${"a".repeat(maxTermLength + 1)}`, 4],
    [`foo "${"a ".repeat(maxTermLength)}"`, 4],
    [`${"w ".repeat(maxWords)}one too many`, 2 * maxWords],
    [`${"(".repeat(maxGroupDepth + 1)}foo${")".repeat(maxGroupDepth + 1)}`, maxGroupDepth],
    [`${"NOT ".repeat(maxGroupDepth + 1)}foo`, 4 * maxGroupDepth],
    [`${"-+".repeat(maxGroupDepth)}foo`, maxGroupDepth]
  ]
  it.effect("refuses an invalid query, and reports the position", () =>
    Effect.gen(function* () {
      const database = yield* Database
      for (const [query, position] of refusals) {
        const refusal = Result.getOrThrow(Result.flip(parse(database, query)))
        assert.strictEqual(refusal.position, position, query)
        assert.include(refusal.message, `at character ${position}`)
        const named = / (?=\[a TO b\]|>=5|\/a\/|\?|~2|\^2)\S+ .*is not supported: put the word in quotes/u
        if (/[[{>/?~^]/u.test(query)) assert.match(refusal.message, named, query)
      }
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it.effect("takes a query of 10,000 characters, as deployed services do", () =>
    Effect.gen(function* () {
      const query = `${"a".repeat(199)} `.repeat(50)
      assert.lengthOf(query, 10_000)
      assert.isTrue(Result.isSuccess(parse(yield* Database, query)))
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it("refuses an invalid query without a look for secrets in it", () => {
    let looked = 0
    const blindIndex = {
      blindIndex: () => {
        looked += 1
        return new Uint8Array(16)
      }
    }
    const token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    const of = (query_string: string) => expressionOf(blindIndex, { type: "query_string", query_string })
    assert.isTrue(Result.isSuccess(of(token)))
    assert.strictEqual(looked, 1)
    for (const query of [`${token} (`, `${token} "`, `${token} AND`, `${token} ${"w ".repeat(maxWords)}`]) {
      assert.isTrue(Result.isFailure(of(query)))
      assert.isNotEmpty(queryFaults(blindIndex, { type: "query_string", query_string: query }))
    }
    assert.isEmpty(queryFaults(blindIndex, { type: "query_string", query_string: token }))
    assert.strictEqual(looked, 1)
  })

  it.effect("names in advance what makes a query invalid", () =>
    Effect.gen(function* () {
      const { vault } = yield* Database
      const hidden = Array.from({ length: 30 }, (_, at) => `https://user:pa-ss-w0-rd${at}@a.example.com`)
      const check = (query_string: string) => {
        const query = { type: "query_string", query_string } as const
        const read = expressionOf(vault, query)
        const place = ({ position, reason }: QueryStringInvalid) => ({ position, reason })
        assert.deepStrictEqual(
          queryFaults(vault, query).map(place),
          Result.isFailure(read) ? [place(read.failure)] : [],
          query_string
        )
      }
      for (const query of [hidden.join(" "), `"${"a-b ".repeat(65)}"`, "w ".repeat(maxWords), "a-b ".repeat(64)])
        check(query)
      fc.assert(fc.property(fc.oneof(...queryLike), check), { seed: 4_3, numRuns: 1_000 })
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it.effect("reads the deepest groups it allows", () =>
    Effect.gen(function* () {
      const database = yield* loaded
      const deep = (inner: string) =>
        Array.from({ length: Math.floor(maxGroupDepth / 3) }).reduce<string>(
          (text) => `(alpha OR NOT (delta AND ${text}))`,
          inner
        )
      const expression = Result.getOrThrow(parse(database, deep("soup")))
      assert.isNotEmpty(search(database, expression))
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it.effect("never causes an error of the engine, which finds the same as a search in memory", () =>
    Effect.gen(function* () {
      const database = yield* loaded
      const indexed = events.map((stored) => [stored.metadata.uid, eventDocument(database.vault, stored)] as const)
      let read = 0
      const check = (query: string) => {
        const expression = parse(database, query)
        if (Result.isFailure(expression)) return
        read += 1
        const holding = indexed.filter(([, each]) => matches(expression.success, each)).map(([uid]) => uid)
        assert.deepStrictEqual(search(database, expression.success), holding.toSorted())
      }
      const numRuns = process.env["LONG_PROPERTIES"] === "true" ? 30_000 : 3_000
      fc.assert(fc.property(fc.oneof(...queryLike), check), { seed: 4_2, numRuns })
      assert.isAbove(read, numRuns * 0.4)
    }).pipe(Effect.provide(DatabaseForTest))
  )
})

const piece = fc.oneof(
  fc.constantFrom(
    "alpha",
    "beta",
    "gamma",
    "delta",
    "soup",
    "acme",
    "jane@mail.example.com",
    "東京",
    "Übel",
    "alph*",
    "*",
    "AND",
    "OR",
    "NOT",
    "(",
    ")",
    '"',
    '"alpha beta"',
    '"beta alpha"',
    "title:",
    "content:",
    "actor:",
    "type:paste",
    "severity:high",
    "terms:",
    "ip:192.0.2.7",
    "domain:example.com",
    "\\",
    '\\"',
    ":",
    "*",
    "NEAR(",
    "^",
    "+",
    "-",
    "!",
    "&&",
    "||",
    "{",
    "}",
    "'",
    "\0",
    "\uD800",
    "ﬁ",
    "İ",
    "ß"
  ),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ maxLength: 12 })
)
const queryLike = [
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(" ")),
  fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 60 })
]
