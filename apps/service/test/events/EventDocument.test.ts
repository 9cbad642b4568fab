import { assert, describe, it } from "@effect/vitest"
import { eventDocument } from "@threat-exposure/service/events/EventDocument"

const termsOf = (content: unknown) => {
  const document = eventDocument(
    { blindIndex: (_purpose, value) => new TextEncoder().encode(value) },
    { event_type: "paste", metadata: { severity: "low" }, data: { content } }
  )
  const [text = ""] = document.texts.map(({ text }) => text)
  return [...document.terms.values()].map(({ kind, spans, value }) => ({
    kind,
    value,
    shown: spans.map(({ end, start }) => text.slice(start, end))
  }))
}

describe("the terms of a text", () => {
  it.each([
    "email=V",
    "user?email=V&x=1",
    "--user=V",
    "('V', 1)",
    "{V}",
    "**V**",
    "~~V~~",
    "x/V/y",
    "https://www.example.org/V",
    "#V",
    "«V»",
    "邮箱V",
    "email%3DV%26x",
    "%22V%22",
    String.raw`x\nV:y`,
    "<V>,",
    "mailto:V?subject=x"
  ])("have an e-mail address by itself in %j", (context) => {
    for (const email of ["jane.doe@example.com", "jane+shop@mail.example.com"]) {
      const found = termsOf(context.replace("V", email)).find(({ kind, value }) => kind === "email" && value === email)
      assert.deepStrictEqual(found?.shown, [email])
    }
  })

  it("have an address with signs that may be part of it", () => {
    const emails = termsOf("o'brien@example.com a&b@example.com").flatMap(({ kind, value }) =>
      kind === "email" ? [value] : []
    )
    assert.includeMembers(emails, ["o'brien@example.com", "a&b@example.com"])
  })

  it.each([
    ["domain", "shop.example.com", "redirect=https%3A%2F%2FV%2Flogin"],
    ["domain", "example.com", "https%3a%2f%2fV"],
    ["ip", "203.0.113.7", "host%3DV"],
    ["ip", "2001:db8::7", "%5BV%5D"],
    ["azure_tenant", "0f8fad5b-d9cb-469f-a165-70867728950e", "tenant%3DV"]
  ])("have a %s in a percent-encoded address (%s in %s)", (kind, value, context) => {
    const found = termsOf(context.replace("V", value)).find((term) => term.kind === kind && term.value === value)
    assert.deepStrictEqual(found?.shown, [value])
  })

  it.each([
    ["domain", "shop.example.com", "hxxps://shop[.]example[.]com/a"],
    ["domain", "example.com", "shop[.]example.com"],
    ["ip", "203.0.113.7", "203[.]0[.]113[.]7"],
    ["email", "jane@example.com", "jane@example[.]com"],
    ["email", "jane@example.com", "jane[@]example[.]com"],
    ["github_repository", "acme/shop", "git@github.com:acme/shop.git"],
    ["github_repository", "acme/shop", "https://codeload.github.com/acme/shop/zip"],
    ["username", "jane_doe", "nick: jane_doe"],
    ["username", "jane_doe", "Telegram: @jane_doe"]
  ])("have a %s (%s in %s)", (kind, value, text) => {
    assert.include(
      termsOf(text).map((term) => `${term.kind} ${term.value}`),
      `${kind} ${value}`
    )
  })

  it.each([
    "URL: https://shop.example.com\nLogin: A\nPassword: P",
    "SOFT: Chrome\nURL: https://shop.example.com\nUSER: A\nPASS: P",
    "URL:https://shop.example.com\r\nUSR:A\r\nPWD:P\r\n",
    "host=shop.example.com\nuser=A\npass=P",
    "username=A&password=P",
    '{"email":"A","password":"P"}',
    "Login : A Mot de passe : P",
    "Benutzer: A, Kennwort: P",
    "Логин: A Пароль: P",
    "用户名：A 密码：P",
    "A:P"
  ])("pair an account with the password that follows it in %j", (context) => {
    for (const [account, password] of [
      ["jane.doe@example.com", "Sommer2024!"],
      ["jane_doe", "kX9vQ2mPz7LwT4ab"]
    ] as const) {
      const text = context.replace(/\bA(?!\w)/u, account).replace(/(?<![A-Z])P(?!\w)/u, password)
      const terms = termsOf(text).map(({ kind, value }) => `${kind} ${value}`)
      assert.includeMembers(terms, [`credentials ${account}\0${password}`, `username ${account}`], text)
    }
  })

  it("pair the account and the password of a row", () => {
    const rows = [
      ["jane@example.com", "Sommer2024!"],
      ["https://shop.example.com", "jane_doe", "tiger"]
    ]
    const pairs = termsOf(rows).filter(({ kind }) => kind === "credentials")
    assert.deepStrictEqual(
      pairs.map(({ value }) => value),
      ["jane@example.com\0Sommer2024!", "jane\0Sommer2024!", "jane_doe\0tiger"]
    )
  })

  it("pair no account with a password far behind it or before it", () => {
    const text = `Sommer2023! Login: jane${" ".repeat(101)}Sommer2024!`
    assert.notInclude(
      termsOf(text).map(({ kind }) => kind),
      "credentials"
    )
  })
})
