import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { EditorDouble } from "../EditorDouble.ts"
import { identifier, MonitoringService } from "../MonitoringService.ts"
import { served, servedWhole, started, under, whileTimePasses } from "../Running.ts"

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

const rootsOf = (editor: EditorDouble) => whileTimePasses(editor.trees.get("policies")?.roots ?? Effect.succeed([]))
const run = (editor: EditorDouble, command: string, ...args: ReadonlyArray<unknown>) =>
  whileTimePasses(editor.commands.get(`policies.${command}`)?.(...args) ?? Effect.void)

it.effect("lists the policies of the service, creates, changes, assigns and unassigns them", () =>
  Effect.gen(function* () {
    const service = new MonitoringService(identifier(3, "example.com"), identifier(4, "example.org"))
    yield* servedWhole(service.answer)
    const editor = new EditorDouble()
    yield* started(editor, true)
    assert.deepStrictEqual(yield* rootsOf(editor), [])
    assert.strictEqual(editor.trees.get("policies")?.state, "empty")

    editor.answers.push("Excluded keywords", "press, fair", "No press")
    yield* run(editor, "create")
    editor.answers.push("Match of a domain", "Only logins at the domain", "Logins")
    yield* run(editor, "create")
    const [first, second] = yield* rootsOf(editor)
    assert.deepStrictEqual(
      [first, second].map((node) => [node?.row.label, node?.row.description]),
      [
        ["No press", "without keywords: press, fair"],
        ["Logins", "match of a domain"]
      ]
    )
    assert.deepStrictEqual(service.policies[1]?.value, { match_mode: "auth_domain_only" })

    editor.answers.push("No fairs", "fair")
    yield* run(editor, "update", first)
    assert.deepInclude(service.policies[0], { name: "No fairs", value: { keywords: ["fair"] } })

    editor.answers.push("example.com|example.org", "Keep past events")
    yield* run(editor, "assign", first)
    assert.deepStrictEqual([...service.assignments], ["p-1 3", "p-1 4"])
    const [assigned, another] = yield* whileTimePasses(under((yield* rootsOf(editor))[0]))
    assert.deepStrictEqual([assigned?.row.label, another?.row.label], ["example.com", "example.org"])
    // The policy that is selected as well is not changed.
    yield* run(editor, "unassign", assigned, [assigned, second])
    assert.deepStrictEqual([...service.assignments], ["p-1 4"])

    editor.answers.push("Delete")
    yield* run(editor, "delete", second, [second, another])
    assert.deepStrictEqual(
      service.policies.map(({ name }) => name),
      ["No fairs"]
    )
  }).pipe(Effect.scoped)
)

it.effect("shows the assignments of a policy a page at a time", () =>
  Effect.gen(function* () {
    const many = Array.from({ length: 150 }, (_, index) => identifier(index + 1, `${index + 1}.example.com`))
    const service = new MonitoringService(...many)
    service.policies = [{ uuid: "p-1", name: "Shop", policy_type: "LUCENE_QUERY", value: { query: "type:leak" } }]
    for (const { id } of many) service.assignments.add(`p-1 ${id}`)
    const { asked } = yield* servedWhole(service.answer)
    const editor = new EditorDouble()
    yield* started(editor, true)
    const [policy] = yield* rootsOf(editor)
    const rows = yield* whileTimePasses(under(policy))
    assert.strictEqual(rows.length, 101)
    const [last] = rows.slice(-1)
    assert.deepStrictEqual([last?.row.label, last?.row.description], ["Load More", "100 shown"])
    yield* whileTimePasses(editor.commands.get("events.loadMore")?.(last) ?? Effect.void)
    const before = asked.length
    assert.strictEqual((yield* whileTimePasses(under(policy))).length, 150)
    assert.strictEqual(asked.length, before)

    service.assignments.delete("p-1 1")
    yield* run(editor, "refresh")
    assert.strictEqual((yield* whileTimePasses(under((yield* rootsOf(editor))[0])))[0]?.row.label, "2.example.com")
  }).pipe(Effect.scoped)
)

it.effect.each([
  { status: 403, refresh: "policies.refresh" },
  { status: 404, refresh: "policies.refresh" },
  { status: 501, refresh: "policies.refresh" },
  { status: 404, refresh: "identifiers.refresh" }
])("lists the policies by $refresh once the service no longer answers $status", ({ refresh, status }) =>
  Effect.gen(function* () {
    const service = new MonitoringService(identifier(3, "example.com"))
    service.policies = [{ uuid: "p-1", name: "Shop", policy_type: "LUCENE_QUERY", value: { query: "type:leak" } }]
    let isRefused = true
    yield* servedWhole((...request) =>
      isRefused ? { status, body: { error: { code: "REFUSED", message: "no" } } } : service.answer(...request)
    )
    const editor = new EditorDouble()
    yield* started(editor, true)
    yield* rootsOf(editor)
    yield* whileTimePasses(editor.trees.get("identifiers")?.roots ?? Effect.succeed([]))
    isRefused = false
    yield* whileTimePasses(editor.commands.get(refresh)?.() ?? Effect.void)
    assert.deepStrictEqual(
      (yield* rootsOf(editor)).map(({ row }) => row.label),
      ["Shop"]
    )
    assert.isTrue(editor.context.get("policies.listed"))
  }).pipe(Effect.scoped)
)

it.effect.each([
  {
    status: 404,
    label: "The service gives no list",
    tooltip: "The service does not offer this list."
  },
  {
    status: 403,
    label: "Your key lacks the permission Read Tenant.",
    tooltip: "Your key lacks the permission Read Tenant. Ask an administrator of your tenant for it."
  }
])("says why it shows only the policies that are known here: $status", ({ label, status, tooltip }) =>
  Effect.gen(function* () {
    yield* servedWhole(() => ({ status, body: { error: { code: "REFUSED", message: "no" } } }))
    const editor = new EditorDouble()
    editor.memento.set("everywhere register.sample", {
      identifiers: [],
      policies: [{ uuid: "p-1", name: "Strict", origin: "entered" }],
      groups: []
    })
    yield* started(editor, true)
    const rows = yield* rootsOf(editor)
    assert.deepStrictEqual(
      rows.map(({ row }) => row.label),
      ["Strict", label]
    )
    assert.strictEqual(
      rows[1]?.row.tooltip?.(),
      `${tooltip}\nThese are assigned to an identifier that is known here, or were added by their ID.`
    )
    assert.isFalse(editor.context.get("policies.listed"))
  }).pipe(Effect.scoped)
)
