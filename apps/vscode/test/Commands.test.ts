/** The effect of commands on the rows on which they are chosen. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EditorDouble } from "./EditorDouble.ts"
import { event, whileTimePasses, served, started, under } from "./Running.ts"

const policy = (number: number) => ({
  matching_policy: {
    uuid: `uuid-${number}`,
    name: `Policy ${number}`,
    policy_type: "INCLUDED_KEYWORDS",
    value: { keywords: ["shop"] },
    created_at: "2026-11-01T00:00:00Z",
    last_updated_at: "2026-11-01T00:00:00Z"
  },
  assigned_at: "2026-11-01T00:00:00Z",
  clean_past_events: false
})

describe("a command that adds an identifier or a policy by its id", () => {
  it.effect("says what was not found", () =>
    Effect.gen(function* () {
      yield* served(() => ({ status: 404, body: { error: { code: "NOT_FOUND", message: "no" } } }))
      const editor = new EditorDouble()
      yield* started(editor, true)
      editor.answers.push("9999")
      yield* whileTimePasses(editor.commands.get("identifiers.addById")?.() ?? Effect.void)
      editor.answers.push("p-9")
      yield* whileTimePasses(editor.commands.get("policies.addById")?.() ?? Effect.void)
      assert.includeMembers(editor.told, ["error: Identifier 9999 not found.", "error: Policy p-9 not found."])
    }).pipe(Effect.scoped)
  )
})

describe("a command on rows", () => {
  it.effect("does nothing, and says so, if the editor passes not all of the selected ones", () =>
    Effect.gen(function* () {
      const { asked } = yield* served((path) =>
        path.includes("/by_identifier_id/")
          ? { status: 200, body: [policy(1), policy(2)] }
          : { status: 200, body: { items: [], next: null } }
      )
      const editor = new EditorDouble()
      editor.settings.set("identifiers.known", [{ profile: "sample", id: 1, name: "ours" }])
      yield* started(editor, true)
      const [row] = yield* whileTimePasses(editor.trees.get("policies")?.roots ?? Effect.succeed([]))
      assert.isDefined(row)
      const before = asked.length
      for (const args of [
        [undefined, [undefined, row]],
        [row, [row, undefined]]
      ]) {
        editor.told.length = 0
        yield* whileTimePasses(editor.commands.get("policies.delete")?.(...args) ?? Effect.void)
        assert.deepStrictEqual(editor.told, [
          "info: Nothing was done, because the rows were being drawn again. Try again."
        ])
      }
      assert.strictEqual(asked.length, before)
    }).pipe(Effect.scoped)
  )

  it.effect("deletes every selected policy, and first says what is lost", () =>
    Effect.gen(function* () {
      let left = [1, 2, 3]
      const { asked } = yield* served((path) => {
        if (path.includes("/by_identifier_id/")) return { status: 200, body: left.map(policy) }
        if (path.endsWith("/assignments")) {
          const item = { identifier_id: 1, identifier_name: "ours", clean_past_events: false, assigned_at: null }
          return { status: 200, body: { items: [item], next: null } }
        }
        if (path.includes("/matching-policies/")) {
          left = left.filter((number) => !path.endsWith(`uuid-${number}`))
          return { status: 200, body: null }
        }
        return { status: 200, body: { items: [event(1)], next: null } }
      })
      const editor = new EditorDouble()
      yield* started(editor, true)
      editor.answers.push("1", "ours")
      yield* whileTimePasses(editor.commands.get("identifiers.addById")?.() ?? Effect.void)
      const [first, second, third] = yield* whileTimePasses(editor.trees.get("policies")?.roots ?? Effect.succeed([]))
      editor.answers.push("Delete")
      yield* whileTimePasses(editor.commands.get("policies.delete")?.(second, [first, second]) ?? Effect.void)
      assert.deepStrictEqual(left, [3])
      assert.include(editor.told, "asked: Delete 2 policies?")
      assert.include(
        editor.told.join("\n"),
        "Policy 2, Policy 1\n\nAssigned to 1 identifier: ours. An identifier without a policy matches every event again."
      )
      const rows = yield* whileTimePasses(editor.trees.get("policies")?.roots ?? Effect.succeed([]))
      assert.deepStrictEqual(
        rows.map(({ row }) => row.label),
        ["Policy 3", "The service gives no list"]
      )
      assert.strictEqual(third?.row.label, "Policy 3")
      assert.isNotEmpty(asked)
    }).pipe(Effect.scoped)
  )

  it.effect("acts on the row whose button was pressed, whatever else is selected", () =>
    Effect.gen(function* () {
      yield* served(() => ({ status: 200, body: { items: [event(1), event(2)], next: null } }))
      const editor = new EditorDouble()
      editor.settings.set("savedSearches", [{ name: "One" }, { name: "Two" }])
      yield* started(editor, true)
      const [one, two] = yield* whileTimePasses(editor.trees.get("events")?.roots ?? Effect.succeed([]))
      editor.answers.push("Delete")
      yield* whileTimePasses(editor.commands.get("events.deleteSearch")?.(two, [one, two]) ?? Effect.void)
      assert.include(editor.told, "asked: Delete 2 saved searches?")
      assert.deepStrictEqual(editor.settings.get("savedSearches"), [])
      const events = yield* whileTimePasses(under(one))
      yield* whileTimePasses(editor.commands.get("copyId")?.(events[1], events) ?? Effect.void)
      assert.strictEqual(editor.clipboard, "leak/somewhere/2\nleak/somewhere/1")
    }).pipe(Effect.scoped)
  )

  it.effect("reports an unexpected failure", () =>
    Effect.gen(function* () {
      const editor = new EditorDouble()
      yield* started(editor, false)
      editor.settings.set("profiles", [{ name: "one", baseUrl: "https://exposure.example.com" }])
      editor.answers.push("no such choice")
      yield* whileTimePasses(editor.commands.get("switchProfile")?.() ?? Effect.void)
      assert.include(editor.told, "error: Something went wrong. See the log for details.")
    })
  )

  it.effect("keeps the data of an identifier that is added again", () =>
    Effect.gen(function* () {
      yield* served((path) =>
        path.endsWith("/assets/")
          ? { status: 200, body: { asset: { id: 7, name: "example.com", type: "domain", search_types: ["leak"] } } }
          : { status: 200, body: { items: [], next: null } }
      )
      const editor = new EditorDouble()
      yield* started(editor, true)
      editor.answers.push("Domain", "example.com", "")
      yield* whileTimePasses(editor.commands.get("identifiers.create")?.() ?? Effect.void)
      editor.answers.push("7", "ours")
      yield* whileTimePasses(editor.commands.get("identifiers.addById")?.() ?? Effect.void)
      const [row] = yield* whileTimePasses(editor.trees.get("identifiers")?.roots ?? Effect.succeed([]))
      assert.strictEqual(row?.row.label, "ours")
      assert.strictEqual(row?.row.description, "created here")
    }).pipe(Effect.scoped)
  )
})

describe("a link to an event", () => {
  it.effect("opens it, and says so if the link names no event", () =>
    Effect.gen(function* () {
      const editor = new EditorDouble()
      yield* started(editor, true)
      yield* whileTimePasses(editor.link("/event/leak/somewhere/1"))
      assert.lengthOf(editor.opened, 1)
      for (const path of ["/event/", "/elsewhere", "/event/\u0000", `/event/${"x".repeat(2000)}`]) {
        editor.told.length = 0
        yield* whileTimePasses(editor.link(path))
        assert.lengthOf(editor.told, 1)
        assert.include(editor.told[0] ?? "", "This link does not name an event")
      }
      assert.lengthOf(editor.opened, 1)
    })
  )
})
