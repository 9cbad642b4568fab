import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { TreeNode } from "../../src/editor/tree/TreeNode.ts"
import { RowAction } from "../../src/editor/tree/Subject.ts"
import { EditorDouble } from "../EditorDouble.ts"
import { identifier, MonitoringService } from "../MonitoringService.ts"
import { servedWhole, started, under, whileTimePasses, withProfiles } from "../Running.ts"

const rootsOf = (editor: EditorDouble) => whileTimePasses(editor.trees.get("identifiers")?.roots ?? Effect.succeed([]))
const run = (editor: EditorDouble, command: string, ...args: ReadonlyArray<unknown>) =>
  whileTimePasses(editor.commands.get(`identifiers.${command}`)?.(...args) ?? Effect.void)
const labels = (rows: ReadonlyArray<TreeNode>) => rows.map(({ row }) => row.label)
const labelled = (rows: ReadonlyArray<TreeNode>, label: string) => rows.find(({ row }) => row.label === label)

const opened = Effect.fnUntraced(function* (service: MonitoringService) {
  const { asked } = yield* servedWhole(service.answer)
  const editor = new EditorDouble()
  yield* started(editor, true)
  return { asked, editor }
})

describe("the identifiers that the service lists", () => {
  it.effect("are shown with their events, in the folders of their groups, disabled ones dimmed", () =>
    Effect.gen(function* () {
      const service = new MonitoringService(
        identifier(3, "example.com", { severities: ["high"] }),
        identifier(4, "example.org", { group_id: 2 }),
        identifier(5, "old.example.com", { is_disabled: true }),
        identifier(6, "the-value-itself", { data: { type: "secret", secret: "the-value-itself" } })
      )
      service.groups = [
        { id: 1, name: "Empty" },
        { id: 2, name: "Branches" }
      ]
      const { editor } = yield* opened(service)
      const rows = yield* rootsOf(editor)
      assert.deepStrictEqual(
        rows.map(({ row }) => [row.label, row.description, row.isDimmed ?? false]),
        [
          ["Branches", "1", false],
          ["Empty", "0", false],
          ["example.com", "3 events", false],
          ["old.example.com", "disabled · 5 events", true],
          ["Secret 6", "6 events", false]
        ]
      )
      assert.deepStrictEqual(labels(yield* under(rows[0])), ["example.org"])
      assert.include(labelled(rows, "example.com")?.row.tooltip?.(), "Only severity high")
      assert.notInclude(JSON.stringify(rows), "the-value-itself")
    }).pipe(Effect.scoped)
  )

  it.effect("are loaded a page at a time, filtered and sorted by the service, and read again on a refresh", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 150 }, (_, index) => identifier(index + 1, `${1000 - index}.example.com`))
      const service = new MonitoringService(
        ...many,
        identifier(999, "amber", { data: { type: "keyword", keyword: "amber" } })
      )
      const { asked, editor } = yield* opened(service)
      const rows = yield* rootsOf(editor)
      assert.lengthOf(rows, 101)
      assert.strictEqual(rows[0]?.row.label, "1000.example.com")
      const more = rows.at(-1)
      assert.strictEqual(more?.row.label, "Load More")
      if (more?.subject instanceof RowAction) yield* whileTimePasses(more.subject.run)
      assert.lengthOf(yield* rootsOf(editor), 151)
      asked.length = 0
      service.identifiers = service.identifiers.filter(({ id }) => id !== 1)
      yield* run(editor, "refresh")
      assert.lengthOf(yield* rootsOf(editor), 150)
      assert.lengthOf(
        asked.filter((path) => path.endsWith("/v4/identifiers/")),
        2
      )
      editor.answers.push("Keyword", "Only enabled")
      yield* run(editor, "filterIdentifiers")
      assert.deepStrictEqual(labels(yield* rootsOf(editor)), ["amber"])
      assert.strictEqual(editor.trees.get("identifiers")?.description, "keyword, enabled")
      editor.answers.push("Keyword", "Only disabled")
      yield* run(editor, "filterIdentifiers")
      assert.deepStrictEqual(labels(yield* rootsOf(editor)), ["No identifier matches the filter."])
      yield* run(editor, "clearFilter")
      editor.answers.push("ID")
      yield* run(editor, "sortBy")
      assert.strictEqual((yield* rootsOf(editor))[0]?.row.label, "999.example.com")
    }).pipe(Effect.scoped)
  )

  it.effect("are listed further without loading the events of the tenant again", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 250 }, (_, index) => identifier(index + 1, `${index + 1}.example.com`))
      const { asked, editor } = yield* opened(new MonitoringService(...many))
      yield* rootsOf(editor)
      const events = editor.trees.get("events")
      const all = Effect.gen(function* () {
        const [folder] = yield* whileTimePasses(events?.roots ?? Effect.succeed([]))
        yield* whileTimePasses(under(folder))
        return folder?.row.description
      })
      assert.strictEqual(yield* all, "1 · 100 identifiers")
      const more = (yield* rootsOf(editor)).at(-1)
      yield* whileTimePasses(editor.commands.get("events.loadMore")?.(more) ?? Effect.void)
      assert.strictEqual(yield* all, "1 · 200 identifiers")
      const loads = () => asked.filter((path) => path.endsWith("/v4/events/tenant/_search")).length
      assert.strictEqual(loads(), 1)
      // A disabled identifier is no longer matched.
      yield* run(editor, "disable", (yield* rootsOf(editor))[0])
      yield* all
      assert.strictEqual(loads(), 2)
    }).pipe(Effect.scoped)
  )

  it.effect("are created, changed, disabled, moved, given policies and deleted", () =>
    Effect.gen(function* () {
      const service = new MonitoringService(
        identifier(3, "example.com"),
        identifier(4, "ada", {
          data: { type: "username", username: "ada" }
        })
      )
      service.policies = [
        { uuid: "p-1", name: "Shop", policy_type: "INCLUDED_KEYWORDS", value: { keywords: ["shop"] } }
      ]
      const { editor } = yield* opened(service)
      const rowOf = Effect.fnUntraced(function* (label: string) {
        const rows = yield* rootsOf(editor)
        const below = yield* Effect.forEach(rows, (row) =>
          row.row.kinds?.includes("identifierGroup") ? under(row) : Effect.succeed([])
        )
        return labelled([...rows, ...below.flat()], label)
      })

      editor.answers.push("Identity", "grace@example.com, Grace Hopper", "Leak", "High")
      yield* run(editor, "create")
      assert.deepInclude(service.identifiers.at(-1), {
        data: {
          type: "identity",
          attributes: [
            { type: "email", email: "grace@example.com" },
            { type: "name", first_name: "Grace", last_name: "Hopper" }
          ]
        },
        categories: ["leak"],
        severities: ["high"]
      })

      editor.answers.push("Ours", "example.net", "", "")
      yield* run(editor, "update", yield* rowOf("example.com"))
      assert.deepInclude(service.identifiers[0], { name: "Ours", data: { type: "domain", fqdn: "example.net" } })

      yield* run(editor, "disable", yield* rowOf("Ours"))
      assert.isTrue((yield* rowOf("Ours"))?.row.isDimmed)
      yield* run(editor, "enable", yield* rowOf("Ours"))
      assert.isFalse(service.identifiers[0]?.is_disabled)
      // An identifier of an older type is sent in the current form.
      yield* run(editor, "disable", yield* rowOf("ada"))
      assert.deepStrictEqual(service.identifiers[1]?.data, {
        type: "identity",
        attributes: [{ type: "username", username: "ada" }]
      })

      editor.answers.push("New group…", "Branches")
      yield* run(editor, "group", yield* rowOf("Ours"))
      assert.strictEqual(service.identifiers[0]?.group_id, 1)
      editor.answers.push("Houses")
      yield* run(editor, "renameGroup", yield* rowOf("Branches"))
      assert.strictEqual((yield* rowOf("Houses"))?.row.description, "1")

      editor.answers.push("Shop")
      yield* run(editor, "assignPolicies", yield* rowOf("Ours"))
      assert.deepStrictEqual([...service.assignments], ["p-1 3"])
      // Only one of the identifiers has the policy, so it is not preselected.
      const both = [yield* rowOf("Ours"), yield* rowOf("ada")]
      editor.answers.push("")
      yield* run(editor, "assignPolicies", both[0], both)
      assert.deepStrictEqual([...service.assignments], ["p-1 3"])
      editor.answers.push("Shop")
      yield* run(editor, "assignPolicies", both[0], both)
      assert.deepStrictEqual([...service.assignments], ["p-1 3", "p-1 4"])
      editor.answers.push("")
      yield* run(editor, "assignPolicies", both[0], both)
      assert.deepStrictEqual([...service.assignments], [])

      service.policies = Array.from({ length: 1001 }, (_, index) => ({
        uuid: `p-${index + 1}`,
        name: `Policy ${index + 1}`,
        policy_type: "LUCENE_QUERY",
        value: { query: "type:leak" }
      }))
      yield* whileTimePasses(editor.commands.get("policies.refresh")?.() ?? Effect.void)
      editor.answers.push("Policy 1001")
      yield* run(editor, "assignPolicies", yield* rowOf("Ours"))
      assert.strictEqual(editor.offered.length, 1001)
      assert.deepStrictEqual([...service.assignments], ["p-1001 3"])

      yield* run(editor, "delete", yield* rowOf("Ours"))
      assert.isDefined(yield* rowOf("Ours"))
      editor.answers.push("Delete")
      const kept = [...service.identifiers]
      yield* run(editor, "delete", yield* rowOf("Ours"))
      assert.include(editor.told, "asked: Delete the identifier “Ours”?")
      // The service may list a deleted identifier for an hour.
      service.identifiers = kept
      yield* run(editor, "refresh")
      assert.isUndefined(yield* rowOf("Ours"))
      editor.answers.push("Delete")
      yield* run(editor, "deleteGroup", yield* rowOf("Houses"))
      assert.deepStrictEqual(service.groups, [])
    }).pipe(Effect.scoped)
  )

  it.effect("are those of the profile, and give way to the remembered ones where the service cannot list them", () =>
    Effect.gen(function* () {
      const service = new MonitoringService(identifier(3, "example.com"))
      yield* servedWhole((...request) =>
        request[0].startsWith("/lacking") && request[0].endsWith("/v4/identifiers/")
          ? { status: 405, body: { error: { code: "METHOD_NOT_ALLOWED", message: "no" } } }
          : service.answer(...request)
      )
      const editor = new EditorDouble()
      withProfiles(editor, "listing", "lacking")
      editor.settings.set("identifiers.known", [{ profile: "lacking", id: 3, name: "ours" }])
      yield* started(editor, false)
      assert.deepStrictEqual(labels(yield* rootsOf(editor)), ["example.com"])
      assert.isTrue(editor.context.get("identifiers.listed"))
      editor.answers.push("lacking")
      yield* whileTimePasses(editor.commands.get("switchProfile")?.() ?? Effect.void)
      yield* rootsOf(editor)
      assert.deepStrictEqual(labels(yield* rootsOf(editor)), ["ours", "The service gives no list"])
      assert.isFalse(editor.context.get("identifiers.listed"))
      const [, lacking] = yield* rootsOf(editor)
      assert.match(lacking?.row.tooltip?.() ?? "", /^The service does not offer this list\.\nThese were created here/u)
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    { status: 404, why: "The service does not list groups." },
    { status: 501, why: "The service does not list groups." },
    { status: 403, why: "Groups are not shown: Your key lacks the permission Read Tenant." }
  ])("are shown without folders where the groups are refused, and a row says why: $status", ({ status, why }) =>
    Effect.gen(function* () {
      const service = new MonitoringService(identifier(3, "example.com"))
      yield* servedWhole((...request) =>
        request[0].includes("/assets/groups")
          ? { status, body: { error: { code: "REFUSED", message: "no" } } }
          : service.answer(...request)
      )
      const editor = new EditorDouble()
      yield* started(editor, true)
      assert.deepStrictEqual(labels(yield* rootsOf(editor)), ["example.com", why])
    }).pipe(Effect.scoped)
  )

  it.effect.each([403, 404])("are listed by a refresh once the service no longer refuses them: %s", (status) =>
    Effect.gen(function* () {
      const service = new MonitoringService(identifier(3, "example.com", { group_id: 7 }))
      service.groups = [{ id: 7, name: "Branches" }]
      let isRefused = true
      yield* servedWhole((...request) =>
        isRefused ? { status, body: { error: { code: "REFUSED", message: "no" } } } : service.answer(...request)
      )
      const editor = new EditorDouble()
      editor.settings.set("identifiers.known", [{ profile: "sample", id: 3, name: "ours" }])
      yield* started(editor, true)
      assert.lengthOf(yield* rootsOf(editor), 2)
      isRefused = false
      yield* run(editor, "refresh")
      const rows = yield* rootsOf(editor)
      assert.deepStrictEqual(labels(rows), ["Branches"])
      assert.deepStrictEqual(labels(yield* under(rows[0])), ["example.com"])
      assert.isTrue(editor.context.get("identifiers.listed"))
    }).pipe(Effect.scoped)
  )

  it.effect("are shown while their groups cannot be read", () =>
    Effect.gen(function* () {
      const service = new MonitoringService(identifier(3, "example.com", { group_id: 7 }))
      yield* servedWhole((...request) =>
        request[0].includes("/assets/groups") ? { status: 500, body: {} } : service.answer(...request)
      )
      const editor = new EditorDouble()
      yield* started(editor, true)
      const rows = yield* rootsOf(editor)
      assert.deepStrictEqual(labels(rows), [
        "Group 7",
        "Groups are not shown: The service returned an error (status 500)."
      ])
      assert.deepStrictEqual(labels(yield* under(rows[0])), ["example.com"])
      assert.include(editor.log.join("\n"), "IdentifierGroups.list")
    }).pipe(Effect.scoped)
  )

  it.effect("fill an Events view that is otherwise empty, also after a switch to a profile that has the same", () =>
    Effect.gen(function* () {
      yield* servedWhole(new MonitoringService(identifier(3, "example.com")).answer)
      const editor = new EditorDouble()
      withProfiles(editor, "first", "second")
      yield* started(editor, false)
      const tree = editor.trees.get("events")
      const roots = whileTimePasses(tree?.roots ?? Effect.succeed([]))
      assert.deepStrictEqual(labels(yield* roots), ["All Identifiers"])
      editor.answers.push("second")
      yield* whileTimePasses(editor.commands.get("switchProfile")?.() ?? Effect.void)
      // The editor asks again for the rows of another tenant.
      yield* roots
      assert.deepStrictEqual(labels(yield* roots), ["All Identifiers"])
    }).pipe(Effect.scoped)
  )
})
