import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { EditorDouble } from "../EditorDouble.ts"
import { served, servedWhole, started, whileTimePasses, withProfiles } from "../Running.ts"

const labels = (editor: EditorDouble) =>
  Effect.map(whileTimePasses(editor.trees.get("identifiers")?.roots ?? Effect.succeed([])), (rows) =>
    rows.flatMap(({ row }) => (row.id === "identifiers:lacking" ? [] : row.label))
  )

it.effect("keeps the identifiers of each profile apart, those of the settings too", () =>
  Effect.gen(function* () {
    yield* served((path) =>
      path.endsWith("/assets/")
        ? { status: 200, body: { asset: { id: 1, name: "example.net", type: "domain" } } }
        : { status: 200, body: { items: [], next: null } }
    )
    const editor = new EditorDouble()
    withProfiles(editor, "first", "second")
    editor.settings.set("identifiers.known", [
      { profile: "first", id: 1, name: "example.com" },
      { id: 2, name: "of no profile" },
      { profile: "first", id: 3 }
    ])
    yield* started(editor, false)
    assert.deepStrictEqual(yield* labels(editor), ["example.com"])
    assert.include(editor.log.join("\n"), "Entry 2 of the setting threatExposure.identifiers.known is left out")
    assert.include(editor.log.join("\n"), "Entry 3 of the setting threatExposure.identifiers.known is left out")
    editor.answers.push("second")
    yield* whileTimePasses(editor.commands.get("switchProfile")?.() ?? Effect.void)
    yield* labels(editor)
    assert.deepStrictEqual(yield* labels(editor), [])
    editor.answers.push("Domain", "example.net", "")
    yield* whileTimePasses(editor.commands.get("identifiers.create")?.() ?? Effect.void)
    assert.deepStrictEqual(yield* labels(editor), ["example.net"])
    editor.answers.push("first")
    yield* whileTimePasses(editor.commands.get("switchProfile")?.() ?? Effect.void)
    yield* labels(editor)
    assert.deepStrictEqual(yield* labels(editor), ["example.com"])
  }).pipe(Effect.scoped)
)

it.effect("forgets what it remembers of another service under the same name of a profile", () =>
  Effect.gen(function* () {
    yield* served(() => ({ status: 200, body: { items: [], next: null } }))
    const editor = new EditorDouble()
    withProfiles(editor, "first")
    const entries = { identifiers: [{ id: 1, name: "example.com", origin: "created" }], policies: [], groups: [] }
    const service = "https://exposure.example.com first "
    editor.memento.set("everywhere register.first", { ...entries, service })
    yield* started(editor, false)
    assert.deepStrictEqual(yield* labels(editor), ["example.com"])

    const moved = new EditorDouble()
    withProfiles(moved, "first")
    moved.settings.set("profiles", [{ name: "first", baseUrl: "https://other.example.com" }])
    moved.memento.set("everywhere register.first", { ...entries, service })
    yield* started(moved, false)
    assert.deepStrictEqual(yield* labels(moved), [])
  }).pipe(Effect.scoped)
)

it.effect("does not take an empty first page for an empty list of identifiers", () =>
  Effect.gen(function* () {
    yield* servedWhole((path, _, __, search) => {
      if (!path.endsWith("/v4/identifiers/")) return { status: 200, body: { items: [], next: null } }
      const from = Number(search.get("from") ?? 0)
      const items =
        from < 2 ? [] : [{ id: 1, name: "orchard.example", data: { type: "domain", fqdn: "orchard.example" } }]
      return { status: 200, body: { items, next: from < 2 ? String(from + 1) : null } }
    })
    const editor = new EditorDouble()
    withProfiles(editor, "first")
    yield* started(editor, false)
    const rows = yield* whileTimePasses(editor.trees.get("events")?.roots ?? Effect.succeed([]))
    assert.deepStrictEqual(
      rows.map(({ row }) => row.label),
      ["All Identifiers"]
    )
    assert.strictEqual(editor.trees.get("events")?.state, "ready")
  }).pipe(Effect.scoped)
)

const forbidden = { status: 403, body: { error: { code: "FORBIDDEN", message: "no" } } }
const event = {
  event_type: "paste",
  metadata: { uid: "paste/1", severity: "low", estimated_created_at: "2026-11-01T00:00:00Z" },
  data: { title: "a paste" }
}

it.effect.each([
  { may: "the events", events: { status: 200, body: { items: [event], next: null } }, state: "ready", rows: 1 },
  { may: "neither", events: forbidden, state: "forbidden", rows: 0 }
])("does not call unknown events none where the key may not list identifiers, and may list $may", (given) =>
  Effect.gen(function* () {
    yield* servedWhole((path) => (path.endsWith("/v4/events/tenant/_search") ? given.events : forbidden))
    const editor = new EditorDouble()
    yield* started(editor, true)
    const rowsOf = (view: string) => whileTimePasses(editor.trees.get(view)?.roots ?? Effect.succeed([]))
    yield* rowsOf("events")
    assert.deepStrictEqual(yield* rowsOf("identifiers"), [])
    assert.strictEqual(editor.trees.get("identifiers")?.state, "forbidden")
    const [all] = yield* rowsOf("events")
    assert.strictEqual(all?.row.label, "All Identifiers")
    assert.lengthOf(yield* whileTimePasses(all?.children ?? Effect.succeed([])), given.rows)
    assert.strictEqual(editor.trees.get("events")?.state, given.state)
  }).pipe(Effect.scoped)
)
