import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { LinkField } from "@threat-exposure/core/domain/LinkField"
import { isKnown, isMalformed, KnownEvent, knownEventTypes, TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import { eventData, typedEvent, typedEvents } from "@threat-exposure/core/testing/Samples"

const decode = Schema.decodeUnknownSync(TypedEvent)
const encode = Schema.encodeUnknownSync(TypedEvent)
const refusal = (event: unknown): string => {
  const exit = Schema.decodeUnknownExit(TypedEvent)(event, { errors: "all" })
  return Exit.isFailure(exit)
    ? `${String(exit.cause)} ${inspect(exit, { depth: 12, showHidden: true })}`
    : "it was read"
}

/** Fields that are specified as null only, so that no value of them is malformed. */
const unspecified = new Set(["feed", "cert_data", "subject"])

/** Copies of a value in which one field, at any depth, is null. */
const nulled = (value: unknown): ReadonlyArray<unknown> =>
  typeof value !== "object" || value === null || Array.isArray(value)
    ? []
    : Object.entries(value).flatMap(([key, inner]) =>
        [null, ...nulled(inner)].map((part) => Object.fromEntries([...Object.entries(value), [key, part]]))
      )

describe("the kinds of docs/api.md#typed-events", () => {
  it("are 21, three of them with two names", () => {
    assert.strictEqual(new Set(knownEventTypes).size, 24)
    assert.sameMembers([...knownEventTypes], Object.keys(eventData))
    assert.strictEqual(KnownEvent.members.length, 24)
  })

  for (const event of typedEvents) {
    it(`${event.event_type} keeps every field`, () => {
      const read = decode(event)
      assert.isTrue(isKnown(read))
      assert.deepStrictEqual<unknown>(encode(read), event)
    })

    it(`${event.event_type} may have any field null or absent`, () => {
      for (const data of [{}, ...nulled(event.data)]) {
        const read = decode({ ...event, data })
        assert.isTrue(isKnown(read))
        assert.deepStrictEqual(decode(encode(read)), read)
      }
    })

    it(`${event.event_type} is malformed if a field of its data has another type`, () => {
      for (const field of Object.keys(Object(event.data)).filter((name) => !unspecified.has(name))) {
        const malformed = { ...event, data: { ...Object(event.data), [field]: Infinity } }
        const read = decode(malformed)
        assert(isMalformed(read))
        assert.isFalse(isKnown(read))
        assert.deepStrictEqual(
          read.faults.map((fault) => fault.startsWith(`data.${field}: `)),
          [true]
        )
        assert.deepStrictEqual<unknown>(encode(read), malformed)
      }
    })
  }

  it("are decoded alike under both of their names", () => {
    for (const [name, other] of [
      ["cc", "credit_card"],
      ["lookalike", "lookalike_domain"],
      ["ransomleak", "ransom_leak"]
    ] as const) {
      const [one, two] = [decode(typedEvent(name, eventData[name])), decode(typedEvent(other, eventData[name]))]
      assert.deepStrictEqual([one.event_type, two.event_type], [name, other])
      assert.deepStrictEqual(one.data, two.data)
    }
  })

  it("name every fault of the data, and no fault of other kinds", () => {
    for (const [data, faults] of [
      [{ url: 5, actor: { id: [] } }, ["data.url: Expected string | null", "data.actor.id: Expected string | null"]],
      ["text", ["data: Expected PasteData | null"]],
      [[{}], ["data: Expected PasteData | null"]]
    ] as const) {
      const read = decode(typedEvent("paste", data))
      assert(isMalformed(read))
      assert.deepStrictEqual<unknown>(read.data, data)
      assert.deepStrictEqual(read.faults, faults)
    }
  })

  it("accept known deviations", () => {
    const kept = (type: string, data: object) => decode(typedEvent(type, data)).data
    assert.include(kept("bot", { price: "12.50", victim_information: null }), { price: "12.50" })
    assert.include(kept("listing", { price: 12.5, actor: null }), { price: 12.5 })
    assert.include(kept("cc", { bin: "40000" }), { bin: "40000" })
    assert.deepInclude(kept("service", { country_code: "CAN" }), { country_code: "CAN" })
    assert.deepInclude(kept("ransomleak", { victim_information: { latitude: 945.5, longitude: -773 } }), {
      victim_information: {
        name: null,
        display_name: null,
        domain: null,
        alternative_domains: [],
        industry: null,
        employee_count: null,
        city: null,
        state: null,
        country: null,
        latitude: 945.5,
        longitude: -773
      }
    })
  })
})

describe("an event of another type", () => {
  it("has null as data if it has none", () => {
    const { data: _, ...bare } = typedEvent("hologram", {})
    const read = decode(bare)
    assert.isFalse(isKnown(read))
    assert.isNull(read.data)
  })

  it("keeps its data as received", () => {
    for (const data of [{ deep: [{ a: null }] }, [1, "a"], "text", 5, null]) {
      const read = decode(typedEvent("hologram", data))
      assert.isFalse(isKnown(read))
      assert.strictEqual(read.event_type, "hologram")
      assert.deepStrictEqual(read.data, data)
      assert.deepStrictEqual<unknown>(encode(read), typedEvent("hologram", data))
    }
  })

  it("is also an event without a type", () => {
    const read = decode({ data: { a: 1 } })
    assert.isFalse(isKnown(read))
    assert.deepStrictEqual<unknown>([read.event_type, read.data, read.metadata.uid], ["", { a: 1 }, ""])
  })
})

describe("metadata", () => {
  it("may lack the link, and the time of a match", () => {
    const read = decode(typedEvent("paste", {}, { svc_url: null, matched_at: null }))
    assert.deepStrictEqual([read.metadata.svc_url, read.metadata.matched_at], [null, null])
  })

  it.effect("has its link in the service's own field", () =>
    Effect.gen(function* () {
      const { svc_url, ...metadata } = typedEvent("paste", {}).metadata
      const read = yield* Schema.decodeUnknownEffect(TypedEvent)({
        ...typedEvent("paste", {}),
        metadata: { ...metadata, acme_url: svc_url }
      })
      assert.strictEqual(read.metadata.svc_url, svc_url)
    }).pipe(Effect.provideService(LinkField, "acme_url"))
  )
})

describe("the password of a leaked credential", () => {
  const password = ["correct", "horse"].join("-")

  it("is redacted", () => {
    const read = decode(typedEvent("leaked_credential", { password }))
    for (const shown of [
      JSON.stringify(read),
      inspect(read, { depth: 9, showHidden: true }),
      inspect(structuredClone(read), { depth: 9 })
    ]) {
      assert.notInclude(shown, password)
    }
    assert.isTrue(isKnown(read) && read.event_type === "leaked_credential")
    if (isKnown(read) && read.event_type === "leaked_credential" && read.data.password !== null) {
      assert.strictEqual(Redacted.value(read.data.password), password)
    }
  })

  it("is redacted in a malformed event too, which is encoded as received", () => {
    for (const data of [
      { password: { password } },
      { password, source: 5 },
      { password: [password] },
      { source: { name: [{ password }] } },
      [password],
      password
    ]) {
      const event = typedEvent("leaked_credential", data)
      const read = decode(event)
      assert(isMalformed(read))
      assert.isNotEmpty(read.faults)
      for (const shown of [JSON.stringify(read), inspect(read, { depth: 9, showHidden: true })]) {
        assert.notInclude(shown, password)
      }
      assert.deepStrictEqual<unknown>(encode(read), event)
    }
  })

  it("is in no error", () => {
    for (const metadata of [5, { uid: [password] }]) {
      const fault = refusal({ ...typedEvent("leaked_credential", { password }), metadata })
      assert.include(fault, "metadata")
      assert.notInclude(fault, password)
    }
  })
})
