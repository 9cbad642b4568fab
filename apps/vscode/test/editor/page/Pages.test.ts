import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Editor } from "../../../src/editor/Editor.ts"
import { EditorDouble } from "../../EditorDouble.ts"
import { cancelling, event, whileTimePasses, served, started } from "../../Running.ts"

const secret = ["tidal", "Wren", "4471", "harbour!"].join("-")

const page = (editor: EditorDouble) =>
  whileTimePasses(editor.pages?.text(editor.opened.at(-1) ?? "") ?? Effect.succeed("there are no pages"))

describe("a page", () => {
  it.effect("reveals one secret on request, and all of them with the command", () =>
    Effect.gen(function* () {
      const { metadata } = event(1)
      const data = { password: secret, token: "amber-lynx" }
      yield* served(() => ({ status: 200, body: { event_type: "keyring", metadata, data } }))
      const editor = new EditorDouble()
      yield* started(editor, true)
      yield* whileTimePasses(editor.commands.get("events.openMarkdown")?.(metadata.uid) ?? Effect.void)
      const hidden = yield* page(editor)
      assert.notInclude(hidden, secret)
      const lenses = yield* editor.pages?.lenses(editor.opened.at(-1) ?? "") ?? Effect.succeed([])
      const reveal = lenses.filter(({ command }) => command.name === "revealSecret")
      assert.strictEqual(reveal.length, 2)
      yield* editor.commands.get("revealSecret")?.(...(reveal[0]?.command.args ?? [])) ?? Effect.void
      const one = yield* page(editor)
      assert.include(one, secret)
      assert.notInclude(one, "amber-lynx")
      yield* editor.commands.get("revealSecret")?.() ?? Effect.void
      assert.include(yield* page(editor), "amber-lynx")
      yield* editor.commands.get("hideSecret")?.() ?? Effect.void
      assert.strictEqual(yield* page(editor), hidden)
    }).pipe(Effect.scoped)
  )

  it.effect("is drawn again for a secret that is revealed in it, and the other pages are not", () =>
    Effect.gen(function* () {
      yield* served((path) => {
        const { metadata } = event(path.endsWith("1") ? 1 : 2)
        return { status: 200, body: { event_type: "keyring", metadata, data: { password: secret } } }
      })
      const editor = new EditorDouble()
      yield* started(editor, true)
      for (const id of [1, 2]) {
        yield* whileTimePasses(editor.commands.get("events.openMarkdown")?.(event(id).metadata.uid) ?? Effect.void)
        assert.notInclude(yield* page(editor), secret)
      }
      const [first = "", second = ""] = editor.opened
      const lenses = yield* editor.pages?.lenses(first) ?? Effect.succeed([])
      const reveal = lenses.find(({ command }) => command.name === "revealSecret")
      editor.redrawn.length = 0
      yield* editor.commands.get("revealSecret")?.(...(reveal?.command.args ?? [])) ?? Effect.void
      assert.deepStrictEqual(editor.redrawn, [first])
      yield* whileTimePasses(
        Effect.flatMap(Editor, (service) => service.setSetting("masking", true)).pipe(Effect.provide(editor.layer))
      )
      assert.deepStrictEqual(editor.redrawn.slice(1), [first, second])
    }).pipe(Effect.scoped)
  )

  it.effect("of a credential says if its search is gone, as after a reload of the window", () =>
    Effect.gen(function* () {
      const editor = new EditorDouble()
      yield* started(editor, true)
      for (const path of ["/credential/7/greta.md", "/credentialJson/7/greta.json"]) {
        const text = yield* whileTimePasses(editor.pages?.text(path) ?? Effect.succeed(""))
        assert.include(text, "This search is no longer available", path)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("does not open when its loading is cancelled", () =>
    Effect.gen(function* () {
      yield* served(() => new Promise(() => {}))
      const editor = new EditorDouble()
      yield* started(editor, true)
      yield* cancelling(editor, editor.commands.get("events.openMarkdown")?.("leak/somewhere/1") ?? Effect.void)
      assert.deepStrictEqual(editor.waitedFor, ["Opening leak/somewhere/1"])
      assert.deepStrictEqual(editor.opened, [])
    }).pipe(Effect.scoped)
  )

  it.effect("shows the message of a failing service as plain text", () =>
    Effect.gen(function* () {
      const message = "[x](command:evil) <img src=x>"
      yield* served(() => ({ status: 418, body: { error: { code: "TEAPOT", message } } }))
      const editor = new EditorDouble()
      yield* started(editor, true)
      yield* whileTimePasses(editor.commands.get("events.openMarkdown")?.("leak/somewhere/1") ?? Effect.void)
      const text = yield* page(editor)
      assert.include(text, "could not be loaded")
      assert.notMatch(text, /(?<!\\)[[\]<>]/u)
    }).pipe(Effect.scoped)
  )

  it.effect("has a valid URI whatever its title contains", () =>
    Effect.gen(function* () {
      const { metadata, ...rest } = event(1)
      const item = { ...rest, highlights: {}, metadata: { ...metadata, title: `${"x".repeat(59)}😀\ud800` } }
      yield* served(() => ({ status: 200, body: { items: [item], next: null } }))
      const editor = new EditorDouble()
      editor.settings.set("savedSearches", [{ name: "Ours" }])
      yield* started(editor, true)
      const [folder] = yield* whileTimePasses(editor.trees.get("events")?.roots ?? Effect.succeed([]))
      yield* whileTimePasses(folder?.children ?? Effect.succeed([]))
      yield* whileTimePasses(editor.commands.get("events.openMarkdown")?.(metadata.uid) ?? Effect.void)
      assert.doesNotThrow(() => encodeURI(editor.opened.at(-1) ?? "\ud800"))
    }).pipe(Effect.scoped)
  )

  it.effect("is loaded again under another profile, and shows nothing of the previous one", () =>
    Effect.gen(function* () {
      const { metadata } = event(1)
      const { asked } = yield* served((path) =>
        path.includes("/events/")
          ? { status: 200, body: { event_type: "paste", metadata, data: { content: "ours" } } }
          : { status: 200, body: { items: [], next: null } }
      )
      const editor = new EditorDouble()
      yield* started(editor, true)
      const open = whileTimePasses(editor.commands.get("events.openMarkdown")?.(metadata.uid) ?? Effect.void)
      yield* open
      assert.include(yield* page(editor), "ours")
      yield* page(editor)
      const before = asked.length
      yield* whileTimePasses(editor.commands.get("signOut")?.() ?? Effect.void)
      yield* open
      assert.notInclude(yield* page(editor), "ours")
      assert.strictEqual(asked.length, before)
      const lenses = yield* editor.pages?.lenses(editor.opened.at(-1) ?? "") ?? Effect.succeed([])
      assert.deepStrictEqual(
        lenses.map(({ command }) => command.name),
        ["signIn", "retry", "showLog"]
      )
    }).pipe(Effect.scoped)
  )
})
