import { inflateSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { maxReports, ReportStore } from "@threat-exposure/service/reports/Reports"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { describeOnEngines, describeOnSqlite } from "@threat-exposure/service/testing/Engines"
import { TenantDeletion } from "@threat-exposure/service/tenants/TenantDeletion"
import { Context, DateTime, Effect, Layer } from "effect"
import { describe } from "vitest"
import { eventForTest, serviceOver, ServiceForTest } from "../ServiceForTest.ts"

describe("Reports", () => {
  it.effect("are stored for the tenant", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const database = yield* Database
      const report = {
        title: "Quarter",
        author: "A. Author",
        elements: [{ id: 1, position: 0, enabled: true, sort_by: "custom", time_interval: "P90D" }],
        audience: "technical"
      }
      const { body, status } = yield* call(3, "POST", "/v2/reporting/reports", report)
      assert.strictEqual(status, 200)
      assert.isUndefined(body)
      const row = database.connection.prepare("SELECT tenant_id, report FROM reports").get()
      assert.strictEqual(row?.["tenant_id"], 3)
      assert.deepStrictEqual(JSON.parse(String(row?.["report"])), report)
      assert.strictEqual((yield* call(3, "POST", "/v2/reporting/reports", { elements: [{ id: "one" }] })).status, 422)
    }).pipe(Effect.provide(ServiceForTest.layer))
  )
})

describeOnSqlite("Reports", ({ store }) => {
  it.live("are limited in size and number, because a listing reads them all", () =>
    Effect.gen(function* () {
      const { layer } = yield* store
      const [{ call }, other] = yield* Effect.all([serviceOver(layer), serviceOver(layer)])
      const { insert } = Context.get(yield* Layer.build(layer), ReportStore)
      const order = (title: string) => call(1, "POST", "/v2/reporting/reports", { title })
      assert.strictEqual((yield* order("x".repeat(9_000))).status, 200)
      assert.lengthOf((yield* other.call(1, "GET", "/v4/reports")).body.items, 1)
      const long = yield* order("x".repeat(10_000))
      assert.strictEqual(long.status, 422)
      assert.include(long.text, "at most 10000 characters")
      const report = { tenantId: 1, report: {}, createdAt: "2026-01-01T00:00:00Z" }
      yield* Effect.forEach(Array.from({ length: maxReports - 2 }), () => insert(report), { concurrency: 32 })
      const last = yield* Effect.all(
        [1, 2].flatMap((at) => [
          order(`Last ${at}`),
          other.call(1, "POST", "/v2/reporting/reports", { title: `Other last ${at}` })
        ]),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(last.map(({ status }) => status).toSorted(), [200, 422, 422, 422])
      const refused = yield* order("One more")
      assert.strictEqual(refused.status, 422)
      assert.include(refused.text, `at most ${maxReports} reports`)
      assert.strictEqual((yield* call(2, "POST", "/v2/reporting/reports", {})).status, 200)
    }).pipe(Effect.scoped)
  )
})

/** The texts of a PDF, which its compressed streams contain in hexadecimal. */
const textsOf = (pdf: Uint8Array): string => {
  const bytes = Buffer.from(pdf)
  const streams = [...bytes.toString("latin1").matchAll(/stream\r?\n/gu)].flatMap(({ 0: opening, index }) => {
    try {
      return [inflateSync(bytes.subarray(index + opening.length), { finishFlush: 2 }).toString("latin1")]
    } catch {
      return []
    }
  })
  return streams
    .join("\n")
    .replaceAll(/<([0-9A-F]+)> Tj/gu, (_, text: string) => Buffer.from(text, "hex").toString("latin1"))
}

describeOnEngines("Reports", ({ stores }) => {
  const path = "/v4/reports"

  it.live("are listed in pages and in every order, and read by their tenant alone", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      for (const [title, author] of [
        ["B", "us"],
        ["A", "them"],
        ["C", "us"]
      ]) {
        yield* call(1, "POST", "/v2/reporting/reports", { title, author, audience: "technical" })
      }
      yield* call(2, "POST", "/v2/reporting/reports", {})
      assert.strictEqual(yield* (yield* ReportStore).count(1), 3)
      const titles = Effect.fnUntraced(function* (query: string) {
        const found: Array<string> = []
        let from = ""
        do {
          const { body, status } = yield* call(1, "GET", `${path}?${query}${from}`)
          assert.strictEqual(status, 200)
          found.push(...body.items.map(({ title }: { title: string }) => title))
          from = body.next === null ? "" : `&from=${encodeURIComponent(body.next)}`
        } while (from !== "")
        return found.join("")
      })
      for (const size of [1, 2, 100]) {
        assert.strictEqual(yield* titles(`size=${size}&order_by=id`), "CAB")
        assert.strictEqual(yield* titles(`size=${size}&order_by=id&order_type=asc`), "BAC")
        assert.strictEqual(yield* titles(`size=${size}&order_by=title&order_type=asc`), "ABC")
        assert.strictEqual(yield* titles(`size=${size}&order_by=author&order_type=asc&include_archived=true`), "ABC")
      }
      const { next } = (yield* call(1, "GET", `${path}?size=1`)).body
      assert.strictEqual((yield* call(1, "GET", `${path}?order_by=title&from=${encodeURIComponent(next)}`)).status, 422)
      const [report] = (yield* call(1, "GET", `${path}?order_by=title&order_type=asc`)).body.items
      const { created_at, id, updated_at, ...rest } = report
      assert.match(created_at, /^\d{4}-/u)
      assert.strictEqual(updated_at, created_at)
      assert.deepStrictEqual(rest, {
        title: "A",
        author: "them",
        tenant_id: 1,
        report_type: "technical",
        status: "completed",
        is_archived: false
      })
      assert.deepStrictEqual((yield* call(1, "GET", `${path}/${id}`)).body, report)
      for (const other of [`${path}/${id}`, `${path}/${id}/download?format=csv`, `${path}/${id}/download?format=pdf`]) {
        assert.strictEqual((yield* call(2, "GET", other)).status, 404, other)
      }
      assert.strictEqual((yield* call(1, "GET", `${path}/none`)).status, 404)
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )

  it.live("get no id that another one had", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const create = Effect.fnUntraced(function* (tenantId: number) {
        yield* call(tenantId, "POST", "/v2/reporting/reports", { title: "Quarter" })
        return Number((yield* call(tenantId, "GET", "/v4/reports")).body.items[0].id)
      })
      const first = yield* create(2)
      yield* (yield* TenantDeletion).delete(2)
      assert.isAbove(yield* create(1), first)
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )

  it.live("are downloaded as CSV and as PDF, about the events of their period, without a secret", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const now = yield* DateTime.now
      const ago = (days: number) => ({
        estimated_created_at: DateTime.formatIso(DateTime.subtract(now, { days }))
      })
      const key = ["AKIA", "Z7QXM2PLKD8RWN4T"].join("")
      yield* call(1, "POST", "/v2/assets/", { name: "acme" })
      yield* loadEvents(
        eventForTest(1, "paste", { title: '=HYPERLINK("x")', content: "acme" }, { ...ago(1), severity: "low" }),
        eventForTest(2, "paste", { title: `acme key ${key}`, content: "acme" }, { ...ago(5), severity: "critical" }),
        eventForTest(3, "chat_message", { content: "acme" }, { ...ago(20), severity: "high" }),
        eventForTest(4, "paste", { content: "acme" }, ago(40)),
        eventForTest(5, "paste", { content: "nothing" }, ago(1)),
        ...Array.from({ length: 120 }, (_, at) => eventForTest(100 + at, "paste", { content: "acme" }, ago(8)))
      )
      yield* call(1, "POST", "/v4/events/actions", {
        targets: [{ uid: "test/source/1" }],
        action: { type: "ignore" }
      })
      const create = Effect.fnUntraced(function* (report: object) {
        yield* call(1, "POST", "/v2/reporting/reports", report)
        const { items } = (yield* call(1, "GET", `${path}?order_by=id&size=1`)).body
        return `${path}/${items[0].id}/download`
      })
      const element = (time_interval: string, enabled = true) => ({ id: 1, enabled, time_interval })
      const month = yield* create({ title: "Month \u{1F512}", author: "Ann Author" })
      const { headers, status, text } = yield* call(1, "GET", `${month}?format=csv`)
      assert.strictEqual(status, 200)
      assert.match(headers.get("content-disposition") ?? "", /^attachment; filename="report-\d+\.csv"$/u)
      const lines = text.trimEnd().split("\n")
      assert.strictEqual(lines[0], "uid,type,severity,estimated_created_at,matched_at,source,title,url,identifiers")
      assert.lengthOf(lines, 124)
      assert.match(lines[1] ?? "", /^test\/source\/3,chat_message,high,/u)
      assert.match(lines.at(-1) ?? "", /^test\/source\/1,paste,low,.*,source,"'=HYPERLINK\(""x""\)",,\d+$/u)
      assert.include(lines.at(-2) ?? "", "acme key ")
      assert.notInclude(text, key)

      const uids = (url: string) =>
        Effect.map(call(1, "GET", `${url}?format=csv`), ({ text }) =>
          text
            .split("\n")
            .slice(1)
            .flatMap((line) => /^test\/source\/(\d{1,2}),/u.exec(line)?.[1] ?? [])
        )
      assert.deepStrictEqual(yield* uids(yield* create({ elements: [element("P7D")] })), ["2", "1"])
      assert.deepStrictEqual(
        yield* uids(yield* create({ elements: [element("P7D"), element("P2M"), element("P9Y", false)] })),
        ["4", "3", "2", "1"]
      )
      assert.deepStrictEqual(yield* uids(yield* create({ elements: [element("soon")] })), ["3", "2", "1"])
      assert.deepStrictEqual(yield* uids(yield* create({ elements: [element("P9999Y")] })), ["4", "3", "2", "1"])

      const pdf = yield* call(1, "GET", `${month}?format=pdf`)
      assert.strictEqual(pdf.status, 200)
      const drawn = textsOf(pdf.bytes)
      for (const expected of ["Month ?", "Author: Ann Author", "Events: 123", "critical", "chat_message", "acme key"]) {
        assert.include(drawn, expected)
      }
      assert.notInclude(drawn, key)
      for (const format of ["docx", "zip", "odt"]) {
        const refused = yield* call(1, "GET", `${month}?format=${format}`)
        assert.strictEqual(refused.status, 422, format)
        assert.deepStrictEqual(refused.body.detail[0].loc, ["query", "format"])
      }
      const empty = yield* call(2, "POST", "/v2/reporting/reports", {})
      assert.strictEqual(empty.status, 200)
      const [theirs] = (yield* call(2, "GET", path)).body.items
      assert.include(textsOf((yield* call(2, "GET", `${path}/${theirs.id}/download?format=pdf`)).bytes), "Events: 0")
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )

  it.live("list the most severe events as PDF by time, in whatever form and zone it is written", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const now = yield* DateTime.now
      const ago = (days: number) => DateTime.subtract(now, { days })
      const local = DateTime.formatIso(DateTime.add(ago(3), { hours: 23 })).slice(0, 19)
      const [first, second] = ["acme first", "acme second"]
      yield* call(1, "POST", "/v2/assets/", { name: "acme" })
      yield* loadEvents(
        eventForTest(1, "paste", { title: second }, { estimated_created_at: DateTime.formatIso(ago(5)) }),
        eventForTest(2, "paste", { title: first }, { estimated_created_at: `${local}+23` })
      )
      yield* call(1, "POST", "/v2/reporting/reports", {})
      const [{ id }] = (yield* call(1, "GET", path)).body.items
      const drawn = textsOf((yield* call(1, "GET", `${path}/${id}/download?format=pdf`)).bytes)
      const days = [ago(3), ago(5)].map((day) => DateTime.formatIso(day).slice(0, 10))
      const shown = [...drawn.matchAll(new RegExp(`${days.join("|")}|${first}|${second}`, "gu"))].map(([text]) => text)
      assert.deepStrictEqual(shown.slice(-4), [days[0], first, days[1], second])
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})
