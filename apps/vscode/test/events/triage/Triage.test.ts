/**
 * Tests changes of events: shown at once, sent in the background, stored across a reload, undone, and reverted if the
 * service refuses them.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import type { TreeNode } from "../../../src/editor/tree/TreeNode.ts"
import { EditorDouble } from "../../EditorDouble.ts"
import { event, rowsOf, served, started, under, timePassesUntil, whileTimePasses, withProfiles } from "../../Running.ts"

interface Said {
  ignored_at?: string
  remediated_at?: string
  tags: ReadonlyArray<string>
  notes: string | null
  severity: { original: string; override: string } | null
}

/** A service with events of identifier 1 that stores annotations of the tenant. */
const service = (total: number) => {
  const said = new Map<string, Said>()
  const saidOf = (uid: string): Said => said.get(uid) ?? { severity: null, tags: [], notes: null }
  const requests: Array<{ readonly path: string; readonly body: any }> = []
  const control = {
    answer: undefined as undefined | ((uids: ReadonlyArray<string>, path: string) => number | Promise<number>),
    refusal: undefined as unknown
  }
  const answer = async (path: string, body: any, uid: string) => {
    if (path.endsWith("_search")) {
      const from = Number(body.from ?? 0)
      const all = Array.from({ length: total }, (_, index) => ({
        ...event(index),
        identifiers: [{ id: 1, name: "orchard.example" }],
        tenant_metadata: saidOf(event(index).metadata.uid)
      }))
      const wanted: ReadonlyArray<string> = body.filters?.status ?? ["open", "ignored", "remediated"]
      const matching = all.filter(({ tenant_metadata: { ignored_at, remediated_at } }) =>
        wanted.includes(remediated_at !== undefined ? "remediated" : ignored_at !== undefined ? "ignored" : "open")
      )
      const next = from + 10 < matching.length ? String(from + 10) : null
      return { status: 200, body: { items: matching.slice(from, from + 10), next } }
    }
    if (path.endsWith("/events/"))
      return {
        status: 200,
        body: { ...event(1), event_type: "paste", metadata: { ...event(1).metadata, uid }, data: {} }
      }
    if (path.endsWith("/events/actions") || path.endsWith("/tenant/metadata")) {
      requests.push({ path, body })
      const uids: ReadonlyArray<string> = body.targets?.map((target: { uid: string }) => target.uid) ?? [uid]
      const status = (await control.answer?.(uids, path)) ?? 200
      const refusal = control.refusal ?? { error: { code: "REFUSED", message: "refused by the test" } }
      if (status !== 200) return { status, body: refusal }
      for (const each of uids) {
        const { ignored_at: _, remediated_at: __, ...rest } = saidOf(each)
        const at = "2026-11-21T00:00:00Z"
        said.set(each, {
          ...(body.targets === undefined ? { ...saidOf(each), ...changesOf(body) } : rest),
          ...(body.action?.type === "ignore" ? { ignored_at: at } : {}),
          ...(body.action?.type === "remediate" ? { remediated_at: at } : {})
        })
      }
      const { notes, severity, tags } = saidOf(uid)
      return { status: 200, body: { uid, notes, tags, severity: severity?.override ?? null } }
    }
    return { status: 404, body: { error: { code: "NOT_FOUND", message: "not found" } } }
  }
  const changesOf = ({ notes, severity, tags }: any): Partial<Said> => ({
    ...(notes === undefined ? {} : { notes }),
    ...(tags === undefined ? {} : { tags: tags ?? [] }),
    ...(severity === undefined ? {} : { severity: severity && { original: "high", override: severity } })
  })
  return { said, saidOf, requests, control, answer }
}

const running = Effect.fnUntraced(function* (total: number) {
  const behind = service(total)
  yield* served((path, body, _, search) => behind.answer(path, body, search.get("uid") ?? ""))
  const editor = new EditorDouble()
  withProfiles(editor, "sample")
  editor.memento.set("everywhere register.sample", {
    identifiers: [{ id: 1, name: "orchard.example", origin: "event" }],
    policies: [],
    groups: []
  })
  editor.settings.set("events.pageSize", 100)
  const start = started(editor, false)
  let scope = yield* start
  const tree = () => editor.trees.get("events")
  const folder = Effect.suspend(() =>
    Effect.map(whileTimePasses(tree()?.roots ?? Effect.succeed([])), (roots) => roots[0])
  )
  /** Visible events, including those below a row of one leak and day. */
  const rows = Effect.gen(function* () {
    const shown = yield* whileTimePasses(Effect.flatMap(folder, under))
    const inside = yield* whileTimePasses(
      Effect.forEach(shown, (row) => Effect.map(under(row), (children) => (children.length > 0 ? children : [row])))
    )
    return inside.flat()
  })
  const run = (command: string, ...args: ReadonlyArray<unknown>) =>
    editor.commands.get(command)?.(...args) ?? Effect.die(`no ${command}`)
  const reload = Effect.gen(function* () {
    yield* Scope.close(scope, Exit.void)
    scope = yield* start
  })
  const on = (nodes: ReadonlyArray<TreeNode>): ReadonlyArray<unknown> => [nodes[0], nodes]
  return { ...behind, editor, folder, on, reload, rows, run, tree }
})

const states = (said: ReadonlyMap<string, Said>) =>
  [...said.values()].map(({ ignored_at, remediated_at }) =>
    remediated_at !== undefined ? "remediated" : ignored_at !== undefined ? "ignored" : "open"
  )

describe("triage", () => {
  it.effect("shows open events alone, and changes the selected ones at once; an undo brings them back", () =>
    Effect.gen(function* () {
      const { control, editor, on, requests, rows, run, said, tree } = yield* running(25)
      const all = yield* rows
      assert.strictEqual(all.length, 25)
      assert.strictEqual(tree()?.description, "open")
      let release = () => {}
      control.answer = () => new Promise((resolve) => (release = () => resolve(200)))
      const before = tree()?.refreshes ?? 0
      yield* run("events.ignore", ...on(all.slice(0, 12)))
      yield* Effect.yieldNow
      assert.strictEqual((yield* rows).length, 13)
      assert.isAbove(tree()?.refreshes ?? 0, before)
      assert.deepStrictEqual(states(said), [])
      control.answer = undefined
      release()
      yield* rows
      assert.deepStrictEqual(
        requests.map(({ body }) => [body.action.type, body.targets.length]),
        [
          ["ignore", 10],
          ["ignore", 2]
        ]
      )
      assert.deepStrictEqual(
        states(said),
        Array.from({ length: 12 }, () => "ignored")
      )
      // After a refresh, the service's answers show the same state.
      yield* whileTimePasses(run("events.refresh"))
      assert.strictEqual((yield* rows).length, 13)

      assert.isTrue(editor.context.get("events.canUndo"))
      yield* run("events.undo")
      assert.strictEqual((yield* rows).length, 25)
      assert.deepStrictEqual(
        states(said),
        Array.from({ length: 12 }, () => "open")
      )
      assert.isFalse(editor.context.get("events.canUndo"))
      assert.isUndefined(editor.memento.get("here triage.sample"))
    }).pipe(Effect.scoped)
  )

  it.effect("sends the rest after a reload in the middle, and keeps nothing but uids and changes", () =>
    Effect.gen(function* () {
      const { control, editor, on, reload, requests, rows, run, said } = yield* running(35)
      const all = yield* rows
      control.answer = () => (requests.length > 1 ? 503 : 200)
      yield* run("events.remediate", ...on(all))
      yield* whileTimePasses(Effect.void)
      assert.strictEqual(said.size, 10)
      assert.deepStrictEqual(editor.memento.get("here triage.sample"), {
        service: "https://exposure.example.com sample ",
        changes: all.slice(10).map(({ row }) => ({ uid: row.command?.args?.[0], action: "remediate" }))
      })
      yield* reload
      control.answer = undefined
      assert.deepStrictEqual(rowsOf(yield* rows), ["No events match."])
      yield* whileTimePasses(Effect.void)
      assert.deepStrictEqual(
        states(said),
        Array.from({ length: 35 }, () => "remediated")
      )
      assert.isUndefined(editor.memento.get("here triage.sample"))
    }).pipe(Effect.scoped)
  )

  it.effect("waits while the service limits calls or does not answer, and says how many are left", () =>
    Effect.gen(function* () {
      const { control, on, requests, rows, run, said, tree } = yield* running(30)
      const all = yield* rows
      control.answer = () => (requests.length < 3 ? 429 : 200)
      yield* run("events.ignore", ...on(all.slice(0, 20)))
      yield* timePassesUntil(() => tree()?.message === "Sending 20 changes")
      yield* timePassesUntil(() => tree()?.message === undefined)
      assert.strictEqual(said.size, 20)
      assert.isUndefined(tree()?.message)
    }).pipe(Effect.scoped)
  )

  it.effect("takes back what the service refuses, and says why; the others of the request are changed", () =>
    Effect.gen(function* () {
      const { control, editor, on, rows, run, said } = yield* running(12)
      const all = yield* rows
      const refused = all[4]?.row.command?.args?.[0]
      control.answer = (uids) => (uids.some((uid) => uid === refused) ? 404 : 200)
      yield* run("events.ignore", ...on(all))
      yield* whileTimePasses(Effect.void)
      yield* whileTimePasses(Effect.void)
      assert.deepStrictEqual(
        (yield* rows).map(({ row }) => row.command?.args?.[0]),
        [refused]
      )
      assert.strictEqual(said.size, 11)
      assert.match(editor.told.join("\n"), /1 change was taken back: the service changes only events that match/u)

      control.answer = () => 403
      yield* run("events.remediate", ...on(yield* rows))
      yield* whileTimePasses(Effect.void)
      assert.strictEqual((yield* rows).length, 1)
      assert.match(editor.told.join("\n"), /1 change was taken back: Your key lacks/u)
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    { status: 404, body: { detail: "Not Found" }, requests: 1, why: "The service does not offer this." },
    { status: 404, body: "<h1>404</h1>", requests: 1, why: "The service does not offer this." },
    { status: 405, requests: 1, why: "The service does not offer this." },
    { status: 501, requests: 1, why: "The service does not offer this." },
    // Six attempts for each request of ten, then one for each change.
    { status: 500, requests: 3 * 6 + 25, why: "The service returned an error (status 500)." }
  ])("takes back all changes after few requests if the service answers each with $status", (given) =>
    Effect.gen(function* () {
      const { control, editor, on, requests, rows, run } = yield* running(25)
      control.answer = () => given.status
      control.refusal = given.body
      yield* run("events.remediate", ...on(yield* rows))
      yield* timePassesUntil(() => editor.told.some((each) => each.includes("were taken back")))
      assert.include(editor.told, `error: 25 changes were taken back: ${given.why}`)
      assert.lengthOf(requests, given.requests)
      assert.lengthOf(yield* rows, 25)
    }).pipe(Effect.scoped)
  )

  it.effect("changes the state of an event that no list has, where the service takes no annotations", () =>
    Effect.gen(function* () {
      const { control, editor, run, said } = yield* running(1)
      const uid = "paste/elsewhere/1"
      control.refusal = { detail: "Not Found" }
      control.answer = (_, path) => (path.endsWith("/metadata") ? 404 : 200)
      yield* whileTimePasses(run("events.ignore", uid))
      yield* whileTimePasses(Effect.void)
      assert.deepStrictEqual([editor.told, states(said)], [[], ["ignored"]])
    }).pipe(Effect.scoped)
  )

  it.effect("makes the changes that were taken back again if somebody retries them", () =>
    Effect.gen(function* () {
      const { control, editor, on, requests, rows, run, said } = yield* running(5)
      const all = yield* rows
      control.answer = () => (requests.length === 1 ? 403 : 200)
      editor.presses.push("Retry")
      yield* run("events.ignore", ...on(all.slice(0, 3)))
      yield* timePassesUntil(() => said.size === 3)
      assert.match(editor.told.join("\n"), /3 changes were taken back: Your key lacks/u)
      assert.deepStrictEqual(states(said), ["ignored", "ignored", "ignored"])
      assert.strictEqual((yield* rows).length, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("tags, notes and rates several events, and keeps the tags that only one of them has", () =>
    Effect.gen(function* () {
      const { editor, on, rows, run, said, saidOf } = yield* running(3)
      const uids = (yield* rows).map(({ row }) => String(row.command?.args?.[0]))
      const [first = "", second = ""] = uids
      editor.answers.push("urgent")
      yield* whileTimePasses(run("events.tag", ...on((yield* rows).slice(0, 1))))
      editor.answers.push("shops, northern")
      yield* whileTimePasses(run("events.tag", ...on((yield* rows).slice(0, 2))))
      assert.deepStrictEqual(saidOf(first).tags, ["urgent", "shops", "northern"])
      assert.deepStrictEqual(saidOf(second).tags, ["shops", "northern"])
      editor.answers.push("northern")
      yield* whileTimePasses(run("events.tag", ...on((yield* rows).slice(0, 2))))
      assert.strictEqual(editor.asked.at(-1)?.value, "shops, northern")
      assert.deepStrictEqual(saidOf(first).tags, ["urgent", "northern"])

      editor.answers.push("Told the shop")
      yield* whileTimePasses(run("events.note", first))
      editor.answers.push("Low")
      yield* whileTimePasses(run("events.setSeverity", ...on(yield* rows)))
      assert.strictEqual(saidOf(first).notes, "Told the shop")
      assert.deepStrictEqual(
        uids.map((uid) => saidOf(uid).severity?.override),
        ["low", "low", "low"]
      )
      assert.isTrue((yield* rows).every(({ row }) => row.accessibleLabel?.startsWith("low") === true))
      for (let step = 0; step < 5; step++) yield* whileTimePasses(run("events.undo"))
      const untouched: Said = { severity: null, tags: [], notes: null }
      for (const each of said.values()) assert.deepStrictEqual(each, untouched)
    }).pipe(Effect.scoped)
  )

  it.effect("sends nothing of one profile to another of the same name", () =>
    Effect.gen(function* () {
      const { editor, reload, requests, rows } = yield* running(3)
      yield* rows
      editor.memento.set("here triage.sample", {
        service: "https://other.example.com sample ",
        changes: [{ uid: "leak/somewhere/1", action: "ignore" }]
      })
      yield* reload
      assert.strictEqual((yield* rows).length, 3)
      assert.deepStrictEqual(requests, [])
    }).pipe(Effect.scoped)
  )
})
