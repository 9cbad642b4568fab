import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { Connections } from "../../src/connection/Connections.ts"
import { GivenProfile, Profiles } from "../../src/connection/Profiles.ts"
import { Settings } from "../../src/editor/Settings.ts"
import { EventCache } from "../../src/events/EventCache.ts"
import { Register } from "../../src/register/Register.ts"
import { EditorDouble, ShownWebview } from "../EditorDouble.ts"
import { identifier, MonitoringService } from "../MonitoringService.ts"
import {
  app,
  event,
  ofTenant,
  rowsOf,
  sample,
  served,
  servedWhole,
  started,
  timePassesUntil,
  under,
  whileTimePasses,
  withProfiles
} from "../Running.ts"

const opened = Effect.fnUntraced(function* (editor: EditorDouble, state: unknown = undefined) {
  const page = new ShownWebview()
  yield* Effect.forkChild(editor.webviews.get("overview")?.(page.webview, state) ?? Effect.die("no overview"))
  yield* whileTimePasses(Effect.void)
  return page
})

/** Starts the extension signed in, and returns its event cache. */
const startedWithCache = Effect.fnUntraced(function* (editor: EditorDouble) {
  const cache = EventCache.layer.pipe(
    Layer.provide(Register.layer),
    Layer.provide(Connections.layer),
    Layer.provide(Settings.layer)
  )
  const services = yield* Layer.build(
    Layer.merge(app, cache).pipe(
      Layer.provide(Profiles.layer),
      Layer.provide(editor.layer),
      Layer.provide(Layer.succeed(GivenProfile, sample))
    )
  )
  return { cache: Context.get(services, EventCache) }
})

/** A service with this number of events of the tenant; `before` delays the answer to a page. */
const tenantService = (total: number, before: (from: number) => Promise<unknown> | undefined = () => undefined) =>
  served(async (path, body) => {
    if (!path.endsWith("/tenant/_search")) return { status: 200, body: {} }
    const from = typeof body === "object" && body !== null && "from" in body ? Number(body.from) : 0
    await before(from)
    const items = tenantEvents(from, Math.min(10, total - from))
    return { status: 200, body: { items, next: from + 10 < total ? String(from + 10) : null } }
  })

const tenantEvents = (from: number, count: number) => {
  const events = Array.from({ length: count }, (_, index) => ofTenant(from + index))
  for (const { metadata } of events) metadata.estimated_created_at = today
  return events
}

/** The time of tests. */
const today = "1970-01-01T00:00:00Z"

const words = (page: ShownWebview) =>
  page.markup
    .replaceAll(/<[^>]*>/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim()

const run = (editor: EditorDouble, command: string, ...args: ReadonlyArray<unknown>) =>
  whileTimePasses(editor.commands.get(command)?.(...args) ?? Effect.die(`no ${command}`))

describe("the overview", () => {
  it.effect("counts the open events of the tenant as they load, marked until all of the period are there", () =>
    Effect.gen(function* () {
      const held = Promise.withResolvers<undefined>()
      const { asked } = yield* tenantService(59, (from) => (from === 40 ? held.promise : undefined))
      const editor = new EditorDouble()
      yield* started(editor, true)
      const page = yield* opened(editor)
      yield* whileTimePasses(Effect.void)
      assert.match(words(page), /^40 events loaded so far\. .*40\+ open events in 30 days high 40\+/u)
      held.resolve(undefined)
      yield* whileTimePasses(Effect.void)
      yield* whileTimePasses(Effect.void)
      assert.match(words(page), /\b59 open events in 30 days high 59/u)
      assert.notInclude(words(page), "loaded so far")
      assert.deepStrictEqual([...new Set(asked)], ["/svc/v4/events/tenant/_search"])
      // Closing an event changes the numbers. Events of a saved search are not the tenant's.
      yield* run(editor, "events.ignore", "leak/somewhere/1")
      assert.match(words(page), /\b58 open events in 30 days/u)

      const again = new EditorDouble()
      for (const [key, value] of editor.memento) again.memento.set(key, structuredClone(value))
      const silent = yield* served(() => new Promise(() => {}))
      yield* started(again, true)
      const after = yield* opened(again)
      assert.match(words(after), /^As of .*Updating: 0 events loaded so far\. .*58 open events in 30 days/u)
      assert.isNotEmpty(silent.asked)
      assert.notInclude(JSON.stringify([...again.memento]), "Leak number")
    }).pipe(Effect.scoped)
  )

  it.effect("loads all of the period if it is opened while a refresh waits for its answer", () =>
    Effect.gen(function* () {
      const held = Promise.withResolvers<undefined>()
      // The first answer ends the state in which the overview loads again by itself.
      let requests = 0
      yield* tenantService(25, () => (++requests > 1 ? held.promise : undefined))
      const editor = new EditorDouble()
      yield* started(editor, true)
      const refresh = editor.commands.get("overview.refresh")?.() ?? Effect.void
      yield* whileTimePasses(refresh)
      const fiber = yield* Effect.forkChild(refresh, { startImmediately: true })
      yield* timePassesUntil(() => requests > 1)
      const page = yield* opened(editor)
      held.resolve(undefined)
      yield* whileTimePasses(Fiber.join(fiber))
      yield* whileTimePasses(Effect.void)
      assert.match(words(page), /\b25 open events in 30 days/u)
    }).pipe(Effect.scoped)
  )

  it.effect("marks its numbers once the cache has dropped events of the tenant", () =>
    Effect.gen(function* () {
      yield* tenantService(25)
      const editor = new EditorDouble()
      const { cache } = yield* startedWithCache(editor)
      const page = yield* opened(editor)
      yield* whileTimePasses(Effect.void)
      assert.match(words(page), /\b25 open events in 30 days/u)
      yield* cache.note(Array.from({ length: 20_000 }, (_, index) => event(100 + index)))
      yield* whileTimePasses(Effect.void)
      assert.match(words(page), /\b25 open events in 30 days/u)
      yield* cache.note(tenantEvents(30_000, 20_000))
      yield* whileTimePasses(Effect.void)
      assert.match(words(page), /\b20,000\+ open events in 30 days/u)
    }).pipe(Effect.scoped)
  )

  it.effect("shows the numbers that were known of this service alone, until the new ones have caught up", () =>
    Effect.gen(function* () {
      yield* tenantService(25)
      const editor = new EditorDouble()
      yield* started(editor, true)
      const page = yield* opened(editor)
      yield* whileTimePasses(Effect.void)
      assert.match(words(page), /\b25 open events/u)
      const again = new EditorDouble()
      for (const [key, value] of editor.memento) {
        again.memento.set(
          key,
          JSON.parse(JSON.stringify(value).replace("https://exposure.example.com", "https://other.example"))
        )
      }
      yield* served(() => new Promise(() => {}))
      yield* started(again, true)
      assert.match(words(yield* opened(again)), /^Loading… – open events/u)
    }).pipe(Effect.scoped)
  )

  it.effect("offers to look up the accounts of the domain, whatever name its identifier has", () =>
    Effect.gen(function* () {
      const data = { type: "domain", fqdn: "iberia.example.com" }
      const service = new MonitoringService(identifier(3, "Iberia", { data }))
      yield* servedWhole(service.answer)
      const editor = new EditorDouble()
      yield* started(editor, true)
      yield* whileTimePasses(editor.trees.get("identifiers")?.roots ?? Effect.succeed([]))
      const page = yield* opened(editor)
      assert.include(words(page), "Look Up Accounts of iberia.example.com")
      assert.notInclude(words(page), "Look Up Accounts of Iberia")
    }).pipe(Effect.scoped)
  )

  it.effect("counts once the service is back that could not be reached", () =>
    Effect.gen(function* () {
      let isUp = false
      yield* served((path) => {
        if (!isUp) return undefined
        const items = path.endsWith("/tenant/_search") ? tenantEvents(0, 5) : []
        return { status: 200, body: { items, next: null } }
      })
      const editor = new EditorDouble()
      yield* started(editor, true)
      const page = yield* opened(editor)
      while (!words(page).startsWith("The service cannot be reached.")) yield* whileTimePasses(Effect.void)
      isUp = true
      yield* whileTimePasses(editor.trees.get("recommendations")?.roots ?? Effect.succeed([]))
      yield* whileTimePasses(Effect.void)
      assert.match(words(page), /^5 open events /u)
    }).pipe(Effect.scoped)
  )

  it.effect("sends no request without the focus of the window, and goes on with it", () =>
    Effect.gen(function* () {
      const { asked } = yield* tenantService(25)
      const editor = new EditorDouble()
      editor.isFocused = false
      yield* started(editor, true)
      const page = yield* opened(editor)
      yield* whileTimePasses(Effect.void)
      assert.deepStrictEqual(asked, [])
      yield* editor.focus(true)
      yield* whileTimePasses(Effect.void)
      assert.match(words(page), /\b25 open events in 30 days/u)
    }).pipe(Effect.scoped)
  )

  it.effect("counts nothing, not zero, where the service lists neither events of the tenant nor identifiers", () =>
    Effect.gen(function* () {
      yield* served(() => ({ status: 404, body: { error: { code: "NOT_FOUND", message: "no" } } }))
      const editor = new EditorDouble()
      yield* started(editor, true)
      const page = yield* opened(editor)
      assert.match(words(page), /^The service does not list the events of your tenant\. – open events/u)
    }).pipe(Effect.scoped)
  )

  it.effect(
    "loads on demand where the service lists no events of the tenant, and links to exactly the counted events",
    () =>
      Effect.gen(function* () {
        const { asked } = yield* served((path, body) => {
          if (path.endsWith("/tenant/_search"))
            return { status: 404, body: { error: { code: "NOT_FOUND", message: "no" } } }
          const from = typeof body === "object" && body !== null && "from" in body ? Number(body.from) : 0
          const items = Array.from({ length: 10 }, (_, index) => event(from + index))
          return { status: 200, body: { items, next: from === 20 ? null : String(from + 10) } }
        })
        const editor = new EditorDouble()
        editor.settings.set("savedSearches", [{ name: "Ours", query: { type: "domain", fqdn: "example.com" } }])
        yield* started(editor, true)
        const page = yield* opened(editor, { period: "months", severity: "info" })
        assert.include(page.markup, "The service does not list the events of your tenant.")
        assert.include(page.markup, "No events are loaded yet.")
        assert.match(page.markup, /At most 20 searches of your quota\./u)
        assert.deepStrictEqual(asked, ["/svc/v4/events/tenant/_search"])
        asked.length = 0

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
        // The row of one leak and day contains the events.
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
        path.endsWith("/tenant/_search")
          ? { status: 403, body: { error: { code: "FORBIDDEN", message: "no" } } }
          : path.includes("/before/")
            ? late.promise
            : { status: 200, body: { items: [event(2)], next: null } }
      )
      const editor = new EditorDouble()
      withProfiles(editor, "before", "after")
      editor.settings.set("savedSearches", [{ name: "One" }, { name: "Two" }])
      yield* started(editor, false)
      const page = yield* opened(editor)
      assert.include(page.markup, "No events are loaded yet.")
      const loading = yield* Effect.forkChild(editor.commands.get("overview.loadEvents")?.() ?? Effect.void)
      yield* whileTimePasses(Effect.void)
      editor.answers.push("after")
      yield* run(editor, "switchProfile")
      late.resolve({ status: 200, body: { items: [event(1)], next: null } })
      yield* whileTimePasses(Fiber.join(loading))
      assert.deepStrictEqual(
        asked.filter((path) => path.includes("/after/") && !path.includes("/tenant/") && path.endsWith("_search")),
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
