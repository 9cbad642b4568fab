/** Tests closing a leak after its value was replaced in the code, with the whole extension. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { EditorDouble, opened } from "../../EditorDouble.ts"
import { event, rowsOf, served, started, under, timePassesUntil, whileTimePasses, withProfiles } from "../../Running.ts"

const secret = ["tidal", "Wren", "4471", "harbour!"].join("-")
const uri = "file:///orchard/src/shop.ts"
const ignoreUri = "file:///orchard/.threat-exposure-ignore.yml"
const leaked = `const password = "${secret}"\n`
const replaced = `const password = process.env.PASSWORD\n`

const credential = {
  id: 7,
  identity_name: "mina@example.com",
  domain: "example.com",
  hash: secret,
  hash_type: "plaintext",
  imported_at: "2026-11-01T08:00:00Z",
  source_id: "orchard",
  source: null,
  known_password_id: null,
  credential_hash: "0f0f",
  event_uid: null
}

/** A service with one event and one credential for the value; `act` answers the actions. */
const leaking = (act: (path: string, body: unknown) => { readonly status: number; readonly body: unknown }) => {
  const acted: Array<readonly [path: string, body: unknown]> = []
  return Effect.map(
    served((path, body) => {
      if (path.endsWith("/actions")) {
        acted.push([path, body])
        return act(path, body)
      }
      const isLeaked = JSON.stringify(body ?? {}).includes(secret)
      const items = !isLeaked ? [] : path.includes("/events/") ? [event(1)] : [credential]
      return { status: 200, body: { items, next: null } }
    }),
    () => acted
  )
}

const checked = Effect.fnUntraced(function* (text = leaked) {
  const editor = new EditorDouble()
  editor.files.set(uri, text)
  editor.activeText = opened(uri, text)
  editor.answers.push("Search")
  yield* started(editor, true)
  yield* whileTimePasses(editor.commands.get("checkFile")?.() ?? Effect.void)
  return editor
})

const edit = (editor: EditorDouble, text: string) => {
  editor.activeText = opened(uri, text)
  return whileTimePasses(editor.edit(uri, text))
}

const leakRow = Effect.fnUntraced(function* (editor: EditorDouble) {
  const [file] = yield* whileTimePasses(editor.trees.get("leaks")?.roots ?? Effect.succeed([]))
  const [row] = yield* whileTimePasses(under(file))
  return row
})

const close = (editor: EditorDouble, ...given: ReadonlyArray<unknown>) =>
  whileTimePasses(editor.commands.get("leaks.close")?.(...given) ?? Effect.void)

describe("a leak whose value was replaced", () => {
  it.effect("is closed in one step, which says first what it does", () =>
    Effect.gen(function* () {
      const acted = yield* leaking(() => ({ status: 200, body: "" }))
      const editor = yield* checked()
      yield* close(editor, yield* leakRow(editor))
      assert.match(editor.told.at(-1) ?? "", /The code still has the value/u)
      yield* edit(editor, replaced)
      const row = yield* leakRow(editor)
      assert.include(row?.row.kinds ?? [], "replaced")
      assert.match(row?.row.description ?? "", /no longer in the code/u)

      editor.answers.push("Close Leak")
      yield* close(editor, row)
      const question = editor.told[editor.told.indexOf("asked: Close the leak of password (password)?") + 1] ?? ""
      assert.include(question, "1 event is marked as remediated")
      assert.include(question, "The credentials with this value are marked as remediated")
      assert.deepStrictEqual(
        acted.map(([path, body]) => [path.replace(/^\/[^/]*/u, ""), body]),
        [
          ["/v4/credentials/actions", { targets: [{ credential_hash: "0f0f" }], action: { type: "remediate" } }],
          ["/v4/events/actions", { targets: [{ uid: "leak/somewhere/1" }], action: { type: "remediate" } }]
        ]
      )
      assert.match(editor.files.get(ignoreUri) ?? "", /fingerprint: .*\n.*reason: .?Replaced in the code/u)
      assert.include(editor.told.at(-1) ?? "", "1 event is marked as remediated. 1 credential is marked as remediated.")
      assert.notInclude((yield* leakRow(editor))?.row.kinds ?? [], "counted")
      assert.notInclude(JSON.stringify([...editor.memento]), "0f0f")
    }).pipe(Effect.scoped)
  )

  it.effect(
    "is closed with the credentials of ten pages and the events that are listed, and says that there are more",
    () =>
      Effect.gen(function* () {
        let page = 0
        const marked: Array<number> = []
        yield* served((path, body) => {
          if (path.endsWith("/credentials/actions")) {
            marked.push(Object(body).targets.length)
            return { status: 200, body: "" }
          }
          if (path.endsWith("/actions")) return { status: 200, body: "" }
          if (path.includes("/events/")) return { status: 200, body: { items: [event(1)], next: "more" } }
          const isLeaked = JSON.stringify(body ?? {}).includes(secret) && path.includes("/credentials/")
          const items = isLeaked ? [{ ...credential, credential_hash: `0f${page++}` }] : []
          return { status: 200, body: { items, next: isLeaked ? `page ${page}` : null } }
        })
        const editor = yield* checked()
        yield* edit(editor, replaced)
        page = 0
        editor.answers.push("Close Leak")
        yield* close(editor, yield* leakRow(editor))
        yield* timePassesUntil(() => marked.length > 0)
        yield* whileTimePasses(Effect.void)
        assert.deepStrictEqual([page, ...marked], [10, 10])
        const moreEvents = "More events have the value: only those that the check has listed are marked."
        assert.lengthOf(
          editor.told.filter((line) => line.includes(moreEvents)),
          2
        )
        assert.include(editor.told.at(-1) ?? "", "More credentials have the value: only the first ones are marked.")
      }).pipe(Effect.scoped)
  )

  it.effect("is closed in the tenant of its check only, also after a reload", () =>
    Effect.gen(function* () {
      const acted = yield* leaking(() => ({ status: 200, body: "" }))
      const editor = new EditorDouble()
      withProfiles(editor, "ours", "theirs")
      editor.files.set(uri, leaked)
      editor.activeText = opened(uri, leaked)
      editor.answers.push("Search")
      const scope = yield* started(editor, false)
      yield* whileTimePasses(editor.commands.get("checkFile")?.() ?? Effect.void)
      yield* edit(editor, replaced)
      editor.answers.push("theirs")
      yield* whileTimePasses(editor.commands.get("switchProfile")?.() ?? Effect.void)
      const refused = "This check was made with the profile “ours”. Switch to it first, or check again."
      editor.answers.push("Close Leak")
      yield* close(editor, yield* leakRow(editor))
      assert.include(editor.told.at(-1) ?? "", refused)
      yield* Scope.close(scope, Exit.void)
      yield* started(editor, false)
      let row = yield* leakRow(editor)
      while (row?.row.kinds?.includes("replaced") !== true) row = yield* leakRow(editor)
      yield* close(editor, row)
      assert.lengthOf(
        editor.told.filter((line) => line.includes(refused)),
        2
      )
      assert.deepStrictEqual(acted, [])
    }).pipe(Effect.scoped)
  )

  it.effect("stays open, and says why, if the service refuses; an event of another tenant does not stop it", () =>
    Effect.gen(function* () {
      let answer: { readonly status: number; readonly body: unknown } = {
        status: 403,
        body: { error: { code: "FORBIDDEN", message: "no" } }
      }
      yield* leaking((path) => (path.includes("/events/") ? answer : { status: 200, body: "" }))
      const editor = yield* checked()
      yield* edit(editor, replaced)
      editor.answers.push("Close Leak")
      yield* close(editor, yield* leakRow(editor))
      assert.match(editor.told.at(-1) ?? "", /^error: The leak of password \(password\) was not closed/u)
      assert.isUndefined(editor.files.get(ignoreUri))
      assert.include((yield* leakRow(editor))?.row.kinds ?? [], "counted")

      answer = { status: 404, body: { detail: "Not Found" } }
      editor.answers.push("Close Leak")
      yield* close(editor, yield* leakRow(editor))
      assert.match(editor.told.at(-1) ?? "", /was not closed: The service does not offer this\.$/u)
      assert.isUndefined(editor.files.get(ignoreUri))

      answer = { status: 404, body: { error: { code: "NOT_FOUND", message: "no such event" } } }
      editor.answers.push("Close Leak")
      yield* close(editor, yield* leakRow(editor))
      assert.include(editor.told.at(-1) ?? "", "1 event is not of your tenant.")
      assert.isDefined(editor.files.get(ignoreUri))
    }).pipe(Effect.scoped)
  )

  it.effect("is offered after a check that no longer finds it", () =>
    Effect.gen(function* () {
      const acted = yield* leaking(() => ({ status: 200, body: "" }))
      const editor = yield* checked()
      yield* edit(editor, replaced)
      editor.presses.push("Close Leak…")
      editor.answers.push("Close Leak")
      yield* whileTimePasses(editor.commands.get("checkFile")?.() ?? Effect.void)
      assert.include(editor.told.join("\n"), "info: password (password) is no longer in the code.")
      yield* whileTimePasses(Effect.void)
      assert.strictEqual(acted.length, 2)
      assert.deepStrictEqual(rowsOf(yield* whileTimePasses(editor.trees.get("leaks")?.roots ?? Effect.succeed([]))), [])
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    ["edited away", () => Effect.void],
    ["no longer found", (editor: EditorDouble) => whileTimePasses(editor.commands.get("checkFile")?.() ?? Effect.void)]
  ] as const)("can still be closed after a reload if it was %0", ([, then]) =>
    Effect.gen(function* () {
      const acted = yield* leaking(() => ({ status: 200, body: "" }))
      const before = yield* checked()
      yield* edit(before, replaced)
      yield* then(before)
      const after = new EditorDouble()
      for (const [key, value] of structuredClone([...before.memento])) after.memento.set(key, value)
      after.files.set(uri, replaced)
      yield* started(after, true)
      let row = yield* leakRow(after)
      while (row?.row.kinds?.includes("replaced") !== true) row = yield* leakRow(after)
      assert.include(row.row.description ?? "", "no longer in the code")
      after.answers.push("Close Leak")
      yield* close(after, row)
      yield* timePassesUntil(() => after.told.some((line) => line.startsWith("info: The leak is closed.")))
      assert.deepStrictEqual(
        acted.map(([path]) => path.endsWith("/events/actions")),
        [true]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is offered for as many leaks as are gone", () =>
    Effect.gen(function* () {
      const acted = yield* leaking(() => ({ status: 200, body: "" }))
      const words = ["alder", "birch", "cedar", "dogwood", "elm"]
      const editor = yield* checked(words.map((word) => `const ${word}Password = "${secret}${word}"\n`).join(""))
      yield* edit(editor, replaced)
      editor.pressesFirst = (message) => message.startsWith("2 other leaks")
      editor.answers.push("elmPassword (password)", "Close Leak")
      yield* whileTimePasses(editor.commands.get("checkFile")?.() ?? Effect.void)
      const offers = editor.told.flatMap((line) => /^info: (.*) no longer in the code\.$/u.exec(line)?.[1] ?? [])
      assert.deepStrictEqual(offers, [
        "alderPassword (password) is",
        "birchPassword (password) is",
        "cedarPassword (password) is",
        "2 other leaks are"
      ])
      yield* whileTimePasses(Effect.void)
      assert.include(editor.told, "asked: Close the leak of elmPassword (password)?")
      assert.strictEqual(acted.length, 2)
    }).pipe(Effect.scoped)
  )
})
