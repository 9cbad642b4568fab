import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
// Preloaded, because loading takes several turns of the event loop.
import "../../../src/detection/Detector.ts"
import { EditorDouble, ShownWebview } from "../../EditorDouble.ts"
import { event, served, started, under, whileTimePasses } from "../../Running.ts"

const secret = ["tidal", "Wren", "4471", "harbour!"].join("-")
const data = { password: secret, content: `number one\nANOTHER_TOKEN=${secret}-b\n` }

const link = "https://exposure.example.com/events/2"
const items = [1, 2, 3].map(event)

const service = (path: string) => {
  if (!path.includes("/events/") || path.endsWith("_search")) return { status: 200, body: { items, next: null } }
  return { status: 200, body: { event_type: "keyring", metadata: { ...items[1]?.metadata, svc_url: link }, data } }
}

/** Loads the events and opens the second one. */
const opened = Effect.fnUntraced(function* (answer: Parameters<typeof served>[0] = service) {
  const { asked } = yield* served(answer)
  const editor = new EditorDouble()
  editor.settings.set("savedSearches", [{ name: "Ours" }])
  yield* started(editor, true)
  const [folder] = yield* whileTimePasses(editor.trees.get("events")?.roots ?? Effect.succeed([]))
  yield* whileTimePasses(under(folder))
  const panel = new ShownWebview()
  const showPage = editor.webviews.get("event")
  if (showPage !== undefined) {
    yield* Effect.forkScoped(showPage(panel.webview, { uid: "leak/somewhere/2" }), { startImmediately: true })
  }
  yield* whileTimePasses(Effect.void)
  const send = (message: unknown) => whileTimePasses(panel.send(message))
  return { asked, editor, panel, send }
})

describe("the panel of an event", () => {
  it.effect("first shows what is known, then everything; its buttons reveal, lead on, copy and open", () =>
    Effect.gen(function* () {
      const { editor, panel, send } = yield* opened()
      assert.include(panel.shown[0]?.body.markup ?? "", "Leak number 2")
      assert.include(panel.shown[0]?.body.markup ?? "", "Loading the event")
      assert.include(panel.markup, "<mark>number</mark> one")
      assert.notInclude(panel.markup, secret)

      yield* send({ _tag: "Reveal", secret: 0, isRevealed: true })
      assert.include(panel.markup, secret)
      assert.notInclude(panel.markup, `${secret}-b`)
      // All pages of the event share the revealed secrets.
      yield* whileTimePasses(editor.commands.get("events.openMarkdown")?.("leak/somewhere/2") ?? Effect.void)
      assert.include(yield* editor.pages?.text(editor.opened.at(-1) ?? "") ?? Effect.succeed(""), secret)
      yield* send({ _tag: "Reveal", secret: 0, isRevealed: false })
      assert.notInclude(panel.markup, secret)

      yield* send({ _tag: "Copy", what: "uid" })
      assert.strictEqual(editor.clipboard, "leak/somewhere/2")
      yield* send({ _tag: "Copy", what: "json" })
      assert.notInclude(editor.clipboard, secret)
      yield* send({ _tag: "OpenInBrowser" })
      assert.strictEqual(editor.opened.at(-1), link)

      assert.match(panel.markup, /title="Older: Leak number 3"/u)
      assert.match(panel.markup, /title="Newer: Leak number 1"/u)
      yield* send({ _tag: "GoTo", uid: "leak/somewhere/3" })
      assert.strictEqual(panel.shown.at(-1)?.key, "leak/somewhere/3")
      assert.deepInclude(panel.shown.at(-1)?.state, { uid: "leak/somewhere/3" })
      assert.include(panel.markup, "Leak number 3")
    }).pipe(Effect.scoped)
  )

  it.effect("is used again for the next event, and is restored after a reload", () =>
    Effect.gen(function* () {
      const { editor, panel } = yield* opened()
      const before = editor.opened.length
      yield* whileTimePasses(editor.commands.get("events.openPage")?.("leak/somewhere/1") ?? Effect.void)
      assert.deepStrictEqual(editor.opened.slice(before), ["event leak/somewhere/1"])
      assert.strictEqual(panel.shown.at(-1)?.key, "leak/somewhere/1")
      assert.deepInclude(panel.shown.at(-1)?.state, { uid: "leak/somewhere/1" })
    }).pipe(Effect.scoped)
  )

  it.effect("is whole after a reload, before anything is loaded, and keeps no value and no passage that matched", () =>
    Effect.gen(function* () {
      const { panel } = yield* opened((path) => {
        const answer = service(path)
        if (!path.endsWith("_search")) return answer
        const ignored_at = "2026-11-21T00:00:00Z"
        const tenant_metadata = { severity: null, tags: ["urgent"], notes: `PASSWORD=${secret}`, ignored_at }
        const annotated = items.map(({ highlights, metadata }) => ({ metadata, highlights, tenant_metadata }))
        return { status: 200, body: { items: annotated, next: null } }
      })
      const state: unknown = structuredClone(panel.shown.at(-1)?.state)
      assert.notInclude(JSON.stringify(state), secret)
      assert.notInclude(JSON.stringify(state), "<mark>")

      const changes: Array<unknown> = []
      yield* served((path, body) => {
        if (!path.endsWith("/events/actions")) return new Promise(() => {})
        changes.push(body)
        return { status: 200, body: {} }
      })
      const again = new EditorDouble()
      yield* started(again, true)
      const restored = new ShownWebview()
      const showPage = again.webviews.get("event")
      if (showPage !== undefined)
        yield* Effect.forkScoped(showPage(restored.webview, state), { startImmediately: true })
      yield* whileTimePasses(Effect.void)
      assert.strictEqual(restored.shown.at(-1)?.title, "Leak number 2")
      assert.match(restored.markup, /title="Older: Leak number 3"/u)
      assert.match(restored.markup, /title="Newer: Leak number 1"/u)
      assert.match(restored.markup, /Loading the event/u)
      assert.deepStrictEqual(restored.shown.at(-1)?.state, state)
      yield* whileTimePasses(restored.send({ _tag: "Run", command: "events.reopen" }))
      assert.deepStrictEqual(changes, [{ targets: [{ uid: "leak/somewhere/2" }], action: { type: "unignore" } }])
    }).pipe(Effect.scoped)
  )

  it.effect("keeps its ages true while it stays open", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-18T08:30:00Z"))
      const { panel } = yield* opened()
      assert.include(panel.markup, ">30 minutes ago</time>")
      yield* TestClock.adjust("2 minutes")
      yield* whileTimePasses(Effect.void)
      assert.include(panel.markup, ">32 minutes ago</time>")
    }).pipe(Effect.scoped)
  )

  it.effect("can be cancelled while it loads, reports a failure, and retries", () =>
    Effect.gen(function* () {
      let mode: "wait" | "fail" | "answer" = "wait"
      const { panel, send } = yield* opened((path) => {
        if (!path.includes("/events/") || path.endsWith("_search") || mode === "answer") return service(path)
        return mode === "wait"
          ? new Promise(() => {})
          : { status: 418, body: { error: { code: "TEAPOT", message: "<img src=x>" } } }
      })
      assert.include(panel.markup, "Loading the event")
      yield* send({ _tag: "Cancel" })
      assert.include(panel.markup, "Loading was cancelled.")
      mode = "fail"
      yield* send({ _tag: "Retry" })
      assert.include(panel.markup, 'role="alert"')
      assert.notInclude(panel.markup, "<img")
      mode = "answer"
      yield* send({ _tag: "Retry" })
      assert.include(panel.markup, "<mark>number</mark> one")
    }).pipe(Effect.scoped)
  )

  it.effect("offers the sign-in if nobody is signed in, and shows the event afterwards", () =>
    Effect.gen(function* () {
      const { editor, panel, send } = yield* opened()
      yield* whileTimePasses(editor.commands.get("signOut")?.() ?? Effect.void)
      assert.include(panel.markup, "You are not signed in.")
      assert.include(panel.markup, ">Sign In</button>")
      assert.notInclude(panel.markup, ">Retry</button>")
      // The severity of an event that was not loaded is unknown.
      assert.notInclude(panel.markup, 'class="badge"')
      yield* send({ _tag: "SignIn" })
      assert.include(editor.told, "executed threatExposure.signIn")
    }).pipe(Effect.scoped)
  )

  it.effect("finds its values in the open folders, and sends them nowhere", () =>
    Effect.gen(function* () {
      const { asked, editor, send } = yield* opened()
      editor.files.set("file:///orchard/config.ts", `// none\nexport const password = "${secret}"\n`)
      const before = asked.length
      editor.answers.push("config.ts:2")
      yield* send({ _tag: "Run", command: "events.checkValues" })
      assert.strictEqual(editor.opened.at(-1), "file:///orchard/config.ts")
      assert.strictEqual(asked.length, before)
      assert.strictEqual(editor.placeholders.at(-1), "Found in these places; select one to open it")
    }).pipe(Effect.scoped)
  )

  it.effect("says that it has no values to look for, which is no error", () =>
    Effect.gen(function* () {
      const { editor, send } = yield* opened((path) =>
        !path.includes("/events/") || path.endsWith("_search")
          ? { status: 200, body: { items, next: null } }
          : { status: 200, body: { event_type: "keyring", metadata: items[1]?.metadata, data: { content: "nothing" } } }
      )
      yield* send({ _tag: "Run", command: "events.checkValues" })
      assert.strictEqual(
        editor.told.at(-1),
        "info: This event contains no secret of at least 6 characters to look for."
      )
    }).pipe(Effect.scoped)
  )

  it.effect("says which places of its values it does not show, and which files it has not read", () =>
    Effect.gen(function* () {
      const { editor, send } = yield* opened()
      const tell = send({ _tag: "Run", command: "events.checkValues" })
      editor.files.set("file:///orchard/config.ts", `const password = "${secret}"\n`.repeat(201))
      editor.answers.push("config.ts:1")
      yield* tell
      assert.match(editor.placeholders.at(-1) ?? "", /· Only the first 200 are shown\.$/u)
      editor.files.clear()
      for (let file = 0; file <= 5000; file++) editor.files.set(`file:///orchard/${String(file).padStart(4, "0")}`, "")
      yield* tell
      assert.match(
        editor.told.at(-1) ?? "",
        /5,000 files read.*The folder has more than 5,000 files, and the rest was not read\.$/u
      )
    }).pipe(Effect.scoped)
  )
})
