import { redactEvent, redactJson, redactText, withoutValues } from "@threat-exposure/cli/redaction/Redaction"
import { withoutSecrets } from "@threat-exposure/detect/SecretsInText"
import { plantedSecrets, reveals } from "@threat-exposure/detect/testing/PlantedSecrets"
import { commonPasswords, plainWords } from "@threat-exposure/leak-check/search/SearchEligibility"
import { Redacted } from "effect"
import { assert, describe, it } from "vitest"

const password = "kR7!vQ2p-Lx9w"

describe("redaction", () => {
  it("replaces members that are named like a secret, at any depth and of any type", () => {
    assert.deepStrictEqual(
      redactJson({
        data: [
          { Password: password, nested: { token: { value: password } }, hash: 12, secret: "", kept: "example.com" },
          { password: [`<mark>${password}</mark>`, password] }
        ],
        wrapped: Redacted.make(password)
      }),
      {
        data: [
          {
            Password: "[redacted]",
            nested: { token: "[redacted]" },
            hash: "[redacted]",
            secret: "",
            kept: "example.com"
          },
          { password: ["[redacted]", "[redacted]"] }
        ],
        wrapped: "[redacted]"
      }
    )
  })

  it("removes every planted secret", () => {
    const revealed = plantedSecrets().flatMap(({ context, data, secret }) => {
      const event = { event_type: "paste", metadata: { uid: "paste/a/1" }, data }
      const text = JSON.stringify(redactEvent(event)).toLowerCase()
      return reveals(text, secret) ? [`${context}: ${text}`] : []
    })
    assert.deepStrictEqual(revealed, [])
  })

  it("keeps the identifier and the link of an event, which look random", () => {
    const metadata = {
      uid: "paste/a1b2c3d4e5f6a7b8c9",
      svc_url: "https://example.com/a1b2c3d4e5f6a7b8c9",
      title: "pw: x9"
    }
    assert.deepStrictEqual(redactEvent({ metadata, data: { uid: metadata.uid } }), {
      metadata: { ...metadata, title: "pw: [redacted]" },
      data: { uid: "[redacted]" }
    })
  })

  it("replaces a secret that is the name of a member", () => {
    assert.notInclude(JSON.stringify(redactJson({ [`jane@example.com:${password}`]: 1 })), password)
  })

  it("replaces a secret inside a text", () => {
    assert.strictEqual(
      redactText(`host: db.example.com\npassword: ${password}\nport: 5432`),
      "host: db.example.com\npassword: [redacted]\nport: 5432"
    )
  })

  it("does not search words and times, in which the rules find nothing", () => {
    const times = ["2026-11-30T20:15:00Z", "2026-11-30T20:15:00.000Z", "0001-01-01T00:00:00.123456789Z"]
    for (const text of [
      ...times,
      ...commonPasswords,
      ...plainWords,
      "password",
      "secret_token",
      "correcthorsebattery"
    ]) {
      assert.strictEqual(redactText(text), withoutSecrets(text, "[redacted]"), text)
    }
    assert.strictEqual(redactText(`${times[0]} password: ${password}`), `${times[0]} password: [redacted]`)
  })

  it("finds a secret that a highlight mark splits", () => {
    assert.notInclude(
      redactText(`password: <mark>${password.slice(0, 5)}</mark>${password.slice(5)}`),
      password.slice(5)
    )
  })

  it("keeps highlights in a passage without a secret", () => {
    const passage = "seen on <mark>example</mark>.com"
    assert.strictEqual(redactText(passage), passage)
  })

  it("stops at a depth that no service sends", () => {
    let deep: unknown = password
    for (let depth = 0; depth < 50_000; depth += 1) deep = [deep]
    assert.notInclude(JSON.stringify(redactJson(deep)), password)
  })

  it("removes a value that was searched for, whatever it looks like and wherever it is repeated", () => {
    const value = "marbleharbour7"
    const base64 = Buffer.from(`say ${value} twice`).toString("base64")
    const shown = withoutValues({ secrets: [value, "moss"] })({
      title: `Again MarbleHarbour7, and <mark>moss</mark>`,
      [`of ${value}`]: ["<mark>marble</mark>harbour7", base64, `%6Darbleharbour7`, 7, null],
      kept: "another <mark>text</mark>"
    })
    assert.deepStrictEqual(shown, {
      title: "Again [redacted], and [redacted]",
      "of [redacted]": ["[redacted]", "c2F5I[redacted]IHR3aWNl", "[redacted]", 7, null],
      kept: "another <mark>text</mark>"
    })
  })

  it("keeps the names of the API's fields if a value that was searched for equals one or is part of it", () => {
    const credential = { identity_name: "a@example.com", domain: "domain", source_id: "source", hunter2: 1 }
    assert.deepStrictEqual(withoutValues({ secrets: ["domain", "source", "hunter2"] })(credential), {
      identity_name: "a@example.com",
      domain: "[redacted]",
      source_id: "[redacted]",
      "[redacted]": 1
    })
    const event = {
      event_type: "leak",
      metadata: { uid: "a/b/c", severity: "low" },
      data: { source: { id: "s" }, pii_tags: ["tags"] }
    }
    assert.deepStrictEqual(withoutValues({ secrets: ["metadata", "pii_tags"] })(event), event)
    const page = { metadata: {}, tenant_metadata: { notes: "of notes" }, highlights: {}, identifiers: [] }
    assert.deepStrictEqual(withoutValues({ secrets: ["notes", "highlights"] })(page), {
      ...page,
      tenant_metadata: { notes: "of [redacted]" }
    })
  })
})
