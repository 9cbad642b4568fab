import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readSearches, replaceSearch } from "../../../src/events/search/SavedSearch.ts"
import { EditorDouble } from "../../EditorDouble.ts"
import { whileTimePasses, rowsOf, served, started } from "../../Running.ts"

const ours = { name: "Ours", query: { type: "domain", fqdn: "example.com" } } as const

describe("saved searches in the settings", () => {
  it("are left out if invalid, with a message that says what to correct", () => {
    const { faults, searches } = readSearches([
      "text",
      ours,
      { name: "Wrong", query: { type: "nonsense" } },
      { name: "Missing", query: { type: "domain" }, filters: { severity: "hihg" } },
      { query: ours.query },
      { ...ours, query: { type: "keyword", keyword: "shop" } },
      { name: "Everything" }
    ])
    assert.deepStrictEqual(
      searches.map(({ name }) => name),
      ["Ours", "Everything"]
    )
    assert.deepStrictEqual(faults, [
      { entry: 1, fault: "not an object" },
      { entry: 3, fault: "invalid query" },
      { entry: 4, fault: "invalid query.fqdn, filters.severity" },
      { entry: 5, fault: "invalid name" },
      { entry: 6, fault: "another search has this name" }
    ])
    assert.deepStrictEqual(readSearches("nothing like it"), { searches: [], faults: [] })
  })

  it("never have a secret repeated in a message", () => {
    const secret = "amber-lynx-quarry"
    const { faults, searches } = readSearches([
      { name: "One", query: { type: "secret", secret } },
      { name: "Two", query: { type: "secrets", secret } },
      { name: "Three", query: { type: "credentials", username: 7, password: secret } }
    ])
    assert.deepStrictEqual(searches, [])
    assert.lengthOf(faults, 3)
    assert.notInclude(JSON.stringify(faults), secret)
  })

  it("can be changed one by one, and everything else stays as it is written", () => {
    const written = ["text", { ...ours, query: { type: "nonsense" } }, ours, ours]
    const theirs = { ...ours, name: "Theirs" }
    assert.deepStrictEqual(replaceSearch(written, "Ours", [theirs]), ["text", written[1], theirs, ours])
    assert.deepStrictEqual(replaceSearch(written, "Ours", []), ["text", written[1], ours])
    assert.deepStrictEqual(replaceSearch(written, "Theirs", [theirs]), [...written, theirs])
    assert.deepStrictEqual(replaceSearch(undefined, "Theirs", [theirs]), [theirs])
  })

  it.effect("are shown beside the faults of invalid ones, none of which is lost when one is added", () =>
    Effect.gen(function* () {
      yield* served(() => ({ status: 200, body: { items: [], next: null } }))
      const editor = new EditorDouble()
      const written = [ours, { name: "Broken", query: { type: "domain" } }]
      editor.settings.set("savedSearches", written)
      yield* started(editor, true)
      const tree = editor.trees.get("events")
      assert.deepStrictEqual(rowsOf(yield* whileTimePasses(tree?.roots ?? Effect.succeed([]))), [
        "Ours",
        "Saved search 2"
      ])
      assert.include(
        editor.log.join("\n"),
        "Entry 2 of the setting threatExposure.savedSearches is left out: invalid query.fqdn"
      )
      editor.answers.push("Keyword", "shop", "Apply", "Shop")
      yield* whileTimePasses(editor.commands.get("events.saveSearch")?.() ?? Effect.void)
      assert.deepStrictEqual(editor.settings.get("savedSearches"), [
        ...written,
        { name: "Shop", query: { type: "keyword", keyword: "shop" } }
      ])
    }).pipe(Effect.scoped)
  )
})
