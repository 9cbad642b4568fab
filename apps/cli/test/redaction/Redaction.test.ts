import { redactedJson, redactedText } from "@threat-exposure/cli/redaction/Redaction"
import { Redacted } from "effect"
import { assert, describe, it } from "vitest"

const password = "kR7!vQ2p-Lx9w"

describe("redaction", () => {
  it("replaces members that are named like a secret, at any depth and of any type", () => {
    assert.deepStrictEqual(
      redactedJson({
        data: [
          { Password: password, nested: { token: { value: password } }, hash: 12, secret: "", kept: "example.com" }
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
          }
        ],
        wrapped: "[redacted]"
      }
    )
  })

  it("replaces a secret where it stands in a text", () => {
    assert.strictEqual(
      redactedText(`host: db.example.com\npassword: ${password}\nport: 5432`),
      "host: db.example.com\npassword: [redacted]\nport: 5432"
    )
  })

  it("finds a secret that a highlight splits", () => {
    assert.notInclude(
      redactedText(`password: <mark>${password.slice(0, 5)}</mark>${password.slice(5)}`),
      password.slice(5)
    )
  })

  it("keeps highlights in a passage without a secret", () => {
    const passage = "seen on <mark>example</mark>.com"
    assert.strictEqual(redactedText(passage), passage)
  })

  it("ends at a depth that no service sends", () => {
    let deep: unknown = password
    for (let depth = 0; depth < 50_000; depth += 1) deep = [deep]
    assert.notInclude(JSON.stringify(redactedJson(deep)), password)
  })
})
