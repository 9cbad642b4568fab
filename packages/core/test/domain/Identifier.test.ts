import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { redactedName, Identifier, NewIdentifier } from "@threat-exposure/core/domain/Identifier"
import { identifier } from "@threat-exposure/core/testing/Samples"

const decode = Schema.decodeUnknownSync(Identifier)
const encode = Schema.encodeUnknownSync(Identifier)

describe("reading", () => {
  it("keeps every field of docs/api.md#identifier", () => {
    assert.deepStrictEqual<unknown>(decode(identifier()), identifier())
  })

  it("requires only an id, a name and a type", () => {
    const read = decode({ id: 1, name: "example.com", type: "domain" })
    assert.deepInclude(read, { search_types: [], data: {}, risks: [], is_disabled: false, tenant_id: null })
  })

  it("accepts new types and search types", () => {
    const read = decode(identifier({ type: "satellite", search_types: ["orbit"] }))
    assert.deepStrictEqual([read.type, read.search_types], ["satellite", ["orbit"]])
  })
})

describe("an identifier of type secret", () => {
  const secret = ["correct", "horse"].join("-")
  const wires = {
    "with its value in data": identifier({ type: "secret", name: "the database", data: { type: "secret", secret } }),
    "with its value deep in data": identifier({ type: "secret", data: { of: [{ a: secret, pin: 1234 }], note: null } }),
    "with its value as its name": identifier({ type: "secret", name: secret, data: {} })
  }

  for (const [name, wire] of Object.entries(wires)) {
    it(`${name} hides it, and can be sent on`, () => {
      const read = decode(wire)
      for (const shown of [
        JSON.stringify(read),
        inspect(read, { depth: 9, showHidden: true }),
        inspect(structuredClone(read), { depth: 9 })
      ]) {
        assert.notInclude(shown, secret)
      }
      assert.deepStrictEqual(encode(read), wire)
    })
  }

  it("reveals its value on request", () => {
    for (const wire of [wires["with its value in data"], wires["with its value as its name"]]) {
      const value = decode(wire).data["secret"]
      assert.isTrue(Redacted.isRedacted(value) && Redacted.value(value) === secret)
    }
  })

  it("keeps a name that is not its value", () => {
    assert.strictEqual(decode(wires["with its value in data"]).name, "the database")
    assert.strictEqual(decode(wires["with its value as its name"]).name, redactedName)
  })

  it("is created with text or with a redacted value", () => {
    const send = Schema.encodeSync(NewIdentifier)
    const sent = { name: "the database", type: "secret", data: { secret } } as const
    assert.deepStrictEqual(send(sent), sent)
    assert.deepStrictEqual(send({ ...sent, data: { secret: Redacted.make(secret) } }), sent)
    assert.deepStrictEqual(send({ name: secret, type: "secret" }), { name: secret, type: "secret" })
  })

  it("is received redacted", () => {
    const received = Schema.decodeUnknownSync(NewIdentifier)({ name: secret, type: "secret" })
    assert.notInclude(inspect(received, { depth: 9 }), secret)
    assert.deepStrictEqual(Schema.encodeSync(NewIdentifier)(received), { name: secret, type: "secret", data: {} })
  })
})
