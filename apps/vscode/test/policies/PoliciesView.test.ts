import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { EditorDouble } from "../EditorDouble.ts"
import { served, started, under, whileTimePasses } from "../Running.ts"

const policy = {
  uuid: "assignment-1",
  matching_policy: { uuid: "p-1", name: "Shop", policy_type: "INCLUDED_KEYWORDS", value: { keywords: ["shop"] } }
}

const assignment = (id: number, name: string) => ({
  uuid: `assignment-${id}`,
  identifier_id: id,
  identifier_name: name,
  assigned_at: null,
  clean_past_events: false
})

it.effect("shows an identifier under a policy with the icon that it has among the identifiers", () =>
  Effect.gen(function* () {
    yield* served((path) => ({
      status: 200,
      body: path.includes("assignments")
        ? { items: [assignment(1, "Example Corp"), assignment(2, "unknown here")], next: null }
        : [policy]
    }))
    const editor = new EditorDouble()
    editor.settings.set("identifiers.known", [{ profile: "sample", id: 1, name: "Example Corp", type: "keyword" }])
    yield* started(editor, true)
    const iconsOf = Effect.fnUntraced(function* (view: string) {
      const [first] = yield* whileTimePasses(editor.trees.get(view)?.roots ?? Effect.succeed([]))
      return view === "identifiers"
        ? [first?.row.icon?.id]
        : (yield* whileTimePasses(under(first))).map(({ row }) => row.icon?.id)
    })
    assert.deepStrictEqual(yield* iconsOf("identifiers"), ["symbol-string"])
    assert.deepStrictEqual(yield* iconsOf("policies"), ["symbol-string", "eye"])
  }).pipe(Effect.scoped)
)
