/** Tests the messages of views that cannot load, and their actions. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { EditorDouble } from "../EditorDouble.ts"
import {
  type Answer,
  cancelling,
  event,
  whileTimePasses,
  rowsOf,
  served,
  servedEach,
  started,
  under,
  withProfiles
} from "../Running.ts"

const page = (...ids: ReadonlyArray<number>) => ({ status: 200, body: { items: ids.map(event), next: null } })
const busy = (retryAfter: string) => ({
  status: 429,
  body: { error: { code: "RATE_LIMITED", message: "slow down" } },
  headers: { "retry-after": retryAfter }
})

/** A request that is never answered. */
const never = new Promise<ReturnType<typeof page>>(() => {})

const events = Effect.fnUntraced(function* (answer: Answer, ...names: ReadonlyArray<string>) {
  yield* servedEach(answer)
  const editor = new EditorDouble()
  editor.settings.set(
    "savedSearches",
    names.map((name) => ({ name, query: { type: "keyword", keyword: name } }))
  )
  yield* started(editor, true)
  const tree = editor.trees.get("events")
  const roots = whileTimePasses(tree?.roots ?? Effect.succeed([]))
  return { editor, tree, roots, refresh: whileTimePasses(editor.commands.get("events.refresh")?.() ?? Effect.void) }
})

const asksFor = (body: unknown, keyword: string) => JSON.stringify(body).includes(`"keyword":"${keyword}"`)

describe("a view", () => {
  it.effect("repeats a refresh by itself that was answered with too many requests", () =>
    Effect.gen(function* () {
      let answer: ReturnType<typeof page> | ReturnType<typeof busy> = page(1)
      const { refresh, roots, tree } = yield* events(() => answer, "ours")
      const [folder] = yield* roots
      yield* whileTimePasses(under(folder))
      answer = busy("60")
      yield* refresh
      assert.match(tree?.message ?? "", /^As of .*Too many requests\. Trying again in \d+ s\.$/u)
      answer = page(2, 1)
      yield* TestClock.adjust("60 seconds")
      yield* whileTimePasses(Effect.void)
      assert.isUndefined(tree?.message)
      assert.deepStrictEqual(rowsOf(yield* whileTimePasses(under(folder))), ["Leak number 2", "Leak number 1"])
    }).pipe(Effect.scoped)
  )

  it.effect(
    "waits for its turn, and shows nothing, where a service that was asked too often answers within seconds",
    () =>
      Effect.gen(function* () {
        const answers = [page(1), busy("9"), page(2, 1)]
        const { refresh, roots, tree } = yield* events(() => answers.shift() ?? page(2, 1), "ours")
        const [folder] = yield* roots
        yield* whileTimePasses(under(folder))
        yield* refresh
        assert.isUndefined(tree?.message)
        assert.deepStrictEqual(rowsOf(yield* whileTimePasses(under(folder))), ["Leak number 2", "Leak number 1"])
        assert.isEmpty(answers)
      }).pipe(Effect.scoped)
  )

  it.effect("says that its loading was cancelled, and loads again on request", () =>
    Effect.gen(function* () {
      let isSlow = true
      const { editor, roots, tree } = yield* events(() => (isSlow ? never : page(1)), "ours")
      const [folder] = yield* roots
      yield* cancelling(editor, under(folder))
      assert.strictEqual(tree?.state, "stopped")
      isSlow = false
      yield* whileTimePasses(editor.commands.get("events.refresh")?.() ?? Effect.void)
      const [again] = yield* whileTimePasses(tree?.roots ?? Effect.succeed([]))
      assert.deepStrictEqual(rowsOf(yield* whileTimePasses(under(again))), ["Leak number 1"])
    }).pipe(Effect.scoped)
  )

  it.effect("keeps its rows when a refresh is cancelled", () =>
    Effect.gen(function* () {
      let isSlow = false
      const { editor, roots, tree } = yield* events(() => (isSlow ? never : page(1)), "ours")
      const [folder] = yield* roots
      yield* whileTimePasses(under(folder))
      isSlow = true
      yield* cancelling(editor, editor.commands.get("events.refresh")?.() ?? Effect.void)
      assert.strictEqual(editor.waitedFor.at(-1), "Loading events")
      assert.strictEqual(tree?.state, "ready")
      assert.isUndefined(tree?.message)
      assert.deepStrictEqual(rowsOf(yield* whileTimePasses(under(folder))), ["Leak number 1"])
    }).pipe(Effect.scoped)
  )

  it.effect("counts a long wait in minutes", () =>
    Effect.gen(function* () {
      const { roots, tree } = yield* events(() => busy("7200"), "ours")
      const [folder] = yield* roots
      yield* whileTimePasses(under(folder))
      assert.strictEqual(tree?.state, "rateLimited")
      assert.match(tree?.message ?? "", /Trying again in 1(?:19|20) min\.$/u)
    }).pipe(Effect.scoped)
  )

  it.effect("shows the time with its date once the day has changed", () =>
    Effect.gen(function* () {
      let isUp = true
      const { refresh, roots, tree } = yield* events(() => (isUp ? page(1) : undefined), "ours")
      const [folder] = yield* roots
      yield* whileTimePasses(under(folder))
      isUp = false
      yield* TestClock.adjust("1 day")
      yield* refresh
      assert.match(tree?.message ?? "", /^As of Jan 1, 1970, .*The service cannot be reached\.$/u)
    }).pipe(Effect.scoped)
  )

  const states = [
    { name: "a gateway's error", answer: () => ({ status: 503, body: "" }), state: "outOfOrder" },
    {
      name: "a spent quota",
      answer: () => ({ status: 429, body: { error: { code: "QUOTA_EXHAUSTED", message: "none left" } } }),
      state: "quotaSpent"
    },
    { name: "no answer", answer: () => undefined, state: "offline" }
  ] as const satisfies ReadonlyArray<{ name: string; answer: Answer; state: string }>

  it.effect.each(states)("distinguishes $name", ({ answer, state }) =>
    Effect.gen(function* () {
      const { roots, tree } = yield* events(answer, "ours")
      const [folder] = yield* roots
      yield* whileTimePasses(under(folder))
      assert.deepStrictEqual(yield* roots, [])
      assert.strictEqual(tree?.state, state)
    }).pipe(Effect.scoped)
  )

  it.effect("shows why the service refuses a search, and the events of the others", () =>
    Effect.gen(function* () {
      const refused = { status: 422, body: { detail: [{ loc: ["body", "query"], msg: "not so", type: "value" }] } }
      let ids = [1]
      const { refresh, roots, tree } = yield* events(
        (_, body) => (asksFor(body, "refused") ? refused : page(...ids)),
        "refused",
        "ours"
      )
      const [first, second] = yield* roots
      const [problem] = yield* whileTimePasses(under(first))
      assert.include(problem?.row.label ?? "", "not so")
      assert.strictEqual(problem?.row.command?.name, "retry")
      assert.deepStrictEqual(rowsOf(yield* whileTimePasses(under(second))), ["Leak number 1"])
      assert.strictEqual(tree?.state, "ready")
      ids = [2, 1]
      yield* refresh
      assert.deepStrictEqual(rowsOf(yield* whileTimePasses(under(second))), ["Leak number 2", "Leak number 1"])
    }).pipe(Effect.scoped)
  )

  it.effect("shows the events of the other identifiers if the service no longer knows one", () =>
    Effect.gen(function* () {
      let isGone = false
      const { editor, roots } = yield* events((path) =>
        isGone && path.includes("/identifiers/2/")
          ? { status: 404, body: { error: { code: "NOT_FOUND", message: "no" } } }
          : page(Number(path.split("/").at(-2)))
      )
      for (const id of ["1", "2"]) {
        editor.answers.push(id, `number ${id}`)
        yield* whileTimePasses(editor.commands.get("identifiers.addById")?.() ?? Effect.void)
      }
      isGone = true
      const [folder] = yield* roots
      assert.deepStrictEqual(rowsOf(yield* whileTimePasses(under(folder))), ["Leak number 1"])
    }).pipe(Effect.scoped)
  )

  it.effect("keeps the loaded events of identifiers if the request for another one fails", () =>
    Effect.gen(function* () {
      let isUp = true
      const { editor, roots, tree } = yield* events((path) => (isUp ? page(Number(path.split("/").at(-2))) : undefined))
      const add = Effect.fnUntraced(function* (id: string) {
        editor.answers.push(id, `number ${id}`)
        yield* whileTimePasses(editor.commands.get("identifiers.addById")?.() ?? Effect.void)
      })
      const shown = Effect.gen(function* () {
        const [folder] = yield* roots
        return rowsOf(yield* whileTimePasses(under(folder)))
      })
      yield* add("1")
      assert.deepStrictEqual(yield* shown, ["Leak number 1"])
      yield* add("2")
      isUp = false
      assert.deepStrictEqual(yield* shown, ["The service cannot be reached.", "Leak number 1"])
      assert.strictEqual(tree?.state, "ready")
      isUp = true
      assert.sameMembers(yield* shown, ["Leak number 1", "Leak number 2"])
    }).pipe(Effect.scoped)
  )

  it.effect("ignores a late answer for the previous profile", () =>
    Effect.gen(function* () {
      const late = Promise.withResolvers<{ readonly status: number; readonly body: unknown }>()
      yield* served((path) => {
        if (path.includes("/before/")) {
          return path.includes("recommendations") ? late.promise : { status: 200, body: [] }
        }
        return { status: 200, body: { items: [recommendation(2)], next: null } }
      })
      const editor = new EditorDouble()
      withProfiles(editor, "before", "after")
      yield* started(editor, false)
      const tree = editor.trees.get("recommendations")
      const asking = yield* Effect.forkChild(tree?.roots ?? Effect.succeed([]))
      yield* whileTimePasses(Effect.void)
      editor.answers.push("after")
      yield* whileTimePasses(editor.commands.get("switchProfile")?.() ?? Effect.void)
      const [folder] = yield* whileTimePasses(tree?.roots ?? Effect.succeed([]))
      late.resolve({ status: 200, body: { items: [recommendation(1)], next: null } })
      yield* whileTimePasses(Effect.void)
      assert.deepStrictEqual(rowsOf(yield* under(folder)), ["two.example.com"])
      const [again] = yield* whileTimePasses(tree?.roots ?? Effect.succeed([]))
      assert.deepStrictEqual(rowsOf(yield* under(again)), ["two.example.com"])
      assert.isDefined(asking.pollUnsafe())
      assert.isUndefined(tree?.message)
    }).pipe(Effect.scoped)
  )

  it.effect("reports a failed refresh while another folder shows its progress", () =>
    Effect.gen(function* () {
      let isUp = true
      const { editor, refresh, roots, tree } = yield* events(() => (isUp ? page(1) : undefined), "ours")
      editor.answers.push("1", "number 1")
      yield* whileTimePasses(editor.commands.get("identifiers.addById")?.() ?? Effect.void)
      const [all, search] = yield* roots
      yield* whileTimePasses(under(search))
      isUp = false
      yield* refresh
      const [problem] = yield* whileTimePasses(under(all))
      assert.strictEqual(problem?.row.command?.name, "retry")
      assert.match(tree?.message ?? "", /^As of .*The service cannot be reached\.$/u)
    }).pipe(Effect.scoped)
  )

  it.effect("removes the message about the service once a retry succeeds", () =>
    Effect.gen(function* () {
      let isUp = true
      const { editor, refresh, roots, tree } = yield* events(() => (isUp ? page(1) : undefined), "ours", "theirs")
      const [first, second] = yield* roots
      yield* whileTimePasses(under(first))
      isUp = false
      const [problem] = yield* whileTimePasses(under(second))
      yield* refresh
      assert.include(tree?.message ?? "", "The service cannot be reached.")
      isUp = true
      yield* whileTimePasses(editor.commands.get("retry")?.(problem) ?? Effect.void)
      assert.isUndefined(tree?.message)
    }).pipe(Effect.scoped)
  )

  it.effect.each(["a refresh", "a first load"])(
    "repeats %0 that did not reach the service, once the service answers something else",
    (which) =>
      Effect.gen(function* () {
        let isUp = which === "a refresh"
        const { editor, refresh, roots, tree } = yield* events(
          (path) => (isUp || path.includes("recommendations") ? page(1) : undefined),
          "ours"
        )
        const [folder] = yield* roots
        yield* whileTimePasses(under(folder))
        isUp = false
        if (which === "a refresh") yield* refresh
        assert.include([tree?.message, tree?.state].join(), which === "a refresh" ? "cannot be reached" : "offline")
        isUp = true
        yield* whileTimePasses(editor.trees.get("recommendations")?.roots ?? Effect.succeed([]))
        yield* whileTimePasses(Effect.void)
        assert.isUndefined(tree?.message)
        const [again] = yield* roots
        assert.strictEqual(tree?.state, "ready")
        assert.deepStrictEqual(rowsOf(yield* whileTimePasses(under(again))), ["Leak number 1"])
      }).pipe(Effect.scoped)
  )

  it.effect("removes the rows of a profile before it loads those of the next", () =>
    Effect.gen(function* () {
      yield* served(() => ({ status: 200, body: { items: [recommendation(1)], next: null } }))
      const editor = new EditorDouble()
      withProfiles(editor, "before", "after")
      yield* started(editor, false)
      const tree = editor.trees.get("recommendations")
      const roots = whileTimePasses(tree?.roots ?? Effect.succeed([]))
      assert.lengthOf(yield* roots, 1)
      editor.answers.push("after")
      yield* whileTimePasses(editor.commands.get("switchProfile")?.() ?? Effect.void)
      const drawn = tree?.refreshes ?? 0
      assert.lengthOf(yield* roots, 0)
      assert.strictEqual(tree?.state, "ready")
      assert.isAbove(tree?.refreshes ?? 0, drawn)
      assert.lengthOf(yield* roots, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("sends no request for a row of the previous profile, and learns nothing from it", () =>
    Effect.gen(function* () {
      const { asked } = yield* served(() => ({
        status: 200,
        body: { items: [{ ...event(1), identifiers: [{ id: 7, name: "of before" }] }], next: null }
      }))
      const editor = new EditorDouble()
      withProfiles(editor, "before", "after")
      editor.memento.set("everywhere register.before", {
        identifiers: [{ id: 7, name: "of before", origin: "entered" }],
        policies: [],
        groups: []
      })
      yield* started(editor, false)
      const tree = editor.trees.get("events")
      const [row] = yield* whileTimePasses(tree?.roots ?? Effect.succeed([]))
      assert.strictEqual(row?.row.label, "All Identifiers")
      editor.answers.push("after")
      yield* whileTimePasses(editor.commands.get("switchProfile")?.() ?? Effect.void)
      const sent = asked.length
      assert.deepStrictEqual(rowsOf(yield* whileTimePasses(under(row))), [])
      assert.strictEqual(asked.length, sent)
      assert.isUndefined(editor.memento.get("everywhere register.after"))
      assert.deepStrictEqual(rowsOf(yield* whileTimePasses(tree?.roots ?? Effect.succeed([]))), [])
    }).pipe(Effect.scoped)
  )

  it.effect("draws rows again once the age on one of them changes", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-20T07:58:30Z"))
      yield* servedEach(() => page(1))
      const editor = new EditorDouble()
      editor.settings.set("refresh.minutes", 0)
      editor.settings.set("savedSearches", [{ name: "ours", query: { type: "keyword", keyword: "ours" } }])
      yield* started(editor, true)
      const tree = editor.trees.get("events")
      const [folder] = yield* whileTimePasses(tree?.roots ?? Effect.succeed([]))
      const [row] = yield* whileTimePasses(under(folder))
      assert.match(row?.row.label ?? "", /^23h · /u)
      yield* TestClock.adjust("15 seconds")
      const drawn = tree?.refreshes ?? 0
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(tree?.refreshes, drawn)
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(tree?.refreshes, drawn + 1)
      const [older] = yield* whileTimePasses(under(folder))
      assert.match(older?.row.label ?? "", /^1d · /u)
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(tree?.refreshes, drawn + 1)
    }).pipe(Effect.scoped)
  )

  it.effect("counts those of the new events that are open", () =>
    Effect.gen(function* () {
      let ids = [1]
      const { editor, roots, tree } = yield* events(
        (path) => (path.endsWith("/events/actions") ? { status: 200, body: {} } : page(...ids)),
        "ours"
      )
      const [folder] = yield* roots
      yield* whileTimePasses(under(folder))
      ids = [3, 2, 1]
      yield* TestClock.adjust("5 minutes")
      yield* whileTimePasses(Effect.void)
      assert.strictEqual(tree?.badge, 2)
      yield* whileTimePasses(editor.commands.get("events.ignore")?.("leak/somewhere/3") ?? Effect.void)
      assert.strictEqual(tree?.badge, 1)
      yield* whileTimePasses(editor.commands.get("events.undo")?.() ?? Effect.void)
      assert.strictEqual(tree?.badge, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("resets the number of new events with the profile", () =>
    Effect.gen(function* () {
      let ids = [1]
      const { editor, roots, tree } = yield* events(() => page(...ids), "ours")
      const [folder] = yield* roots
      yield* whileTimePasses(under(folder))
      ids = [3, 2, 1]
      yield* TestClock.adjust("5 minutes")
      yield* whileTimePasses(Effect.void)
      assert.strictEqual(tree?.badge, 2)
      yield* whileTimePasses(editor.commands.get("events.openPage")?.("leak/somewhere/3") ?? Effect.void)
      assert.strictEqual(tree?.badge, 1)
      yield* whileTimePasses(editor.commands.get("signOut")?.() ?? Effect.void)
      assert.isUndefined(tree?.badge)
    }).pipe(Effect.scoped)
  )
})

const recommendation = (id: number) => ({
  id,
  data: { type: "domain", fqdn: id === 1 ? "one.example.com" : "two.example.com" },
  status: "recommended",
  updated_at: "2026-11-01T00:00:00Z",
  relevancy: "HIGH"
})
