import { assert, describe, it } from "@effect/vitest"
import {
  makeUpdate,
  MonitoredIdentifier,
  MonitoredIdentifierUpdate
} from "@threat-exposure/core/domain/MonitoredIdentifier"
import * as Schema from "effect/Schema"

const decode = Schema.decodeUnknownSync(MonitoredIdentifier)
const encode = Schema.encodeSync(MonitoredIdentifierUpdate)

const updated = (data: object, changes: Parameters<typeof makeUpdate>[1] = { is_disabled: true }) => {
  const update = makeUpdate(
    decode({ id: 1, name: "Shop", data, categories: ["paste"], severities: ["low", "new"], group_id: 3 }),
    changes
  )
  return update === undefined ? undefined : encode(update)
}

describe("an update of an identifier", () => {
  it("has what the identifier matches, and the changes", () => {
    assert.deepStrictEqual(updated({ type: "domain", fqdn: "example.com" }), {
      data: { type: "domain", fqdn: "example.com" },
      categories: ["paste"],
      emerging_categories: [],
      severities: ["low"],
      is_disabled: true
    })
    assert.deepStrictEqual(updated({ type: "secret", secret: "value" })?.data, { type: "secret", secret: "value" })
    const keyword = { type: "keyword", keyword: "shop" } as const
    assert.deepStrictEqual(updated({ type: "ssn", ssn: "1" }, { data: keyword })?.data, keyword)
  })

  it("gives an identifier of an older type the present type that matches the same", () => {
    for (const attribute of [
      { type: "email", email: "jane@example.com" },
      { type: "username", username: "jane" },
      { type: "name", first_name: "Jane", last_name: "Doe", is_strict: true },
      { type: "name", first_name: "", last_name: "Doe", is_strict: false }
    ]) {
      assert.deepStrictEqual<unknown>(updated(attribute)?.data, { type: "identity", attributes: [attribute] })
    }
    assert.deepStrictEqual(updated({ type: "brand", name: "Example" })?.data, { type: "keyword", keyword: "Example" })
  })

  it("is not made where the service does not say what the identifier matches", () => {
    for (const data of [
      {},
      { type: "domain" },
      { type: "secret", secret: null },
      { type: "github_repository", repo_owner: "example" },
      { type: "identity", attributes: [] },
      { type: "identity", attributes: [{ type: "email" }] },
      { type: "identity", attributes: [{ type: "phone", phone: "1" }] },
      { type: "email" },
      { type: "name", is_strict: true },
      { type: "brand" },
      { type: "credentials", username: "jane", password: "value" },
      { type: "ssn", ssn: "1" }
    ]) {
      assert.isUndefined(updated(data), JSON.stringify(data))
    }
  })
})
