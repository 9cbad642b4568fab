import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EditorDouble, opened } from "../EditorDouble.ts"
import { event, whileTimePasses, served, started } from "../Running.ts"

const secret = ["tidal", "Wren", "4471", "harbour!"].join("-")

const using = Effect.fnUntraced(function* () {
  const editor = new EditorDouble()
  yield* started(editor, true)
  return {
    editor,
    asks: (name: "searchEvents" | "getEvent" | "countCredentials" | "checkOpenFile", input: unknown) =>
      Effect.map(
        editor.tools.get(name)?.prepare(input) ?? Effect.succeed({ title: "", message: "" }),
        ({ message }) => message
      ),
    answers: (name: "searchEvents" | "getEvent" | "countCredentials" | "checkOpenFile", input: unknown) =>
      Effect.map(
        whileTimePasses(editor.tools.get(name)?.answer(input) ?? Effect.succeed({ text: "" })),
        ({ text }) => text
      )
  }
})

describe("a tool of a language model", () => {
  it.effect("says before it runs what it requests, from which service, and for which file", () =>
    Effect.gen(function* () {
      const { asks, editor } = yield* using()
      const message = yield* asks("searchEvents", { query: `${secret} from the chat` })
      assert.include(message, secret)
      assert.include(message, "https://exposure.example.com")
      assert.isBelow((yield* asks("countCredentials", { domain: "x".repeat(100_000) })).length, 400)
      assert.include(yield* asks("getEvent", { uid: ["not", "a", "text"] }), "?")
      assert.strictEqual(yield* asks("checkOpenFile", {}), "No file is open.")
      editor.activeText = opened("file:///orchard/shop.ts", "")
      assert.include(yield* asks("checkOpenFile", {}), "shop.ts")
      yield* whileTimePasses(editor.commands.get("signOut")?.() ?? Effect.void)
      for (const name of ["searchEvents", "getEvent", "countCredentials", "checkOpenFile"] as const) {
        assert.strictEqual(yield* asks(name, { query: secret }), "You are not signed in.")
      }
    }).pipe(Effect.scoped)
  )

  it.effect("answers an input of a wrong shape with a message, without a request", () =>
    Effect.gen(function* () {
      const { asked } = yield* served(() => undefined)
      const { answers } = yield* using()
      for (const input of [undefined, null, [], "text", { query: "" }, { query: {} }, { uid: 7, domain: null }]) {
        for (const name of ["searchEvents", "getEvent", "countCredentials"] as const) {
          assert.include(yield* answers(name, input), "Invalid input")
        }
      }
      assert.include(
        yield* answers("searchEvents", { query: "example.com", severity: "high" }),
        "severity: unknown field"
      )
      assert.include(yield* answers("getEvent", { id: "x" }), "uid: is missing")
      assert.deepStrictEqual(asked, [])
    }).pipe(Effect.scoped)
  )

  it.effect("reveals no secret: of a title, of a highlight, of a text", () =>
    Effect.gen(function* () {
      const { metadata, ...rest } = event(1)
      yield* served((path) =>
        path.includes("/_search")
          ? {
              status: 200,
              body: {
                items: [
                  { ...rest, metadata: { ...metadata, title: `password: ${secret}` } },
                  {
                    ...rest,
                    metadata: { ...metadata, title: null },
                    highlights: { password: [`<mark>${secret}</mark>`] }
                  }
                ],
                next: "2"
              }
            }
          : {
              status: 200,
              body: { event_type: "paste", metadata, data: { content: `user: jane\npassword = "${secret}"\n` } }
            }
      )
      const { answers } = yield* using()
      const found = yield* answers("searchEvents", { query: "example.com" })
      const { events, more } = JSON.parse(found)
      assert.strictEqual(events.length, 2)
      assert.isTrue(more)
      assert.notInclude(found, secret)
      const page = yield* answers("getEvent", { uid: metadata.uid })
      assert.include(page, "user: jane")
      assert.notInclude(page, secret)
    }).pipe(Effect.scoped)
  )

  it.effect("checks nothing without consent", () =>
    Effect.gen(function* () {
      const { asked } = yield* served(() => ({ status: 200, body: { items: [], next: null } }))
      const { answers, editor } = yield* using()
      editor.activeText = opened("file:///orchard/a.ini", `password = "${secret}"\n`)
      assert.match(yield* answers("checkOpenFile", {}), /^This failed: /u)
      assert.deepStrictEqual(asked, [])
    }).pipe(Effect.scoped)
  )
})
