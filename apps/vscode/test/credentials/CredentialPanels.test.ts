import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
// Preloaded, because loading takes several turns of the event loop.
import "../../src/detection/Detector.ts"
import { assertAccessible } from "../Accessibility.ts"
import { searchCredentials, shownPage } from "../CredentialSearch.ts"
import { EditorDouble } from "../EditorDouble.ts"
import { served, started, whileTimePasses } from "../Running.ts"

const password = ["tidal", "Wren", "4471", "harbour!"].join("-")
const credential = (id: number) => ({
  id,
  identity_name: id === 4 ? "" : `user${id}@example.com`,
  domain: "example.com",
  source_id: "s",
  imported_at: "2026-11-01T00:00:00Z",
  hash: `${password}-${id}`,
  hash_type: ["unknown", "sha1", null, "bcrypt"][id - 1],
  event_uid: id === 2 ? "leak/somewhere/2" : null,
  source: { id: "s", name: "<b>Mothlamp</b>", description_en: "A dump of a shop.", pii_tags: ["email"] }
})

/** A service with two pages of two results each. */
const service = (_path: string, body: unknown) => {
  const isSecond = JSON.stringify(body).includes("second")
  return {
    status: 200,
    body: { items: (isSecond ? [3, 4] : [1, 2]).map(credential), next: isSecond ? null : "second" }
  }
}

describe("a search of credentials", () => {
  it.effect("shows its results as a table, loads more, and opens one, whose secret can be revealed separately", () =>
    Effect.gen(function* () {
      const { asked } = yield* served(service)
      const editor = new EditorDouble()
      yield* started(editor, true)
      const { id, ...results } = yield* searchCredentials(editor, { text: "example.com" })
      assert.isTrue(results.panel.shown.some(({ body }) => body.markup.includes("Searching credentials…")))
      assert.include(results.panel.markup, "The first 2 are shown; there are more.")
      assert.include(results.panel.markup, "&#60;b&#62;Mothlamp")
      assert.match(results.panel.markup, /clear, or of an unknown kind[^]*sha1/u)
      assert.notInclude(results.panel.markup, password)
      assertAccessible(results.panel.markup)
      yield* results.send({ _tag: "LoadMore" })
      assert.include(results.panel.markup, "4 credentials match.")
      assert.include(results.panel.markup, ">user1@example.com</button>")
      assert.strictEqual(asked.length, 2)
      yield* results.send({ _tag: "OpenText", kind: "credentials" })
      const table = yield* editor.pages?.text(editor.opened.at(-1) ?? "") ?? Effect.succeed("")
      for (const markup of [table, results.panel.markup]) {
        assert.lengthOf(markup.split("clear, or of an unknown kind"), 3)
        assert.include(markup, "sha1")
      }

      yield* results.send({ _tag: "Open", id: 2 })
      assert.strictEqual(editor.opened.at(-1), `credential ${id}/2`)
      const one = yield* shownPage(editor, "credential", `${id}/2`)
      assert.include(one.panel.markup, "<h1>user2@example.com</h1>")
      assert.include(one.panel.markup, "A dump of a shop.")
      assert.notInclude(one.panel.markup, password)
      assertAccessible(one.panel.markup)
      yield* one.send({ _tag: "Reveal", secret: 0, isRevealed: true })
      assert.include(one.panel.markup, `${password}-2`)
      yield* one.send({ _tag: "OpenText", kind: "credential" })
      assert.include(yield* editor.pages?.text(editor.opened.at(-1) ?? "") ?? Effect.succeed(""), `${password}-2`)
      yield* one.send({ _tag: "OpenText", kind: "credentialJson" })
      const json = yield* editor.pages?.text(editor.opened.at(-1) ?? "") ?? Effect.succeed("")
      assert.include(json, '"identity_name": "user2@example.com"')
      assert.notInclude(json, password)
      yield* one.send({ _tag: "Copy", what: "json" })
      assert.strictEqual(editor.clipboard, json)
      assert.include(one.panel.markup, "Open Event")
      yield* one.send({ _tag: "OpenEvent", uid: "leak/somewhere/2" })
      assert.include(editor.opened.at(-1) ?? "", "leak/somewhere/2")

      // The password of the next result is hidden again, and there is no event.
      yield* one.send({ _tag: "Open", id: 3 })
      assert.include(one.panel.markup, "<h1>user3@example.com</h1>")
      assert.notInclude(one.panel.markup, password)
      assert.notInclude(one.panel.markup, "Open Event")
      // An open panel also shows results of another panel.
      yield* results.send({ _tag: "Open", id: 4 })
      assert.include(one.panel.markup, "<h1>(no account name)</h1>")

      yield* editor.commands.get("toggleMasking")?.() ?? Effect.void
      yield* whileTimePasses(Effect.void)
      for (const { markup } of [results.panel, one.panel]) assert.notInclude(markup, "user4@")
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    [1000, false],
    [1001, true]
  ] as const)("shows at most 1,000 results as rows (%i results: more is said: %s)", ([count, isCut]) =>
    Effect.gen(function* () {
      const items = Array.from({ length: count }, (_, index) => credential(index + 5))
      yield* served(() => ({ status: 200, body: { items, next: null } }))
      const editor = new EditorDouble()
      yield* started(editor, true)
      const { panel } = yield* searchCredentials(editor, { text: "example.com" })
      assert.lengthOf(panel.markup.split('<th scope="row"'), 1001)
      assert.strictEqual(panel.markup.includes("Only the first 1,000 are shown"), isCut)
    }).pipe(Effect.scoped)
  )

  it.effect("can be cancelled, and says what failed", () =>
    Effect.gen(function* () {
      let answer: () => ReturnType<Parameters<typeof served>[0]> = () => new Promise(() => {})
      yield* served(() => answer())
      const editor = new EditorDouble()
      yield* started(editor, true)
      const { panel, send } = yield* searchCredentials(editor, { text: "example.com" })
      yield* send({ _tag: "Cancel" })
      assert.match(panel.markup, /role="alert"[^>]*>[^<]*cancelled/iu)
      answer = () => undefined
      yield* send({ _tag: "Retry" })
      assert.match(panel.markup, /role="alert"[^>]*>The service cannot be reached/u)
      answer = () => ({ status: 200, body: { items: [credential(1)], next: null } })
      yield* send({ _tag: "Retry" })
      assert.include(panel.markup, "1 credential matches.")
      assert.notInclude(panel.markup, "cannot be reached")
    }).pipe(Effect.scoped)
  )

  it.effect("is offered again, but not repeated, after a reload of the window; a search by password is not kept", () =>
    Effect.gen(function* () {
      const { asked } = yield* served(service)
      const before = new EditorDouble()
      yield* started(before, true)
      const { id } = yield* searchCredentials(before, { text: "example.com" })
      const byPassword = yield* searchCredentials(before, { type: "secret", text: password })
      assert.include(byPassword.panel.markup, "user1@example.com")
      assert.notInclude(JSON.stringify(byPassword.panel.shown), password)
      assert.notInclude(JSON.stringify([...before.memento]), password)
      const searches = asked.length
      const after = new EditorDouble()
      for (const [key, value] of before.memento) after.memento.set(key, value)
      yield* started(after, true)
      const one = yield* shownPage(after, "credential", `${id}/2`)
      assert.include(one.panel.markup, "This search is no longer available.")
      const { panel, send } = yield* shownPage(after, "credentials", id)
      assert.include(panel.markup, "Results are not kept when the window reloads.")
      assert.strictEqual(asked.length, searches)
      yield* send({ _tag: "Again" })
      assert.include(panel.markup, "user1@example.com")
      assert.include(one.panel.markup, "<h1>user2@example.com</h1>")
    }).pipe(Effect.scoped)
  )

  it.effect("sorts and filters its results, and leads from them to sources, events and accounts", () =>
    Effect.gen(function* () {
      const { asked } = yield* served(service)
      const editor = new EditorDouble()
      yield* started(editor, true)
      const { id, panel, send } = yield* searchCredentials(editor, { text: "example.com" })
      const accounts = () => [...panel.markup.matchAll(/>(user\d)@example\.com</gu)].map(([, name]) => name)
      assert.deepStrictEqual(accounts(), ["user1", "user2"])
      yield* send({ _tag: "Sort", by: "account" })
      assert.deepStrictEqual(accounts(), ["user1", "user2"])
      yield* send({ _tag: "Sort", by: "account" })
      assert.deepStrictEqual(accounts(), ["user2", "user1"])
      assert.match(panel.markup, /aria-sort="descending"[^]*Account/u)
      yield* send({ _tag: "FilterResults", text: "USER1 moth" })
      assert.deepStrictEqual(accounts(), ["user1"])
      assert.include(panel.markup, "1 of 2")
      assertAccessible(panel.markup)
      yield* send({ _tag: "OpenEvent", uid: "leak/somewhere/2" })
      assert.include(editor.opened.at(-1) ?? "", "leak/somewhere/2")
      const searches = asked.filter((path) => path.includes("credentials")).length

      const one = yield* shownPage(editor, "credential", `${id}/1`)
      yield* one.send({ _tag: "SearchAccount" })
      const account = yield* shownPage(editor, "credentials", editor.opened.at(-1)?.replace("credentials ", "") ?? "")
      assert.include(account.panel.markup, "Credentials: user1@example.com")
      assert.strictEqual(asked.filter((path) => path.includes("credentials")).length, searches + 1)
    }).pipe(Effect.scoped)
  )

  it.effect("sends nothing that the form refuses, and says at the field what is wrong", () =>
    Effect.gen(function* () {
      const { asked } = yield* served(service)
      const editor = new EditorDouble()
      yield* started(editor, true)
      const { panel, send } = yield* searchCredentials(editor, { text: " ", from: "yesterday" })
      assert.deepStrictEqual(asked, [])
      assert.match(panel.markup, /id="search-text-fault">Enter a value/u)
      assert.match(panel.markup, /id="search-from-fault">This is not a date/u)
      assertAccessible(panel.markup)
      yield* send({ _tag: "ChooseType", type: "secret" })
      assert.match(panel.markup, /type="password"\s+id="search-secret"/u)
      yield* send({ _tag: "Search", values: { type: "domain", text: "example.com" } })
      assert.deepStrictEqual(asked, [])
    }).pipe(Effect.scoped)
  )
})
