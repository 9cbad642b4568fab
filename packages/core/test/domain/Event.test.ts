import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Event, EventPage, IdentifierEvent, IdentifierEventPage } from "@threat-exposure/core/domain/Event"
import { LinkField } from "@threat-exposure/core/domain/LinkField"
import { onWire } from "@threat-exposure/core/testing/Arbitraries"
import { event, identifierEvent } from "@threat-exposure/core/testing/Samples"

const decode = Schema.decodeUnknownSync(EventPage)
const first = (item: unknown) => {
  const [read] = decode({ items: [item], next: null }).items
  assert.isDefined(read)
  return read
}
const metadata = (given: object) => first({ ...event(), metadata: { ...event().metadata, ...given } }).metadata
const tenant = (tenant_metadata: unknown) => first({ ...event(), tenant_metadata }).tenant_metadata

describe("reading", () => {
  it("keeps every field of docs/api.md#event", () => {
    assert.deepStrictEqual<unknown>(first(event()), event())
  })

  it("keeps the title and the link if the metadata contains them", () => {
    const read = metadata({ title: "A dump", svc_url: "https://app.example.com/1" })
    assert.deepStrictEqual([read.title, read.svc_url], ["A dump", "https://app.example.com/1"])
    assert.notProperty(metadata({}), "svc_url")
    assert.notProperty(metadata({ title: null }), "title")
  })

  it.effect("reads the link from the service's own field", () =>
    Effect.gen(function* () {
      const item = { ...event(), metadata: { ...event().metadata, acme_url: "https://app.example.com/1" } }
      const read = yield* Schema.decodeUnknownEffect(EventPage)({ items: [item] })
      assert.strictEqual(read.items[0]?.metadata.svc_url, "https://app.example.com/1")
      assert.notProperty(read.items[0]?.metadata, "acme_url")
    }).pipe(Effect.provideService(LinkField, "acme_url"))
  )

  it("ignores another service's link field, and every other unknown field", () => {
    assert.deepStrictEqual(metadata({ acme_url: "https://app.example.com/1", added: 1 }), metadata({}))
  })

  it("reads a matched_at that is null or absent as null", () => {
    const { matched_at: _, ...rest } = { ...event().metadata }
    assert.isNull(metadata({ matched_at: null }).matched_at)
    assert.isNull(first({ ...event(), metadata: rest }).metadata.matched_at)
  })

  it("accepts new severities and types", () => {
    const read = metadata({ severity: "severe", type: "hologram" })
    assert.deepStrictEqual([read.severity, read.type], ["severe", "hologram"])
  })

  it("accepts a uid of any number of segments", () => {
    for (const uid of ["a/b", "a/b/c/d/e", "a/b/c/d/e/f", "a/me@example.com/c"]) {
      assert.strictEqual(metadata({ uid }).uid, uid)
    }
  })

  it("reads an absent tenant_metadata as one without annotations", () => {
    const { tenant_metadata: _, ...rest } = event()
    const none = { severity: null, tags: [], notes: null }
    assert.deepStrictEqual(first(rest).tenant_metadata, none)
    assert.deepStrictEqual(tenant(null), none)
    assert.deepStrictEqual(tenant({}), none)
  })

  it("accepts nulls inside tenant_metadata, and remediated_at and ignored_at", () => {
    assert.deepStrictEqual(
      tenant({ severity: { original: "low", override: null }, tags: null, notes: null, remediated_at: "2026-01-01" }),
      { severity: { original: "low", override: null }, tags: [], notes: null, remediated_at: "2026-01-01" }
    )
    assert.strictEqual(tenant({ ignored_at: "2026-01-01T00:00:00" }).ignored_at, "2026-01-01T00:00:00")
  })

  it("accepts highlights that are empty, absent or marked with <em>", () => {
    const { highlights: _, ...rest } = event()
    assert.deepStrictEqual(first(rest).highlights, {})
    assert.deepStrictEqual(first({ ...rest, highlights: {} }).highlights, {})
    const old = { description: ["an <em>old</em> one"] }
    assert.deepStrictEqual(first({ ...rest, highlights: old }).highlights, old)
  })

  it("has identifiers only in the search of one identifier", () => {
    const [read] = Schema.decodeUnknownSync(IdentifierEventPage)({ items: [identifierEvent()], next: null }).items
    assert.deepStrictEqual(read?.identifiers, [{ id: 12, name: "example.com" }])
    assert.notProperty(first(identifierEvent()), "identifiers")
    const [without] = Schema.decodeUnknownSync(IdentifierEventPage)({ items: [event()], next: null }).items
    assert.deepStrictEqual(without?.identifiers, [])
  })

  it("accepts an empty page in the middle of a listing", () => {
    assert.deepStrictEqual(decode({ items: [], next: "more" }), { items: [], next: "more" })
  })

  for (const field of ["uid", "type", "severity", "estimated_created_at"]) {
    it(`refuses an event without ${field}`, () => {
      assert.throws(() => metadata({ [field]: undefined }), new RegExp(field, "u"))
    })
  }
})

describe("a page decodes as its events do", () => {
  const paths = [
    ...["metadata", "tenant_metadata", "highlights", "identifiers", "added"].map((field) => [field]),
    ...Object.keys(event().metadata ?? {}).map((field) => ["metadata", field]),
    ...["svc_url", "acme_url", "title", "materialized_at", "__proto__", "constructor"].map((field) => [
      "metadata",
      field
    ]),
    ...["severity", "tags", "notes", "remediated_at", "ignored_at", "added"].map((field) => ["tenant_metadata", field]),
    ["tenant_metadata", "severity", "override"],
    ["highlights", "title"],
    ["identifiers", "0"],
    ["identifiers", "0", "id"],
    ["identifiers", "0", "name"]
  ]
  const values = ["null", "0.5", '""', '"x"', "true", "[]", '["x"]', '["x",null]', "{}", "nothing"]

  /** Sets the field like JSON.parse, including one named `__proto__`, or removes it. */
  const mutate = (item: unknown, [name = "", ...rest]: ReadonlyArray<string>, value: string): unknown => {
    if (typeof item !== "object" || item === null) return item
    const before = Object.entries(item).find(([key]) => key === name)?.[1]
    const next = rest.length === 0 ? (value === "nothing" ? undefined : JSON.parse(value)) : mutate(before, rest, value)
    if (Array.isArray(item)) return [next ?? null, ...item.slice(1)]
    const entries = Object.entries(item).filter(([key]) => key !== name)
    return Object.fromEntries(next === undefined ? entries : [...entries, [name, next]])
  }

  const attempt = (schema: Schema.Codec<unknown, unknown>, input: unknown) =>
    Schema.decodeUnknownEffect(schema)(input).pipe(
      Effect.map((read): unknown => JSON.parse(JSON.stringify(read))),
      Effect.orElseSucceed(() => "refused")
    )

  for (const [one, page] of [
    [Event, EventPage],
    [IdentifierEvent, IdentifierEventPage]
  ] as const) {
    for (const linkField of ["svc_url", "acme_url"]) {
      const name = `${one.ast.annotations?.["identifier"]} with the link field ${linkField}`
      const check = (item: unknown) =>
        Effect.gen(function* () {
          const read = yield* attempt(one, item)
          const expected = read === "refused" ? read : { items: [read], next: null }
          assert.deepStrictEqual(yield* attempt(page, { items: [item] }), expected, JSON.stringify(item))
        }).pipe(Effect.provideService(LinkField, linkField))

      it.effect.prop(`${name}, whatever its content`, [onWire(one)], ([given]) => check(given))

      it.effect(`${name}, whatever its fault`, () =>
        Effect.gen(function* () {
          const links = { svc_url: "https://app.example.com/1", acme_url: "https://app.example.com/2" }
          const whole = { ...identifierEvent({ title: "A dump", ...links }), added: 1 }
          for (const path of paths) {
            for (const value of values) yield* check(mutate(whole, path, value))
          }
        })
      )
    }
  }

  it("without a copy of what is as the schema has it", () => {
    const item = identifierEvent()
    const [read] = Schema.decodeUnknownSync(IdentifierEventPage)({ items: [item] }).items
    assert.strictEqual<unknown>(read, item)
  })
})
