import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { askRequest } from "../../src/credentials/CredentialSearchForm.ts"
import { back, EditorDouble } from "../EditorDouble.ts"

it.effect("asks for a search in one form, with numbered steps and a way back from each", () =>
  Effect.gen(function* () {
    const editor = new EditorDouble()
    editor.answers.push("Domain", "example.com", back, "example.org", "From … to …")
    editor.answers.push("2026-01-31", back, "2026-02-01", "2026-02-28", "URLs")
    const request = yield* askRequest.pipe(Effect.provide(editor.layer))
    assert.deepStrictEqual(request, {
      query: { type: "domain", fqdn: "example.org" },
      filters: { imported_at: { gte: "2026-02-01T00:00:00Z", lte: "2026-02-28T23:59:59.999999Z" } },
      include: ["urls"]
    })
    assert.deepStrictEqual(
      editor.asked.map(({ prompt, step, value }) => [prompt.split(" (")[0], step?.number, step?.total, value]),
      [
        ["Domain", 2, 4, ""],
        ["Domain", 2, 4, "example.com"],
        ["From", 4, 6, ""],
        ["From", 4, 6, "2026-01-31"],
        ["To", 5, 6, ""]
      ]
    )
  })
)

it.effect("asks for the value by the name of the chosen kind, and sends its type", () =>
  Effect.gen(function* () {
    for (const [name, type] of [
      ["Login domain", "auth_domain"],
      ["E-mail address", "email"],
      ["Username", "keyword"],
      ["Password", "secret"]
    ] as const) {
      const editor = new EditorDouble()
      editor.answers.push(name, "someone@example.com", "Imported at any time", "")
      const { query } = yield* askRequest.pipe(Effect.provide(editor.layer))
      assert.strictEqual(query.type, type)
      assert.deepStrictEqual(
        editor.asked.map(({ prompt }) => prompt),
        [name]
      )
    }
  })
)
