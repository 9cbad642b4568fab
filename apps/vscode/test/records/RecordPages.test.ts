import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { TreeNode } from "../../src/editor/tree/TreeNode.ts"
import { EditorDouble, ShownWebview } from "../EditorDouble.ts"
import { identifier, MonitoringService } from "../MonitoringService.ts"
import { served, servedWhole, started, under, whileTimePasses } from "../Running.ts"

const rootsOf = (editor: EditorDouble, view: string) =>
  whileTimePasses(editor.trees.get(view)?.roots ?? Effect.succeed([]))

/** Opens the page of a row with a command, as the editor does. */
const opened = Effect.fnUntraced(function* (editor: EditorDouble, command: string, row: TreeNode | undefined) {
  yield* whileTimePasses(editor.commands.get(command)?.(row) ?? Effect.void)
  const [, kind = "", id = ""] = editor.opened.at(-1)?.split(" ") ?? []
  const page = new ShownWebview()
  yield* Effect.forkChild(editor.webviews.get("record")?.(page.webview, { kind, id }) ?? Effect.void)
  yield* whileTimePasses(Effect.void)
  return page
})

const send = (page: ShownWebview, message: unknown) => whileTimePasses(page.send(message))

const textOf = ({ markup }: ShownWebview) =>
  markup
    .replaceAll(/<[^>]+>/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim()

describe("the page of a record", () => {
  it.effect("shows an identifier with its group, policies and events, which are links, and runs its commands", () =>
    Effect.gen(function* () {
      const service = new MonitoringService(identifier(3, "example.com", { group_id: 1, severities: ["high"] }))
      service.groups = [{ id: 1, name: "Branches" }]
      service.policies = [{ uuid: "p-1", name: "<b>Shop", policy_type: "LUCENE_QUERY", value: { query: "type:leak" } }]
      service.assignments.add("p-1 3")
      yield* servedWhole(service.answer)
      const editor = new EditorDouble()
      yield* started(editor, true)
      const [folder] = yield* rootsOf(editor, "identifiers")
      const [row] = yield* under(folder)
      const page = yield* opened(editor, "identifiers.openPage", row)
      const text = textOf(page)
      for (const part of ["example.com", "Branches", "Only severity high", "type:leak", "Leak number 1"]) {
        assert.include(text, part)
      }
      assert.notInclude(page.markup, "<b>")
      assert.strictEqual(page.shown.at(-1)?.title, "example.com")

      yield* send(page, { _tag: "Run", command: "identifiers.disable" })
      assert.isTrue(service.identifiers[0]?.is_disabled)
      assert.include(page.markup, "identifiers.enable")
      // Commands that the page does not offer are not run.
      yield* send(page, { _tag: "Run", command: "signOut" })
      assert.notInclude(editor.told, "executed threatExposure.signOut")
      yield* send(page, { _tag: "Copy", what: "id" })
      assert.strictEqual(editor.clipboard, "3")
      yield* send(page, { _tag: "OpenEvent", uid: "leak/somewhere/1" })
      assert.include(editor.opened, "event leak/somewhere/1")

      const group = yield* opened(editor, "identifiers.openGroup", folder)
      assert.include(textOf(group), "example.com")
      yield* send(group, { _tag: "Open", kind: "identifier", id: "3" })
      assert.strictEqual(editor.opened.at(-1), "record identifier 3")
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    { status: 403, why: "Your key lacks the permission Read Tenant." },
    { status: 404, why: "The service does not offer this." },
    { status: 405, why: "The service does not offer this." },
    { status: 501, why: "The service does not offer this." }
  ])("says of each list that it cannot read why, and shows the rest: $status", ({ status, why }) =>
    Effect.gen(function* () {
      const service = new MonitoringService(identifier(3, "example.com", { group_id: 1 }))
      service.groups = [{ id: 1, name: "Branches" }]
      service.policies = [{ uuid: "p-1", name: "Shop", policy_type: "LUCENE_QUERY", value: { query: "type:leak" } }]
      let isLacking = false
      const isList = (path: string) => /_search$|by_identifier_id|\/assignments/u.test(path)
      yield* servedWhole((path, ...request) =>
        isLacking && isList(path) ? { status, body: { code: "NO", message: "no" } } : service.answer(path, ...request)
      )
      const editor = new EditorDouble()
      yield* started(editor, true)
      const [folder] = yield* rootsOf(editor, "identifiers")
      const [row] = yield* under(folder)
      const [policy] = yield* rootsOf(editor, "policies")
      isLacking = true
      const ofIdentifier = textOf(yield* opened(editor, "identifiers.openPage", row))
      assert.include(ofIdentifier, `Policies ${why} Latest events ${why}`)
      assert.include(ofIdentifier, "Branches")
      assert.include(textOf(yield* opened(editor, "identifiers.openGroup", folder)), `Latest events ${why}`)
      const ofPolicy = textOf(yield* opened(editor, "policies.openPage", policy))
      assert.include(ofPolicy, `Assignments ${why}`)
      assert.include(ofPolicy, "type:leak")
    }).pipe(Effect.scoped)
  )

  it.effect("shows a policy and a recommendation, and what became of a decision", () =>
    Effect.gen(function* () {
      const service = new MonitoringService(identifier(3, "example.com"))
      service.policies = [
        { uuid: "p-1", name: "Shop", policy_type: "INCLUDED_KEYWORDS", value: { keywords: ["shop"] } }
      ]
      service.assignments.add("p-1 3")
      service.recommendations = [{ id: 9, data: { type: "domain", fqdn: "shop.example.com" }, status: "recommended" }]
      yield* servedWhole(service.answer)
      const editor = new EditorDouble()
      yield* started(editor, true)
      const policy = yield* opened(editor, "policies.openPage", (yield* rootsOf(editor, "policies"))[0])
      assert.include(textOf(policy), "keywords: shop")
      assert.notInclude(textOf(policy), "Value")
      assert.include(textOf(policy), "example.com")
      assert.notInclude(textOf(policy), "Only the first")
      for (let id = 100; id < 220; id++) {
        service.identifiers.push(identifier(id, `${id}.example.com`))
        service.assignments.add(`p-1 ${id}`)
      }
      const large = yield* opened(editor, "policies.openPage", (yield* rootsOf(editor, "policies"))[0])
      assert.include(textOf(large), "Only the first 100 are shown.")

      const [recommended] = yield* rootsOf(editor, "recommendations")
      const page = yield* opened(editor, "recommendations.openPage", (yield* under(recommended))[0])
      assert.include(textOf(page), "shop.example.com")
      yield* send(page, { _tag: "Run", command: "recommendations.accept" })
      assert.include(textOf(page), "accepted")
      assert.notInclude(page.markup, "recommendations.accept")
    }).pipe(Effect.scoped)
  )

  it.effect("can be cancelled while it loads, and tried again", () =>
    Effect.gen(function* () {
      let isAnswering = true
      const service = new MonitoringService(identifier(3, "example.com"))
      yield* servedWhole((...request) => (isAnswering ? service.answer(...request) : new Promise(() => {})))
      const editor = new EditorDouble()
      editor.settings.set("requests.timeoutSeconds", 600)
      yield* started(editor, true)
      const [row] = yield* rootsOf(editor, "identifiers")
      isAnswering = false
      const page = yield* opened(editor, "identifiers.openPage", row)
      assert.include(textOf(page), "Loading…")
      yield* send(page, { _tag: "Cancel" })
      assert.include(textOf(page), "Loading was cancelled.")
      isAnswering = true
      yield* send(page, { _tag: "Retry" })
      assert.include(textOf(page), "example.com")
    }).pipe(Effect.scoped)
  )

  it.effect("masks names while the screen is shared, and shows what only the register knows", () =>
    Effect.gen(function* () {
      yield* served((path) => ({
        status: 200,
        body: path.includes("by_identifier_id") ? [] : { items: [], next: null }
      }))
      const editor = new EditorDouble()
      editor.settings.set("masking", true)
      editor.settings.set("identifiers.known", [{ profile: "sample", id: 3, name: "example.com", type: "domain" }])
      yield* started(editor, true)
      const [row] = yield* rootsOf(editor, "identifiers")
      const page = yield* opened(editor, "identifiers.openPage", row)
      assert.include(textOf(page), "listed in the settings")
      assert.include(textOf(page), "No policy: every event counts.")
      assert.notInclude(JSON.stringify(page.shown), "example.com")
    }).pipe(Effect.scoped)
  )
})
