import { assert, it } from "@effect/vitest"
import { DateTime } from "effect"
import { emptyForm, requestOf, valuesOf } from "../../src/credentials/CredentialSearchForm.ts"

const now = DateTime.makeUnsafe("2026-11-22T12:00:00Z")

it("makes a request of the fields: the type, the value, since when, and what to include", () => {
  assert.deepStrictEqual(
    requestOf({ ...emptyForm, text: " example.org ", from: "2026-02-01", to: "2026-02-28", include: ["urls"] }, now),
    {
      request: {
        query: { type: "domain", fqdn: "example.org" },
        filters: { imported_at: { gte: "2026-02-01T00:00:00Z", lte: "2026-02-28T23:59:59.999999Z" } },
        include: ["urls"]
      }
    }
  )
  assert.deepStrictEqual(requestOf({ ...emptyForm, type: "keyword", text: "ada", days: "7" }, now), {
    request: {
      query: { type: "keyword", keyword: "ada" },
      filters: { imported_at: { gte: "2026-11-15T12:00:00.000Z" } },
      include: []
    }
  })
})

it("says what is wrong with each field", () => {
  assert.deepStrictEqual(requestOf({ ...emptyForm, from: "soon", to: "2026-02-28" }, now), {
    faults: { text: "Enter a value", from: "This is not a date: write it as 2026-01-31" }
  })
})

it("shows the fields of a search again, except a password", () => {
  for (const type of ["domain", "auth_domain", "email", "keyword", "secret"] as const) {
    const values = { ...emptyForm, type, text: "someone@example.com", from: "2026-02-01T00:00:00Z" }
    const made = requestOf(values, now)
    if (!("request" in made)) return assert.fail("refused")
    assert.deepStrictEqual(valuesOf(made.request), { ...values, text: type === "secret" ? "" : values.text })
  }
})
