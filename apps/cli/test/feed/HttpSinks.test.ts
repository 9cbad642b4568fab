import { assert, describe, it } from "@effect/vitest"
import type { Sink } from "@threat-exposure/cli/feed/Sink"
import { openSearchSink, otlpSink, splunkSink, webhookSink } from "@threat-exposure/cli/feed/HttpSinks"
import { Clock, Effect, Redacted } from "effect"
import { nodeHttp } from "@threat-exposure/cli/connection/NodeHttp"
import { TestClock } from "effect/testing"
import { summaryWith } from "./FeedDoubles.ts"
import { type Answer, receiver } from "./HttpReceiver.ts"

const itemOf = (uid: string) => ({ uid, line: JSON.stringify({ uid }), time: Date.parse("2026-11-20T08:00:00.250Z") })
const batchOf = (...uids: ReadonlyArray<string>) => ({ id: "b", isRepeat: false, items: uids.map(itemOf) })
const uidsOf = (items: ReadonlyArray<{ readonly uid: string }>) => items.map(({ uid }) => uid)
const splunkOf = (url: string) => splunkSink("splunk", { url, token: Redacted.make("t"), host: "exposure.example.com" })
const webhookOf = (url: string) => webhookSink("webhook", { url, secret: Redacted.make("s") })
const otlpOf = (url: string) => otlpSink("otlp", { url, headers: undefined })
const indexOf = (url: string) => openSearchSink("index", { url, index: "leaks", login: undefined })

const linesOf = (body: string) =>
  body
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

/** A bulk response in which each item has `key` with a status and an error. */
const bulkAnswer = (
  body: string,
  outcome: (id: string, operation: string) => { readonly status: number; readonly error?: unknown },
  key?: string
) => {
  const operations: ReadonlyArray<Readonly<Record<string, { readonly _id: string }>>> = linesOf(body).filter(
    (_, index) => index % 2 === 0
  )
  return {
    status: 200,
    body: {
      items: operations.map((operation) => {
        const [[name, { _id }] = ["", { _id: "" }]] = Object.entries(operation)
        return { [key ?? name]: { _id, ...outcome(_id, name) } }
      })
    }
  }
}

const given = Effect.provide(nodeHttp)

describe("an index as a sink", () => {
  it.effect.each(["index", "create", "update"])("takes the answer of an item under the key %s", (key) =>
    Effect.gen(function* () {
      const { url } = yield* receiver(({ body }) => bulkAnswer(body, () => ({ status: 201 }), key))
      const sink = yield* indexOf(url)
      assert.deepStrictEqual(yield* sink.send(batchOf("a", "b")), { rejected: [], deferred: [], reason: "" })
    }).pipe(given, Effect.scoped)
  )

  it.effect("separates items that are refused for now from those that are refused permanently", () =>
    Effect.gen(function* () {
      const outcomes: Readonly<Record<string, { readonly status: number; readonly error?: unknown }>> = {
        b: { status: 429, error: { type: "es_rejected_execution_exception", reason: "queue is full" } },
        c: {
          status: 400,
          error: {
            type: "mapper_parsing_exception",
            reason: "failed to parse field [x]. Preview of field's value: 'hunter2'"
          }
        }
      }
      const { url } = yield* receiver(({ body }) => bulkAnswer(body, (id) => outcomes[id] ?? { status: 201 }))
      const { deferred, reason, rejected } = yield* (yield* indexOf(url)).send(batchOf("a", "b", "c", "d"))
      assert.deepStrictEqual(uidsOf(deferred), ["b"])
      assert.strictEqual(reason, "1 item was refused for now: 429 es_rejected_execution_exception: queue is full")
      assert.deepStrictEqual(
        rejected.map(({ item, reason }) => [item.uid, reason]),
        [["c", "400 mapper_parsing_exception: failed to parse field [x]."]]
      )
    }).pipe(given, Effect.scoped)
  )

  it.effect.each([
    ["400 validation_exception: this action would add [2] shards", ["a", "b"], "validation_exception"],
    ["400 validation_exception: this action would add [2] shards", ["a"], "validation_exception"],
    ["400 mapper_parsing_exception: this action would add [2] shards", ["a", "b"], "mapper_parsing_exception"]
  ] as const)("waits if every item is refused: %s of %j", ([said, uids, type]) =>
    Effect.gen(function* () {
      const error = { type, reason: "this action would add [2] shards" }
      const { url } = yield* receiver(({ body }) => bulkAnswer(body, () => ({ status: 400, error })))
      const failure = yield* Effect.flip((yield* indexOf(url)).send(batchOf(...uids)))
      assert.strictEqual(failure._tag, "SinkBusy")
      assert.strictEqual(failure.message, `every item was refused: ${said}`)
    }).pipe(given, Effect.scoped)
  )

  it.effect.each([
    ["pipeline with id [leaks] does not exist"],
    ["no write index is defined for alias [leaks]. The write index may be explicitly disabled"]
  ])("waits with the only item of a batch if the index is at fault: %s", ([reason]) =>
    Effect.gen(function* () {
      const error = { type: "illegal_argument_exception", reason }
      const { url } = yield* receiver(({ body }) => bulkAnswer(body, () => ({ status: 400, error })))
      const failure = yield* Effect.flip((yield* indexOf(url)).send(batchOf("a")))
      assert.strictEqual(failure.message, `every item was refused: 400 illegal_argument_exception: ${reason}`)
    }).pipe(given, Effect.scoped)
  )

  it.effect("waits if no item is taken, whatever the reasons", () =>
    Effect.gen(function* () {
      const types: Readonly<Record<string, string>> = { a: "mapper_parsing_exception", b: "illegal_argument_exception" }
      const { url } = yield* receiver(({ body }) =>
        bulkAnswer(body, (id) => ({ status: 400, error: { type: types[id], reason: "cannot be changed" } }))
      )
      const failure = yield* Effect.flip((yield* indexOf(url)).send(batchOf("a", "b")))
      assert.strictEqual(failure.message, "every item was refused: 400 mapper_parsing_exception: cannot be changed")
    }).pipe(given, Effect.scoped)
  )

  it.effect("rejects no item before another is taken", () =>
    Effect.gen(function* () {
      const statuses: Readonly<Record<string, number>> = { a: 400, b: 429 }
      const { url } = yield* receiver(({ body }) => bulkAnswer(body, (id) => ({ status: statuses[id] ?? 201 })))
      const { deferred, rejected } = yield* (yield* indexOf(url)).send(batchOf("a", "b"))
      assert.deepStrictEqual([uidsOf(deferred), rejected], [["a", "b"], []])
    }).pipe(given, Effect.scoped)
  )

  it.effect("sees a data stream although some items are refused for now", () =>
    Effect.gen(function* () {
      const reason = "only write ops with an op_type of create are allowed in data streams"
      const { received, url } = yield* receiver(({ body }) =>
        bulkAnswer(body, (id, operation) =>
          operation === "create"
            ? { status: 201 }
            : id === "a"
              ? { status: 429 }
              : { status: 400, error: { type: "illegal_argument_exception", reason } }
        )
      )
      const { deferred, rejected } = yield* (yield* indexOf(url)).send(batchOf("a", "b"))
      assert.deepStrictEqual([deferred, rejected], [[], []])
      assert.lengthOf(received, 2)
    }).pipe(given, Effect.scoped)
  )

  it.effect("waits for the time that an answer with refused items asks for", () =>
    Effect.gen(function* () {
      const { url } = yield* receiver(({ body }) => ({
        ...bulkAnswer(body, (id) => ({ status: id === "a" ? 201 : 429 })),
        headers: { "retry-after": "120" }
      }))
      const sink = yield* indexOf(url)
      const { retryAfter } = yield* sink.send(batchOf("a", "b"))
      assert.strictEqual(retryAfter, 120_000)
    }).pipe(given, Effect.scoped)
  )

  it.effect("gives an id of at most 512 bytes to a longer uid", () =>
    Effect.gen(function* () {
      const { received, url } = yield* receiver(({ body }) => bulkAnswer(body, () => ({ status: 201 })))
      const [fits, long] = ["é".repeat(256), "é".repeat(257)]
      yield* (yield* indexOf(url)).send(batchOf(fits, long))
      const ids = linesOf(received[0]?.body ?? "").flatMap(({ index }) => (index === undefined ? [] : [index._id]))
      assert.strictEqual(ids[0], fits)
      assert.match(ids[1], /^[0-9a-f]{64}$/u)
    }).pipe(given, Effect.scoped)
  )

  it.effect("rejects the only item of a batch if its content is at fault", () =>
    Effect.gen(function* () {
      const error = { type: "mapper_parsing_exception", reason: "failed to parse" }
      const { url } = yield* receiver(({ body }) => bulkAnswer(body, () => ({ status: 400, error })))
      const { rejected } = yield* (yield* indexOf(url)).send(batchOf("a"))
      assert.lengthOf(rejected, 1)
    }).pipe(given, Effect.scoped)
  )

  it.effect("creates documents in a data stream, each once, whatever was rolled over between two attempts", () =>
    Effect.gen(function* () {
      /** Generations of the data stream: ids are only unique within one. */
      const generations: Array<Map<string, unknown>> = [new Map()]
      const searches: Array<string> = []
      const { received, url } = yield* receiver(({ body, path }) => {
        if (path === "/leaks/_refresh") return { status: 200 }
        if (path === "/leaks/_search") {
          searches.push(body)
          const values: ReadonlyArray<string> = JSON.parse(body).query.ids.values
          const hits = values.filter((id) => generations.some((documents) => documents.has(id)))
          return { status: 200, body: { hits: { hits: hits.map((_id) => ({ _id })) }, _shards: { failed: 0 } } }
        }
        const lines = linesOf(body)
        return bulkAnswer(body, (id, operation) => {
          const reason = "only write ops with an op_type of create are allowed in data streams"
          if (operation !== "create") return { status: 400, error: { type: "illegal_argument_exception", reason } }
          const current = generations.at(-1)
          if (current?.has(id)) return { status: 409, error: { type: "version_conflict_engine_exception" } }
          current?.set(id, lines[lines.findIndex((line) => JSON.stringify(line).includes(`"${id}"`)) + 1])
          return { status: 201 }
        })
      })
      const sink = yield* indexOf(url)
      yield* sink.send(batchOf("a", "b"))
      assert.deepStrictEqual(generations[0]?.get("a"), { "@timestamp": "2026-11-20T08:00:00.250Z", uid: "a" })
      // The response was lost, and the stream rolled over before the next attempt.
      generations.push(new Map())
      const { deferred, rejected } = yield* sink.send({ ...batchOf("a", "b", "c"), isRepeat: true })
      assert.deepStrictEqual([deferred, rejected], [[], []])
      assert.deepStrictEqual([...(generations[1]?.keys() ?? [])], ["c"])
      assert.lengthOf(searches, 1)
      yield* sink.send({ ...batchOf("a"), isRepeat: true })
      assert.strictEqual(received.at(-1)?.path, "/leaks/_search")
      // In the same generation, a repeated id is a conflict, so the document is already stored.
      assert.deepStrictEqual((yield* sink.send(batchOf("c"))).rejected, [])
    }).pipe(given, Effect.scoped)
  )
})

describe("a sink over HTTP", () => {
  const sinks: ReadonlyArray<readonly [name: string, open: (url: string) => ReturnType<typeof webhookOf>]> = [
    ["webhook", webhookOf],
    ["splunk-hec", splunkOf],
    ["opensearch", indexOf],
    ["otlp", otlpOf]
  ]
  const cases = sinks.flatMap(([name, open]) =>
    [301, 401, 402, 403, 404, 405, 406, 409, 410, 415, 429, 451, 500, 503].map(
      (status) => [name, status, open] as const
    )
  )

  const outcome = Effect.fnUntraced(function* (open: (url: string) => ReturnType<typeof webhookOf>, answer: Answer) {
    const { url } = yield* receiver(() => answer)
    const sink: Sink = yield* open(url)
    return {
      one: yield* Effect.result(sink.send(batchOf("a"))),
      two: yield* Effect.result(sink.send(batchOf("a", "b")))
    }
  })

  it.effect.each(cases)("%s waits after %s, which says nothing about an event", ([, status, open]) =>
    Effect.gen(function* () {
      const { one, two } = yield* outcome(open, { status })
      for (const result of [one, two]) {
        assert(result._tag === "Failure")
        assert.strictEqual(result.failure._tag, "SinkBusy")
        assert.match(result.failure.message, new RegExp(`^answered ${status}\\b`, "u"))
      }
    }).pipe(given, Effect.scoped)
  )

  it.effect.each(sinks.flatMap(([name, open]) => [400, 413, 422].map((status) => [name, status, open] as const)))(
    "%s halves a batch after %s, and rejects a single event",
    ([, status, open]) =>
      Effect.gen(function* () {
        const { one, two } = yield* outcome(open, { status })
        assert(one._tag === "Success")
        assert.lengthOf(one.success.rejected, 1)
        assert(two._tag === "Failure")
        assert.strictEqual(two.failure._tag, "BatchTooLarge")
      }).pipe(given, Effect.scoped)
  )

  /** A collector that refuses permanently what is in a request with one of these. */
  const refusingCollector = (refused: ReadonlyArray<string>) =>
    receiver(({ body }) => ({ status: refused.some((uid) => body.includes(`"${uid}"`)) ? 500 : 200 }))

  it.effect("otlp finds the records that a collector refuses with 500 while it takes others", () =>
    Effect.gen(function* () {
      const { received, url } = yield* refusingCollector(["b", "c", "g"])
      const sink = yield* otlpOf(url)
      const { deferred, rejected } = yield* sink.send(batchOf(..."abcdefgh"))
      assert.deepStrictEqual(
        rejected.map(({ item, reason }) => [item.uid, reason]),
        [
          ["b", "answered 500"],
          ["c", "answered 500"],
          ["g", "answered 500"]
        ]
      )
      assert.deepStrictEqual(deferred, [])
      const taken = received.filter(({ body }) => !/"[bcg]"/u.test(body)).map(({ body }) => body)
      for (const uid of "adefh")
        assert.lengthOf(
          taken.filter((body) => body.includes(`"${uid}"`)),
          1,
          uid
        )
    }).pipe(given, Effect.scoped)
  )

  it.effect("otlp waits after 500 if the collector takes no record, and asks for few", () =>
    Effect.gen(function* () {
      const uids = Array.from({ length: 500 }, (_, index) => `u${index}`)
      const { received, url } = yield* refusingCollector(uids)
      const failure = yield* Effect.flip((yield* otlpOf(url)).send(batchOf(...uids)))
      assert.deepStrictEqual([failure._tag, failure.message], ["SinkBusy", "answered 500"])
      assert.isAtMost(received.length, 15)
    }).pipe(given, Effect.scoped)
  )

  it.effect("otlp sends again what it could not send after 500, and only that", () =>
    Effect.gen(function* () {
      const { url } = yield* receiver(({ body }) => ({
        status: body.includes('"a"') ? 500 : body.includes('"d"') ? 503 : 200
      }))
      const { deferred, reason, rejected } = yield* (yield* otlpOf(url)).send(batchOf(..."abcd"))
      assert.deepStrictEqual(
        rejected.map(({ item }) => item.uid),
        ["a"]
      )
      assert.deepStrictEqual([uidsOf(deferred), reason], [["c", "d"], "answered 503"])
    }).pipe(given, Effect.scoped)
  )

  it.effect.each(sinks)("%s sends nothing before the end of Retry-After, also in a later round", ([, open]) =>
    Effect.gen(function* () {
      const { received, url } = yield* receiver(() => ({ status: 429, headers: { "retry-after": "120" } }))
      const sink = yield* open(url)
      const first = yield* Effect.flip(sink.send(batchOf("a")))
      assert(first._tag === "SinkBusy")
      assert.strictEqual(first.retryAfter, 120_000)
      yield* TestClock.adjust("90 seconds")
      // A change of this machine's clock must not affect the wait.
      yield* TestClock.setTime((yield* Clock.currentTimeMillis) - 86_400_000)
      const second = yield* Effect.flip(sink.send(batchOf("a")))
      assert(second._tag === "SinkBusy")
      assert.strictEqual(second.retryAfter, 30_000)
      assert.lengthOf(received, 1)
      yield* TestClock.adjust("30 seconds")
      yield* Effect.flip(sink.send(batchOf("a")))
      assert.lengthOf(received, 2)
    }).pipe(given, Effect.scoped)
  )

  it.effect.each([
    ["as this machine", 0],
    ["an hour behind", -3_600_000],
    ["an hour ahead", 3_600_000]
  ] as const)("takes a date as Retry-After, by the clock of the sink: %s", ([, skew]) =>
    Effect.gen(function* () {
      const sinkTime = (yield* Clock.currentTimeMillis) + skew
      const [date, until] = [sinkTime, sinkTime + 60_000].map((time) => new Date(time).toUTCString())
      const { url } = yield* receiver(() => ({
        status: 503,
        headers: { date: date ?? "", "retry-after": until ?? "" }
      }))
      const failure = yield* Effect.flip((yield* webhookOf(url)).send(batchOf("a")))
      assert(failure._tag === "SinkBusy")
      assert.strictEqual(failure.retryAfter, 60_000)
    }).pipe(given, Effect.scoped)
  )
})

describe("an answer without an end", () => {
  it.effect("counts by its status where nothing else is needed", () =>
    Effect.gen(function* () {
      const { url } = yield* receiver(() => ({ status: 200, isEndless: true }))
      assert.deepStrictEqual((yield* (yield* webhookOf(url)).send(batchOf("a"))).rejected, [])
      const failure = yield* Effect.flip((yield* indexOf(url)).send(batchOf("a")))
      assert.strictEqual(failure.message, "the response does not list the items")
    }).pipe(given, Effect.scoped)
  )
})

describe("an HTTP Event Collector as a sink", () => {
  it.effect("gets the time, host and source of each event, at the address with its query", () =>
    Effect.gen(function* () {
      const { received, url } = yield* receiver(() => ({ status: 200 }))
      yield* (yield* splunkOf(`${url}/services/collector?index=leaks`)).send(batchOf("a", "b"))
      assert.strictEqual(received[0]?.path, "/services/collector?index=leaks")
      const time = 1_795_161_600.25
      const [host, source, sourcetype] = ["exposure.example.com", "threat-exposure feed", "threat_exposure"]
      assert.deepStrictEqual(linesOf(received[0]?.body ?? ""), [
        { time, host, source, sourcetype, event: { uid: "a" } },
        { time, host, source, sourcetype, event: { uid: "b" } }
      ])
    }).pipe(given, Effect.scoped)
  )

  it.effect.each([
    ["code 9", { status: 200, body: { text: "Server is busy", code: 9 } }, splunkOf],
    ["a web page", { status: 200, body: "Sign in", headers: { "content-type": "text/html; charset=utf-8" } }, splunkOf],
    ["a web page", { status: 200, body: "Sign in", headers: { "content-type": "text/html" } }, otlpOf]
  ] as const)("waits if a 200 has %s", ([what, answer, open]) =>
    Effect.gen(function* () {
      const { url } = yield* receiver(() => answer)
      const sink = yield* open(url)
      const failure = yield* Effect.flip(sink.send(batchOf("a", "b")))
      assert.strictEqual(failure._tag, "SinkBusy")
      assert.include(failure.message, `answered ${what}`)
    }).pipe(given, Effect.scoped)
  )

  it.effect("waits if the index of its token is wrong", () =>
    Effect.gen(function* () {
      const { url } = yield* receiver(() => ({ status: 400, body: { text: "Incorrect index", code: 7 } }))
      const failure = yield* Effect.flip((yield* splunkOf(url)).send(batchOf("a")))
      assert.strictEqual(
        failure.message,
        "answered code 7 (Incorrect index) with 400: check its address, its token and what it may write"
      )
    }).pipe(given, Effect.scoped)
  )
})

describe("a collector of OpenTelemetry as a sink", () => {
  it.effect.each([1, "1", 2])("does not lose the records that it rejects beside others: %j", (rejectedLogRecords) =>
    Effect.gen(function* () {
      const partialSuccess = { rejectedLogRecords, errorMessage: "too old" }
      const { url } = yield* receiver(() => ({ status: 200, body: { partialSuccess } }))
      const { rejected } = yield* (yield* otlpOf(url)).send(batchOf("a", "b"))
      assert.deepStrictEqual(
        rejected.map(({ item, reason }) => [item.uid, reason]),
        ["a", "b"].map((uid) => [uid, `${rejectedLogRecords} of 2 records of a request were rejected: too old`])
      )
    }).pipe(given, Effect.scoped)
  )

  it.effect("takes a warning of the collector for no refusal", () =>
    Effect.gen(function* () {
      const partialSuccess = { errorMessage: "deprecated" }
      const { url } = yield* receiver(() => ({ status: 200, body: { partialSuccess } }))
      assert.deepStrictEqual((yield* (yield* otlpOf(url)).send(batchOf("a"))).rejected, [])
    }).pipe(given, Effect.scoped)
  )

  it.effect("gets a log record for each item, with times as texts and severities as numbers", () =>
    Effect.gen(function* () {
      const { received, url } = yield* receiver(() => ({ status: 200 }))
      const sink = yield* otlpSink("otlp", { url, headers: Redacted.make("x-tenant=a%20b,authorization=Bearer t") })
      const line = JSON.stringify({ uid: "a", event: { data: "\ud800" } })
      const item = { uid: "a", line, time: 1_795_161_600_250, summary: summaryWith("critical") }
      yield* sink.send({ id: "b", isRepeat: false, items: [item] })
      assert.strictEqual(received[0]?.path, "/v1/logs")
      assert.strictEqual(received[0]?.headers["authorization"], "Bearer t")
      assert.strictEqual(received[0]?.headers["x-tenant"], "a b")
      const [{ scopeLogs }] = JSON.parse(received[0]?.body ?? "").resourceLogs
      assert.deepStrictEqual(scopeLogs[0].logRecords, [
        {
          timeUnixNano: "1795161600250000000",
          observedTimeUnixNano: "0",
          severityNumber: 21,
          severityText: "critical",
          body: { stringValue: line },
          attributes: [
            { key: "event.id", value: { stringValue: "a" } },
            { key: "log.record.uid", value: { stringValue: "a" } }
          ]
        }
      ])
    }).pipe(given, Effect.scoped)
  )
})
