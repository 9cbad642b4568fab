import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { EditorDouble } from "../EditorDouble.ts"
import { served, started, under, whileTimePasses } from "../Running.ts"

const recommendation = {
  id: 1,
  data: { type: "domain", fqdn: "shop.example.com" },
  status: "recommended",
  updated_at: null,
  relevancy: "HIGH"
}

it.effect("shows the type as an icon, so that a narrow sidebar has room for the relevance", () =>
  Effect.gen(function* () {
    yield* served(() => ({ status: 200, body: { items: [recommendation], next: null } }))
    const editor = new EditorDouble()
    yield* started(editor, true)
    const [group] = yield* whileTimePasses(editor.trees.get("recommendations")?.roots ?? Effect.succeed([]))
    assert.deepInclude(group?.row, { label: "Recommended", description: "1" })
    const [first] = yield* whileTimePasses(under(group))
    assert.deepInclude(first?.row, { label: "shop.example.com", description: "high relevance" })
    assert.strictEqual(first?.row.tooltip?.(), "shop.example.com\nhigh relevance\ndomain")
    assert.strictEqual(first?.row.accessibleLabel, "shop.example.com, high relevance, domain")
  }).pipe(Effect.scoped)
)
