import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { EditorDouble } from "../EditorDouble.ts"
import { MonitoringService } from "../MonitoringService.ts"
import { served, servedWhole, started, under, whileTimePasses } from "../Running.ts"

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

const rootsOf = (editor: EditorDouble) =>
  whileTimePasses(editor.trees.get("recommendations")?.roots ?? Effect.succeed([]))
const run = (editor: EditorDouble, command: string, ...args: ReadonlyArray<unknown>) =>
  whileTimePasses(editor.commands.get(`recommendations.${command}`)?.(...args) ?? Effect.void)

it.effect("accepts and rejects the selected ones, and shows what the service made of them", () =>
  Effect.gen(function* () {
    const service = new MonitoringService()
    service.recommendations = [1, 2, 3].map((id) => Object.assign({}, recommendation, { id }))
    yield* servedWhole(service.answer)
    const editor = new EditorDouble()
    yield* started(editor, true)
    const [first, second, third] = yield* under((yield* rootsOf(editor))[0])
    assert.includeMembers([...(first?.row.kinds ?? [])], ["acceptable", "rejectable"])
    yield* run(editor, "accept", first, [first, second])
    yield* run(editor, "reject", third, [third])
    assert.deepStrictEqual(
      service.written.map((line) => JSON.parse(line.slice(line.indexOf("{")))),
      [
        { targets: [{ id: 1 }, { id: 2 }], action: { type: "accept" } },
        { targets: [{ id: 3 }], action: { type: "reject" } }
      ]
    )
    const groups = yield* rootsOf(editor)
    assert.deepStrictEqual(
      groups.map(({ row }) => [row.label, row.description]),
      [
        ["Accepted", "2"],
        ["Rejected", "1"]
      ]
    )
    const [accepted] = yield* under(groups[0])
    assert.notInclude([...(accepted?.row.kinds ?? [])], "acceptable")
  }).pipe(Effect.scoped)
)

it.effect.each([404, 405, 501])("says what to do instead where the service takes no decision: %s", (status) =>
  Effect.gen(function* () {
    yield* served((path) =>
      path.endsWith("/actions")
        ? { status, body: { error: { code: "NOT_FOUND", message: "no" } } }
        : { status: 200, body: { items: [recommendation], next: null } }
    )
    const editor = new EditorDouble()
    yield* started(editor, true)
    const [first] = yield* under((yield* rootsOf(editor))[0])
    yield* run(editor, "accept", first)
    assert.include(editor.told.join("\n"), "Create the identifier instead.")
  }).pipe(Effect.scoped)
)
