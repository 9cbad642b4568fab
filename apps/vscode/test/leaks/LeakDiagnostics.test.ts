/** Tests the diagnostics of a check and their quick fixes, with the whole extension. */
import { assert, describe, it } from "@effect/vitest"
import { candidatesIn } from "@threat-exposure/detect/Text"
import { fingerprint } from "@threat-exposure/leak-check/ignore/Fingerprint"
import { repositoryNameOf } from "@threat-exposure/leak-check/range/RepositoryName"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Lines } from "../../src/detection/Lines.ts"
import { EditorDouble, opened } from "../EditorDouble.ts"
import { event, timePassesUntil, whileTimePasses, rowsOf, served, started, under, withProfiles } from "../Running.ts"

const secret = ["tidal", "Wren", "4471", "harbour!"].join("-")
const another = ["amber", "Lynx", "9023", "quarry?"].join("-")
const uri = "file:///orchard/src/shop.ts"
const ignoreUri = "file:///orchard/.threat-exposure-ignore.yml"

/** All values whose first word is in this list have leaked. */
const leaking = (...words: ReadonlyArray<string>) =>
  served((path, body) => {
    const isLeaked = words.some((word) => JSON.stringify(body ?? {}).includes(word))
    return { status: 200, body: { items: isLeaked && path.includes("/events/") ? [event(1)] : [], next: null } }
  })

const checked = Effect.fnUntraced(function* (text: string, at = uri) {
  const editor = new EditorDouble()
  editor.files.set(at, text)
  editor.activeText = opened(at, text)
  editor.answers.push("Search")
  yield* started(editor, true)
  yield* whileTimePasses(editor.commands.get("checkFile")?.() ?? Effect.void)
  return editor
})

const marked = (editor: EditorDouble, at = uri) =>
  (editor.leaks.get(at) ?? []).map(({ span }) => {
    const lines = (editor.files.get(at) ?? "").split("\n")
    return lines[span.start.line]?.slice(span.start.character, span.end.character)
  })

const fix = Effect.fnUntraced(function* (
  editor: EditorDouble,
  title: string,
  at = uri,
  owner: "leaks" | "typing" = "leaks"
) {
  const [finding] = editor[owner].get(at) ?? []
  const { languageId } = opened(at, "")
  const fixes =
    finding === undefined ? [] : yield* editor.onFindings?.fixes(at, finding.span, languageId) ?? Effect.succeed([])
  const command = fixes.find((each) => each.title === title)?.command
  if (command === undefined) return false
  yield* whileTimePasses(editor.commands.get(command.name)?.(...(command.args ?? [])) ?? Effect.void)
  return true
})

const text = `const password = "${secret}"\n`

describe("the hover over a leaked value", () => {
  it.effect("leads to the events that it names", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const editor = yield* checked(text)
      const [finding] = editor.leaks.get(uri) ?? []
      if (finding === undefined) return assert.fail("nothing leaked")
      const lines = yield* editor.onFindings?.hover(uri, finding.span.start) ?? Effect.succeed([])
      const command = lines.find((line) => line.text === "leak: Leak number 1")?.command
      assert.deepInclude(command, { name: "events.openPage", args: ["leak/somewhere/1"] })
      const severity = lines.find((line) => line.text === "Severity: high")?.command
      assert.strictEqual(severity?.title, "Copy Fingerprint")
      assert.include(
        lines.map((line) => line.text),
        "What to do:"
      )
      yield* whileTimePasses(editor.commands.get("leaks.copyFingerprint")?.(...(severity?.args ?? [])) ?? Effect.void)
      assert.strictEqual(editor.clipboard, finding.code)
      const [file] = yield* whileTimePasses(editor.trees.get("leaks")?.roots ?? Effect.succeed([]))
      const [row] = yield* under(file)
      editor.clipboard = ""
      yield* whileTimePasses(editor.commands.get("leaks.copyFingerprint")?.(row) ?? Effect.void)
      assert.strictEqual(editor.clipboard, finding.code)
      yield* whileTimePasses(editor.commands.get("leaks.openEvent")?.(row) ?? Effect.void)
      assert.include(editor.opened, "event leak/somewhere/1")
      yield* whileTimePasses(editor.commands.get("leaks.goTo")?.(uri, 3, 1, "0de") ?? Effect.void)
      assert.strictEqual(editor.opened.at(-1), `${uri}:3 at 0de`)
      const { character, line } = finding.span.start
      const overHidden = yield* editor.onFindings?.hover(uri, { line, character: character - 1 }) ?? Effect.succeed([])
      assert.deepStrictEqual(overHidden, lines)
      const fixes = yield* editor.onFindings?.fixes(uri, finding.span, "typescript") ?? Effect.succeed([])
      assert.include(
        fixes.map(({ title }) => title),
        "Open the event (Leak number 1)"
      )
    }).pipe(Effect.scoped)
  )

  it.effect("names an event without a title by its type and source, as its quick fix does", () =>
    Effect.gen(function* () {
      const { metadata, ...rest } = event(1)
      const { title: _, ...untitled } = metadata
      yield* served((path) => ({
        status: 200,
        body: { items: path.includes("/events/") ? [{ ...rest, metadata: untitled }] : [], next: null }
      }))
      const editor = yield* checked(text)
      const [finding] = editor.leaks.get(uri) ?? []
      if (finding === undefined) return assert.fail("nothing leaked")
      const lines = yield* editor.onFindings?.hover(uri, finding.span.start) ?? Effect.succeed([])
      assert.isDefined(lines.find((line) => line.text === "leak · somewhere")?.command)
      const fixes = yield* editor.onFindings?.fixes(uri, finding.span, "typescript") ?? Effect.succeed([])
      assert.include(
        fixes.map(({ title }) => title),
        "Open the event (leak · somewhere)"
      )
    }).pipe(Effect.scoped)
  )
})

describe("the last leak check", () => {
  it.effect("is there after a reload, with its places where they are by now, and keeps no value", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const before = yield* checked(`const password = "${secret}"\nconst other = "${another}"\n`)
      assert.deepStrictEqual(marked(before), [secret])
      const kept = structuredClone([...before.memento])
      assert.isTrue(kept.some(([key]) => key === "here leaks.last"))
      for (const value of [secret, another, "tidal", "<mark>"]) assert.notInclude(JSON.stringify(kept), value)

      const { asked } = yield* served(() => undefined)
      const after = new EditorDouble()
      for (const [key, value] of kept) after.memento.set(key, value)
      // Another program has moved the value and put a different one in its place.
      after.files.set(uri, `const password = "${another}"\n\nconst shopPassword = "${secret}"\n`)
      yield* started(after, true)
      yield* whileTimePasses(Effect.void)
      const tree = after.trees.get("leaks")
      const rows = yield* whileTimePasses(tree?.roots ?? Effect.succeed([]))
      assert.deepStrictEqual(rowsOf(rows), ["src/shop.ts"])
      assert.match(tree?.message ?? "", /^1 leaked\./u)
      yield* timePassesUntil(() => marked(after).length > 0)
      assert.deepStrictEqual(marked(after), [secret])
      assert.deepStrictEqual(asked, [])

      yield* after.commands.get("leaks.clear")?.() ?? Effect.void
      assert.isUndefined(after.memento.get("here leaks.last"))
    }).pipe(Effect.scoped)
  )
})

describe("a leaked value in a file", () => {
  it.effect("is marked anew when an edit moves it, and not for what is typed below it", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const editor = yield* checked(text)
      const before = editor.leaks.get(uri)
      assert.deepStrictEqual(marked(editor), [secret])
      yield* whileTimePasses(editor.edit(uri, `${text}// below\n`))
      assert.strictEqual(editor.leaks.get(uri), before)
      yield* whileTimePasses(editor.edit(uri, `// above\n${text}`))
      assert.notStrictEqual(editor.leaks.get(uri), before)
      assert.deepStrictEqual(marked(editor), [secret])
    }).pipe(Effect.scoped)
  )

  it.effect("is hidden while masking is on or a command asked for it, and where it moves to", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const editor = new EditorDouble()
      editor.files.set(uri, text)
      editor.activeText = opened(uri, text)
      editor.answers.push("Search")
      yield* started(editor, true)
      yield* whileTimePasses(editor.commands.get("checkFile")?.() ?? Effect.void)
      const hidden = () => {
        const lines = new Lines(editor.files.get(uri) ?? "")
        return [...editor.hiddenSpans].flatMap(([file, spans]) =>
          file === uri ? spans.map((span) => lines.text(span)) : []
        )
      }
      const settle = Effect.all(Array.from({ length: 20 }, () => Effect.yieldNow))
      assert.deepStrictEqual(hidden(), [])
      yield* editor.commands.get("toggleMasking")?.() ?? Effect.void
      yield* settle
      assert.deepStrictEqual(hidden(), [secret])
      yield* editor.edit(uri, `// moved\n${text}`)
      yield* settle
      assert.deepStrictEqual(hidden(), [secret])
      yield* editor.commands.get("leaks.revealValues")?.() ?? Effect.void
      assert.deepStrictEqual(hidden(), [])
      yield* editor.commands.get("leaks.hideValues")?.() ?? Effect.void
      assert.deepStrictEqual(hidden(), [secret])
      yield* editor.commands.get("leaks.clear")?.() ?? Effect.void
      yield* settle
      assert.deepStrictEqual(hidden(), [])
    }).pipe(Effect.scoped)
  )
})

describe("the rules of a repository", () => {
  const toml = "[allowlist]\npaths = ['''^src/''']\n"
  const searchesWith = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>, link?: string) {
    yield* leaking("tidal")
    const editor = new EditorDouble()
    for (const [path, content] of Object.entries(files)) {
      editor.files.set(new URL(path, "file:///orchard/").href, content)
    }
    if (link !== undefined) editor.links.add(`file:///orchard/${link}`)
    editor.files.set(uri, text)
    editor.activeText = opened(uri, text)
    editor.answers.push("Search")
    yield* started(editor, true)
    yield* whileTimePasses(editor.commands.get("checkFile")?.() ?? Effect.void)
    return marked(editor)
  })

  it.effect("apply to the check of a file, and so do those that they extend", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* searchesWith({}), [secret])
      assert.deepStrictEqual(yield* searchesWith({ ".gitleaks.toml": toml }), [])
      const extending = '[extend]\npath = "security/base.toml"\n'
      assert.deepStrictEqual(yield* searchesWith({ ".gitleaks.toml": extending, "security/base.toml": toml }), [])
    }).pipe(Effect.scoped)
  )

  it.effect("are read again after any file that they come from has changed", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const editor = new EditorDouble()
      editor.files.set("file:///orchard/.gitleaks.toml", '[extend]\npath = "security/base.toml"\n')
      editor.files.set("file:///orchard/security/base.toml", "")
      editor.files.set(uri, text)
      editor.activeText = opened(uri, text)
      yield* started(editor, true)
      const check = Effect.suspend(() => {
        editor.answers.push("Search")
        return Effect.map(whileTimePasses(editor.commands.get("checkFile")?.() ?? Effect.void), () => marked(editor))
      })
      assert.deepStrictEqual(yield* check, [secret])
      editor.files.set("file:///orchard/security/base.toml", toml)
      assert.deepStrictEqual(yield* check, [])
      editor.files.delete("file:///orchard/security/base.toml")
      editor.files.set("file:///orchard/.gitleaks.toml", "")
      assert.deepStrictEqual(yield* check, [secret])
    }).pipe(Effect.scoped)
  )

  it.effect("are read at its root, with paths relative to it, whether the folder above or below is open", () =>
    Effect.gen(function* () {
      const above = { "../.git/config": "" }
      assert.deepStrictEqual(yield* searchesWith({ ...above, "../.gitleaks.toml": toml.replace("src", "orchard") }), [])
      assert.deepStrictEqual(yield* searchesWith({ ...above, ".gitleaks.toml": toml }), [secret])
      const below = { "src/.git/config": "", ".gitleaks.toml": toml }
      assert.deepStrictEqual(yield* searchesWith(below), [secret])
      assert.deepStrictEqual(yield* searchesWith({ ...below, "src/.gitleaks.toml": toml.replace("src/", "shop") }), [])
    }).pipe(Effect.scoped)
  )

  it.effect("are not read through a symbolic link", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* searchesWith({ ".gitleaks.toml": toml }, ".gitleaks.toml"), [secret])
    }).pipe(Effect.scoped)
  )
})

describe("the consent to send values", () => {
  it.effect("is asked for once for each profile, and again when the profile leads to another service", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const editor = new EditorDouble()
      withProfiles(editor, "ours")
      editor.files.set(uri, text)
      editor.activeText = opened(uri, text)
      const questionsOf = Effect.fnUntraced(function* (each: EditorDouble) {
        each.told.length = 0
        each.answers.push("Search")
        yield* whileTimePasses(each.commands.get("checkFile")?.() ?? Effect.void)
        return each.told.filter((line) => line.startsWith("asked: Search for leaks?")).length
      })
      yield* started(editor, false)
      assert.strictEqual(yield* questionsOf(editor), 1)
      assert.include(editor.told.join("\n"), "• password: ti•••••• (src/shop.ts:1)")
      assert.notInclude(editor.told.join("\n"), secret)
      editor.answers.length = 0
      assert.strictEqual(yield* questionsOf(editor), 0)

      const moved = new EditorDouble()
      for (const [key, value] of editor.memento) moved.memento.set(key, value)
      withProfiles(moved, "ours")
      moved.settings.set("profiles", [{ name: "ours", baseUrl: "https://elsewhere.example.com", pathPrefix: "ours" }])
      moved.files.set(uri, text)
      moved.activeText = opened(uri, text)
      yield* started(moved, false)
      assert.strictEqual(yield* questionsOf(moved), 1)
      assert.include(moved.told.join("\n"), "https://elsewhere.example.com")
    }).pipe(Effect.scoped)
  )
})

describe("the changes of a repository that Source Control names", () => {
  it.effect("are checked in its open folders, or in its own folder if it is one of several in an open folder", () =>
    Effect.gen(function* () {
      const checkedIn = Effect.fnUntraced(function* (repository: string) {
        const editor = new EditorDouble()
        editor.isOnDisk = true
        const roots: Array<string> = []
        const changes = (root: string) => {
          roots.push(root)
          return Effect.succeed({ candidates: [], skipped: [], gaps: [] })
        }
        yield* started(editor, true, { changes, workspace: changes })
        const rootUri = { scheme: "file", path: repository, toString: () => `file://${repository}` }
        yield* whileTimePasses(editor.commands.get("checkChanges")?.({ rootUri }) ?? Effect.void)
        return { roots, told: editor.told }
      })
      assert.deepStrictEqual((yield* checkedIn("/orchard")).roots, ["/orchard"])
      assert.deepStrictEqual((yield* checkedIn("/orchard/shop")).roots, ["/orchard/shop"])
      assert.deepStrictEqual((yield* checkedIn("/elsewhere")).roots, [])
    }).pipe(Effect.scoped)
  )
})

describe("a check during which another profile is chosen", () => {
  it.effect("ends, and searches nothing with that profile", () =>
    Effect.gen(function* () {
      const { asked } = yield* served(() => ({ status: 200, body: { items: [], next: null } }))
      const editor = new EditorDouble()
      editor.isOnDisk = true
      withProfiles(editor, "before", "after")
      const switching = () =>
        Effect.gen(function* () {
          editor.answers.push("after")
          yield* editor.commands.get("switchProfile")?.() ?? Effect.void
          editor.answers.push("Search")
          return { candidates: candidatesIn(text, { path: "src/shop.ts" }), skipped: [], gaps: [] }
        })
      yield* started(editor, false, { changes: switching, workspace: switching })
      yield* whileTimePasses(editor.commands.get("checkChanges")?.() ?? Effect.void)
      assert.deepStrictEqual(
        asked.filter((path) => path.endsWith("_search")),
        []
      )
      assert.include(editor.told.join("\n"), "Stopped because you switched to another profile.")
    }).pipe(Effect.scoped)
  )
})

describe("the marks of a check", () => {
  it.effect("stay on the value while the file is edited, disappear with the value, and come back with an undo", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const editor = yield* checked(text)
      assert.deepStrictEqual(marked(editor), [secret])
      yield* whileTimePasses(editor.edit(uri, `// one\n// two\n${text}`))
      assert.deepStrictEqual(marked(editor), [secret])
      yield* whileTimePasses(editor.edit(uri, "nothing\n"))
      assert.deepStrictEqual(marked(editor), [])
      yield* whileTimePasses(editor.edit(uri, `\n${text}`))
      assert.deepStrictEqual(marked(editor), [secret])
    }).pipe(Effect.scoped)
  )

  it.effect("are on each of two equal values of one line", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const line = `const password = "${secret}"; const otherPassword = "${secret}"\n`
      const editor = yield* checked(line)
      const places = () => new Set((editor.leaks.get(uri) ?? []).map(({ span }) => span.start.character)).size
      assert.strictEqual(places(), 2)
      yield* whileTimePasses(editor.edit(uri, `\n${line}`))
      assert.strictEqual(places(), 2)
    }).pipe(Effect.scoped)
  )

  it.effect("are on the value if the file was edited during the check", () =>
    Effect.gen(function* () {
      const editor = new EditorDouble()
      yield* served((path) => {
        editor.files.set(uri, `// new\n${text}`)
        return { status: 200, body: { items: path.includes("/events/") ? [event(1)] : [], next: null } }
      })
      editor.files.set(uri, text)
      editor.activeText = opened(uri, text)
      editor.answers.push("Search")
      yield* started(editor, true)
      yield* whileTimePasses(editor.commands.get("checkFile")?.() ?? Effect.void)
      assert.deepStrictEqual(marked(editor), [secret])
    }).pipe(Effect.scoped)
  )

  it.effect("do not change the view during typing", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const editor = yield* checked(text)
      const before = editor.trees.get("leaks")?.refreshes
      for (let key = 0; key < 5; key++) yield* whileTimePasses(editor.edit(uri, `${"/".repeat(key)}\n${text}`))
      assert.strictEqual(editor.trees.get("leaks")?.refreshes, before)
    }).pipe(Effect.scoped)
  )
})

describe("what looks like a secret during typing", () => {
  it.effect("is marked as such until a check has marked it as a leak", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const lines = `${text}const otherPassword = "${another}"\n`
      const editor = new EditorDouble()
      editor.settings.set("leakCheck.asYouType", true)
      yield* whileTimePasses(Effect.asVoid(started(editor, true)))
      yield* whileTimePasses(editor.edit(uri, lines))
      assert.strictEqual(editor.typing.get(uri)?.length, 2)
      editor.activeText = opened(uri, lines)
      editor.answers.push("Search")
      yield* whileTimePasses(editor.commands.get("checkFile")?.() ?? Effect.void)
      assert.deepStrictEqual(marked(editor), [secret])
      assert.strictEqual(editor.typing.get(uri)?.length, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("has the same name as a leak of it: by its provider, or else by its kind", () =>
    Effect.gen(function* () {
      const key = ["sk", "live", "Qm7rT2xLp9VbKc4nHd8sWz3y"].join("_")
      yield* served(() => undefined)
      const editor = new EditorDouble()
      editor.settings.set("leakCheck.asYouType", true)
      yield* whileTimePasses(Effect.asVoid(started(editor, true)))
      yield* whileTimePasses(editor.edit(uri, `${text}const paymentsToken = "${key}"\n`))
      assert.deepStrictEqual(
        editor.typing.get(uri)?.map(({ message }) => /\((.+?)\)/u.exec(message)?.[1]),
        ["password", "Stripe key"]
      )
    }).pipe(Effect.scoped)
  )
})

describe("a quick fix of what looks like a secret", () => {
  const typing = Effect.fnUntraced(function* (content: string) {
    yield* leaking("tidal")
    const editor = new EditorDouble()
    editor.settings.set("leakCheck.asYouType", true)
    yield* whileTimePasses(Effect.asVoid(started(editor, true)))
    yield* whileTimePasses(editor.edit(uri, content))
    return editor
  })

  it.effect("checks the file", () =>
    Effect.gen(function* () {
      const editor = yield* typing(text)
      editor.answers.push("Search")
      assert.isTrue(yield* fix(editor, "Check this file for leaks", uri, "typing"))
      assert.deepStrictEqual(marked(editor), [secret])
    }).pipe(Effect.scoped)
  )

  it.effect("moves the value to .env, and does not say that it has leaked", () =>
    Effect.gen(function* () {
      const editor = yield* typing(text)
      editor.answers.push("SHOP_TOKEN")
      assert.isTrue(yield* fix(editor, "Move to .env and reference it", uri, "typing"))
      assert.strictEqual(editor.files.get(uri), "const password = process.env.SHOP_TOKEN\n")
      assert.include(editor.files.get("file:///orchard/.env") ?? "", secret)
      assert.notInclude(editor.told.join("\n"), "leaked")
    }).pipe(Effect.scoped)
  )

  it.effect("ignores it with a comment that detection respects", () =>
    Effect.gen(function* () {
      const editor = yield* typing(`if (here) {\n  ${text}}\n`)
      editor.answers.push("of the tests */")
      assert.isTrue(yield* fix(editor, "Ignore with a comment…", uri, "typing"))
      assert.include(
        editor.files.get(uri) ?? "",
        `if (here) {\n  // threat-exposure: allow-next-line (of the tests)\n  ${text}`
      )
      yield* whileTimePasses(Effect.void)
      assert.deepStrictEqual(editor.typing.get(uri), [])
    }).pipe(Effect.scoped)
  )
})

describe("a check that is cancelled", () => {
  it.effect("shows what it has found, and what it has not searched", () =>
    Effect.gen(function* () {
      const editor = new EditorDouble()
      const before = globalThis.fetch
      yield* leaking("tidal")
      const answering = globalThis.fetch
      // The search of the second value is never answered.
      globalThis.fetch = async (input, init) => {
        const request = new Request(input, init)
        return (await request.clone().text()).includes("amber")
          ? new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(request.signal.reason)))
          : answering(request)
      }
      const lines = `${text}const otherPassword = "${another}"\n`
      editor.files.set(uri, lines)
      editor.activeText = opened(uri, lines)
      editor.answers.push("Search")
      yield* started(editor, true)
      const checking = yield* Effect.forkChild(editor.commands.get("checkFile")?.() ?? Effect.void)
      yield* whileTimePasses(TestClock.adjust("2 seconds"))
      yield* editor.cancel
      yield* whileTimePasses(Fiber.join(checking))
      globalThis.fetch = before
      assert.deepStrictEqual(marked(editor), [secret])
      const rows = yield* editor.trees.get("leaks")?.roots ?? Effect.succeed([])
      assert.include(rowsOf(rows), "Not searched")
      assert.match(editor.trees.get("leaks")?.message ?? "", /^1 leaked\. .*1 not searched: cancelled\.$/u)
    }).pipe(Effect.scoped)
  )
})

describe("a quick fix", () => {
  it.effect("moves the value to .env, whatever was typed above it meanwhile", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const editor = yield* checked(text)
      editor.files.set("file:///orchard/.env", "A=1\r\nTOKEN = 2")
      yield* whileTimePasses(editor.edit(uri, `// above\n${text}`))
      editor.answers.push("SHOP_TOKEN")
      assert.isTrue(yield* fix(editor, "Move to .env and reference it"))
      assert.strictEqual(editor.files.get(uri), "// above\nconst password = process.env.SHOP_TOKEN\n")
      assert.strictEqual(editor.files.get("file:///orchard/.env"), `A=1\r\nTOKEN = 2\r\nSHOP_TOKEN='${secret}'\r\n`)
      assert.strictEqual(editor.files.get("file:///orchard/.gitignore"), ".env\n")
      assert.deepStrictEqual(marked(editor), [])
    }).pipe(Effect.scoped)
  )

  it.effect("does not change code in which the value is part of a longer text, and says what to do", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const longer = `const url = "https://shop:${secret}@db.example.com/orders"\n`
      const editor = yield* checked(longer)
      assert.deepStrictEqual(marked(editor), [secret])
      editor.answers.push("DATABASE_PASSWORD")
      assert.isTrue(yield* fix(editor, "Move to .env and reference it"))
      assert.strictEqual(editor.files.get(uri), longer)
      assert.include(editor.files.get("file:///orchard/.env") ?? "", secret)
      assert.include(editor.told.join("\n"), "replace it with process.env.DATABASE_PASSWORD yourself")
    }).pipe(Effect.scoped)
  )

  it.effect("does not change a .env that cannot be read, and says so", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const editor = yield* checked(text)
      editor.unreadable.add("file:///orchard/.env")
      editor.answers.push("SHOP_TOKEN")
      assert.isTrue(yield* fix(editor, "Move to .env and reference it"))
      assert.strictEqual(editor.files.get(uri), text)
      assert.isUndefined(editor.files.get("file:///orchard/.env"))
      assert.include(editor.told.join("\n"), ".env could not be read: permission denied")
    }).pipe(Effect.scoped)
  )

  it.effect("says whether git ignores .env: a new one is ignored, an existing one may be tracked", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      for (const before of [undefined, "A=1\n"]) {
        const editor = yield* checked(text)
        if (before !== undefined) editor.files.set("file:///orchard/.env", before)
        editor.answers.push("SHOP_TOKEN")
        assert.isTrue(yield* fix(editor, "Move to .env and reference it"))
        const told = editor.told.join("\n")
        assert.strictEqual(told.includes("Git ignores it."), before === undefined)
        assert.strictEqual(told.includes("git rm --cached .env"), before !== undefined)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is not offered in a format that cannot read the environment", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const at = "file:///orchard/config.json"
      const editor = yield* checked(`{ "password": "${secret}" }\n`, at)
      assert.deepStrictEqual(marked(editor, at), [secret])
      assert.isFalse(yield* fix(editor, "Move to .env and reference it", at))
    }).pipe(Effect.scoped)
  )

  it.effect("adds nothing to an ignore file that cannot be read", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const editor = yield* checked(text)
      editor.unreadable.add(ignoreUri)
      editor.answers.push("rotated", "30 days")
      assert.isTrue(yield* fix(editor, "Ignore with a reason…"))
      assert.isUndefined(editor.files.get(ignoreUri))
      assert.include(editor.told.join("\n"), "could not be read")
    }).pipe(Effect.scoped)
  )

  it.effect("uses the ignore file in the settings of its folder", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const editor = yield* checked(text)
      editor.folderSettings.set("file:///orchard leakCheck.ignoreFile", "security/ignored.yml")
      editor.answers.push("rotated", "30 days")
      assert.isTrue(yield* fix(editor, "Ignore with a reason…"))
      assert.include(editor.files.get("file:///orchard/security/ignored.yml") ?? "", "rotated")
    }).pipe(Effect.scoped)
  )

  it.effect(
    "uses the ignore file at the root of the repository, with the fingerprint of the action, even if a folder below is open",
    () =>
      Effect.gen(function* () {
        yield* leaking("tidal")
        const ignored = Effect.fnUntraced(function* (config: string) {
          const editor = new EditorDouble()
          editor.files.set("file:///.git/config", config)
          editor.files.set(uri, text)
          editor.activeText = opened(uri, text)
          editor.answers.push("Search", "rotated", "30 days")
          yield* started(editor, true)
          yield* whileTimePasses(editor.commands.get("checkFile")?.() ?? Effect.void)
          assert.isTrue(yield* fix(editor, "Ignore with a reason…"))
          assert.isUndefined(editor.files.get(ignoreUri))
          const file = editor.files.get("file:///.threat-exposure-ignore.yml") ?? ""
          const warnings = editor.told.filter((message) => message.startsWith("warning: "))
          return { fingerprint: /fingerprint: (\w+)/u.exec(file)?.[1], warnings }
        })
        // The name in the action consists of the server's address, the owner and the repository's name.
        const name = repositoryNameOf("https://GitHub.com/Example/Orchard") ?? ""
        const expected = yield* fingerprint(Redacted.make(secret), name)
        for (const address of ["git@github.com:example/orchard.git", "https://someone@GitHub.com/example/Orchard"]) {
          assert.deepStrictEqual(yield* ignored(`[remote "origin"]\n\turl = ${address}\n`), {
            fingerprint: expected,
            warnings: []
          })
        }
        const local = yield* ignored("[core]\n")
        assert.notStrictEqual(local.fingerprint, expected)
        assert.match(local.warnings.join(), /remote named origin/u)
      }).pipe(Effect.scoped)
  )

  it.effect("uses the ignore file at the root of the repository of the file, even if the folder above is open", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const editor = new EditorDouble()
      editor.files.set("file:///orchard/src/.git/config", "")
      editor.files.set(uri, text)
      editor.activeText = opened(uri, text)
      editor.answers.push("Search", "rotated", "30 days")
      yield* started(editor, true)
      yield* whileTimePasses(editor.commands.get("checkFile")?.() ?? Effect.void)
      assert.isTrue(yield* fix(editor, "Ignore with a reason…"))
      assert.include(
        editor.files.get("file:///orchard/src/.threat-exposure-ignore.yml") ?? "",
        yield* fingerprint(Redacted.make(secret), "src")
      )
    }).pipe(Effect.scoped)
  )

  it.effect("offers nothing that needs a folder if the file is in none", () =>
    Effect.gen(function* () {
      yield* leaking("tidal")
      const elsewhere = "file:///elsewhere/shop.ts"
      const editor = yield* checked(text, elsewhere)
      assert.deepStrictEqual(marked(editor, elsewhere), [secret])
      assert.isFalse(yield* fix(editor, "Move to .env and reference it", elsewhere))
      assert.isFalse(yield* fix(editor, "Ignore with a reason…", elsewhere))
      assert.isTrue(yield* fix(editor, "Copy rotation steps", elsewhere))
      assert.match(editor.clipboard, /^1\. /u)
    }).pipe(Effect.scoped)
  )

  it.effect("renews an expired entry, in the file that the next check reads", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-20T00:00:00Z"))
      yield* leaking("tidal")
      const editor = yield* checked(text)
      const ignore = Effect.fnUntraced(function* () {
        editor.answers.push("rotated: see #4", "30 days")
        return yield* fix(editor, "Ignore with a reason…")
      })
      assert.isTrue(yield* ignore())
      assert.strictEqual(editor.leaks.get(uri)?.[0]?.severity, "information")
      yield* TestClock.adjust("40 days")
      yield* whileTimePasses(editor.commands.get("checkFile")?.() ?? Effect.void)
      assert.strictEqual(editor.leaks.get(uri)?.[0]?.severity, "error")
      assert.isTrue(yield* ignore())
      const file = editor.files.get(ignoreUri) ?? ""
      assert.strictEqual([...file.matchAll(/fingerprint:/gu)].length, 1)
      yield* whileTimePasses(editor.commands.get("checkFile")?.() ?? Effect.void)
      assert.strictEqual(editor.leaks.get(uri)?.[0]?.severity, "information")
    }).pipe(Effect.scoped)
  )
})
