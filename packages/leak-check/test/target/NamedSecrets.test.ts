import { assert, describe, it } from "@effect/vitest"
import { worthSearching } from "@threat-exposure/leak-check/target/NamedSecrets"
import { Redacted } from "effect"

const password = ["Vq7mXt", "92LkPw"].join("")

const searched = (secrets: Readonly<Record<string, string>>, token?: string) =>
  worthSearching(
    Object.entries(secrets).map(([name, value]) => ({ name, value: Redacted.make(value) })),
    token === undefined ? undefined : Redacted.make(token)
  ).map(({ name, value }) => [name, Redacted.value(value)])

const encode = (text: string) => Buffer.from(text).toString("base64")

describe("of secrets that are given by name", () => {
  it("all are searched but GitHub's own token, however it is written, and the token of the service", () => {
    const token = "te_the-token-of-the-service"
    assert.deepStrictEqual(
      searched({ GITHUB_TOKEN: "ghs_one", github_token: "ghs_two", SERVICE: token, DEPLOY: password }, token),
      [["DEPLOY", password]]
    )
    assert.deepStrictEqual(searched({ SERVICE: token }), [["SERVICE", token]])
  })

  it("an encoded one is searched as it is written and decoded, if that is a text", () => {
    assert.deepStrictEqual(searched({ DEPLOY: encode(password) }), [
      ["DEPLOY", encode(password)],
      ["DEPLOY", password]
    ])
    const bytes = Buffer.from(Array.from({ length: 12 }, (_, index) => index)).toString("base64")
    assert.deepStrictEqual(searched({ KEY: bytes }), [["KEY", bytes]])
  })

  it("a settings file is searched for the secrets in it, under its name and theirs", () => {
    const file = `DB_HOST=db.example.com\nDB_PASSWORD=${password}\n`
    const parts = [["SETTINGS → DB_PASSWORD", password]]
    assert.deepStrictEqual(searched({ SETTINGS: `A=1\nDB_PASSWORD=${password} # gitleaks:allow` }), parts)
    assert.deepStrictEqual(searched({ SETTINGS: file }), parts)
    assert.deepStrictEqual(searched({ SETTINGS: encode(file) }), parts)
    assert.deepStrictEqual(searched({ SETTINGS: JSON.stringify({ password }) }), [["SETTINGS → password", password]])
  })

  it("a line with a password in it is searched as a whole, too", () => {
    const url = `postgres://shop:${password}@db.example.com/orders`
    assert.deepStrictEqual(searched({ DATABASE_URL: url }), [
      ["DATABASE_URL", url],
      ["DATABASE_URL", password]
    ])
  })

  it("a file without a known secret is searched as a whole", () => {
    const text = "first line\nsecond line\n"
    assert.deepStrictEqual(searched({ NOTES: text }), [["NOTES", text]])
  })
})
