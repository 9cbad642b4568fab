import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { EditorDouble, ShownWebview } from "../EditorDouble.ts"
import { event, rowsOf, served, started, under, whileTimePasses, withProfiles } from "../Running.ts"

const opened = Effect.fnUntraced(function* (editor: EditorDouble, state: unknown = undefined) {
  const page = new ShownWebview()
  yield* Effect.forkChild(editor.webviews.get("overview")?.(page.webview, state) ?? Effect.die("no overview"))
  yield* whileTimePasses(Effect.void)
  return page
})

const run = (editor: EditorDouble, command: string, ...args: ReadonlyArray<unknown>) =>
  whileTimePasses(editor.commands.get(command)?.(...args) ?? Effect.die(`no ${command}`))

describe("the overview", () => {
  it.effect("sends no request by itself, loads on demand, and links to exactly the counted events", () =>
    Effect.gen(function* () {
      const { asked } = yield* served((_, body) => {
        const from = typeof body === "object" && body !== null && "from" in body ? Number(body.from) : 0
        const items = Array.from({ length: 10 }, (_, index) => event(from + index))
        return { status: 200, body: { items, next: from === 20 ? null : String(from + 10) } }
      })
      const editor = new EditorDouble()
      editor.settings.set("savedSearches", [{ name: "Ours", query: { type: "domain", fqdn: "example.com" } }])
      yield* started(editor, true)
      const page = yield* opened(editor, { period: "months", severity: "info" })
      assert.include(page.markup, "No events are loaded yet.")
      assert.match(page.markup, /At most 20 searches of your quota\./u)
      assert.deepStrictEqual(asked, [])

      yield* run(editor, "overview.loadEvents")
      assert.strictEqual(asked.length, 3)
      assert.include(page.markup, "All events of the last 12 months are loaded.")

      yield* page.send({ _tag: "Show", selection: { severities: ["high"] } })
      yield* page.send({ _tag: "Show", selection: { severities: "nonsense" } })
      yield* page.send({ _tag: "Run", command: "events.export" })
      yield* whileTimePasses(Effect.void)
      assert.deepStrictEqual(
        editor.told.filter((line) => line.startsWith("executed")),
        ["executed threatExposure.events.showSelection", "executed threatExposure.events.focus"]
      )
      const [selection] = yield* whileTimePasses(editor.trees.get("events")?.roots ?? Effect.succeed([]))
      assert.strictEqual(selection?.row.label, "high")
      const rows = yield* whileTimePasses(under(selection))
      // The events of one leak and day are under it.
      const inLeaks = yield* whileTimePasses(Effect.forEach(rows, under))
      assert.strictEqual(rows.length - 10 + inLeaks.flat().length, 30)
      assert.strictEqual(asked.length, 3)
      yield* run(editor, "events.closeSearch", selection)
      const left = yield* whileTimePasses(editor.trees.get("events")?.roots ?? Effect.succeed([]))
      assert.deepStrictEqual(rowsOf(left), ["Ours"])
    }).pipe(Effect.scoped)
  )

  it.effect("stops loading when another profile is chosen, and requests nothing of the previous one from it", () =>
    Effect.gen(function* () {
      const late = Promise.withResolvers<{ readonly status: number; readonly body: unknown }>()
      const { asked } = yield* served((path) =>
        path.includes("/before/") ? late.promise : { status: 200, body: { items: [event(2)], next: null } }
      )
      const editor = new EditorDouble()
      withProfiles(editor, "before", "after")
      editor.settings.set("savedSearches", [{ name: "One" }, { name: "Two" }])
      yield* started(editor, false)
      const page = yield* opened(editor)
      const loading = yield* Effect.forkChild(editor.commands.get("overview.loadEvents")?.() ?? Effect.void)
      yield* whileTimePasses(Effect.void)
      editor.answers.push("after")
      yield* run(editor, "switchProfile")
      late.resolve({ status: 200, body: { items: [event(1)], next: null } })
      yield* whileTimePasses(Fiber.join(loading))
      assert.deepStrictEqual(
        asked.filter((path) => path.includes("/after/") && path.endsWith("_search")),
        []
      )
      assert.include(page.markup, "No events are loaded yet.")
    }).pipe(Effect.scoped)
  )

  it.effect("keeps its filter over a reload, and shows that the user is signed out", () =>
    Effect.gen(function* () {
      const editor = new EditorDouble()
      yield* started(editor, false)
      const page = yield* opened(editor, { period: "forever" })
      assert.deepStrictEqual(page.shown.at(-1)?.state, { period: "days", severity: "info" })
      assert.include(page.markup, "Sign in to a threat-exposure service")
      const filter = { period: "months", severity: "high" }
      yield* page.send({ _tag: "Filter", filter })
      yield* whileTimePasses(Effect.void)
      assert.deepStrictEqual(page.shown.at(-1)?.state, filter)
    }).pipe(Effect.scoped)
  )
})
