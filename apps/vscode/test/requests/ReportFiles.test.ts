/** Tests reports and questions from the order to the file or the answer, with the whole extension. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EditorDouble } from "../EditorDouble.ts"
import { served, started, timePassesUntil, whileTimePasses } from "../Running.ts"

const report = (id: number, status: string) => ({
  id,
  title: "Third quarter",
  author: "Ada",
  tenant_id: 1,
  report_type: "custom",
  status,
  created_at: "2026-11-20T08:00:00Z",
  updated_at: null,
  is_archived: false
})

const order = (editor: EditorDouble) => {
  editor.answers.push("Third quarter", "Ada", "board", "")
  return whileTimePasses(editor.commands.get("createReport")?.() ?? Effect.void)
}

describe("a report", () => {
  it.effect("is ordered, followed until it is finished, and saved", () =>
    Effect.gen(function* () {
      /** States of the new report, one per request. */
      const states = ["processing", "processing", "completed"]
      let isOrdered = false
      const formats: Array<string | null> = []
      yield* served((path, _body, _headers, search, method) => {
        if (method === "POST") {
          isOrdered = true
          return { status: 200, body: "" }
        }
        if (path.endsWith("/download")) {
          formats.push(search.get("format"))
          return { status: 200, body: "of 12 events", headers: { "content-type": "text/csv" } }
        }
        const items = isOrdered
          ? [report(2, states.shift() ?? "completed"), report(1, "completed")]
          : [report(1, "completed")]
        return { status: 200, body: { items, next: null } }
      })
      const editor = new EditorDouble()
      yield* started(editor, true)
      editor.presses.push("Save…")
      editor.answers.push("Third quarter", "Ada", "board", "", "CSV", "file:///orchard/report.csv")
      yield* whileTimePasses(editor.commands.get("createReport")?.() ?? Effect.void)
      yield* timePassesUntil(() => editor.files.has("file:///orchard/report.csv"))
      assert.deepStrictEqual(states, [])
      assert.include(editor.files.get("file:///orchard/report.csv") ?? "", "of 12 events")
      assert.deepStrictEqual(formats, ["csv"])
      assert.include(editor.told.join("\n"), "info: The report “Third quarter” was saved to report.csv.")
    }).pipe(Effect.scoped)
  )

  it.effect("is followed beyond an outage, and a message says why it is no longer", () =>
    Effect.gen(function* () {
      /** Statuses of the responses for the ordered report, one per request. */
      const statuses = [502, 502, 502, 502, 502, 502, 200, 403]
      let isOrdered = false
      yield* served((_path, _body, _headers, _search, method) => {
        if (method === "POST") {
          isOrdered = true
          return { status: 200, body: "" }
        }
        const status = isOrdered ? (statuses.shift() ?? 200) : 200
        return status === 200
          ? { status, body: { items: [report(1, "processing")], next: null } }
          : { status, body: { error: { code: "NO", message: "not now" } } }
      })
      const editor = new EditorDouble()
      yield* started(editor, true)
      yield* order(editor)
      yield* timePassesUntil(() => editor.told.some((line) => line.startsWith("error")))
      assert.deepStrictEqual(statuses, [])
      assert.deepStrictEqual(
        editor.told.filter((line) => line.startsWith("error")),
        ["error: The report “Third quarter” is no longer followed: Your key lacks the permission Read Tenant."]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is not followed where the service does not list reports, and is not saved before it is finished", () =>
    Effect.gen(function* () {
      let items: ReadonlyArray<unknown> | undefined
      const { asked } = yield* served((_path, _body, _headers, _search, method) =>
        method === "POST"
          ? { status: 200, body: "" }
          : items === undefined
            ? { status: 404, body: { error: { code: "NOT_FOUND", message: "no such path" } } }
            : { status: 200, body: { items, next: null } }
      )
      const editor = new EditorDouble()
      yield* started(editor, true)
      yield* order(editor)
      yield* whileTimePasses(Effect.void)
      assert.strictEqual(asked.length, 2)
      items = [report(1, "processing")]
      editor.answers.push("Third quarter")
      yield* whileTimePasses(editor.commands.get("openReports")?.() ?? Effect.void)
      assert.include(editor.told.at(-1) ?? "", "error: The report is not finished. Its state: Processing.")
    }).pipe(Effect.scoped)
  )
})

describe("a question", () => {
  it.effect("is answered on a page, when there is an answer", () =>
    Effect.gen(function* () {
      let answers = 0
      yield* served((_path, _body, _headers, _search, method) => {
        if (method === "POST") return { status: 200, body: { request_id: "r-1" } }
        answers++
        return answers < 3
          ? { status: 200, body: { status: "processing", report: null } }
          : {
              status: 200,
              body: {
                status: "completed",
                report: {
                  id: 1,
                  title: "Access <b>sold</b>",
                  subtitle: null,
                  summary: "Three sellers.",
                  content: "One of them [here](https://example.com).",
                  tags: [],
                  highlights: ["10 offers"],
                  related_activity_uids: ["leak/somewhere/1", "leak/somewhere/2"],
                  created_at: null
                }
              }
            }
      })
      const editor = new EditorDouble()
      yield* started(editor, true)
      editor.presses.push("Show Answer")
      editor.answers.push("Who sells access?", "short")
      yield* whileTimePasses(editor.commands.get("askIntel")?.() ?? Effect.void)
      yield* timePassesUntil(() => editor.opened.length > 0)
      const path = editor.opened.at(-1) ?? ""
      assert.match(path, /^\/intel\/r-1\//u)
      const text = yield* whileTimePasses(editor.pages?.text(path) ?? Effect.succeed(""))
      assert.include(text, "Three sellers.")
      assert.include(text, "One of them [here]")
      const lenses = yield* editor.pages?.lenses(path) ?? Effect.succeed([])
      const lines = text.split("\n")
      assert.deepStrictEqual(
        lenses.map(({ command, line }) => [command.args, lines[line]?.trim()]),
        [
          [["leak/somewhere/1"], "- `leak/somewhere/1`"],
          [["leak/somewhere/2"], "- `leak/somewhere/2`"]
        ]
      )
    }).pipe(Effect.scoped)
  )
})
