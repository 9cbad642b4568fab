import { assert, describe, it } from "@effect/vitest"
import { html, sends } from "../../../src/editor/page/Html.ts"

describe("html", () => {
  it("escapes every value, in text and in attributes", () => {
    const hostile = `</p><script>alert("x")</script><p title='&'>`
    const { markup } = html`<p title="${hostile}">${hostile}</p>`
    assert.strictEqual(
      markup.replaceAll(/&#\d+;/gu, ""),
      '<p title="/pscriptalert(x)/scriptp title=">/pscriptalert(x)/scriptp title=</p>'
    )
    assert.notMatch(markup, /<script|<p title='/u)
    assert.include(html`<p>${"safe\u202egnp.exe"}</p>`.markup, String.raw`safe\u202egnp.exe`)
    assert.include(markup, "&#38;")
  })

  it("does not escape its own output, writes lists without commas, and undefined as nothing", () => {
    const items = ["a<b", "c"].map((item) => html`<b>${item}</b>`)
    assert.strictEqual(html`<i>${items}${undefined}${0}</i>`.markup, "<i><b>a&#60;b</b><b>c</b>0</i>")
  })

  it("accepts no markup from an object that only looks like its own", () => {
    const forged = JSON.parse(`{ "markup": "<script></script>" }`)
    assert.throws(() => html`${forged}`)
  })

  it("sends a message unchanged", () => {
    const message = { _tag: "Show", uid: `"><img src=x onerror=alert(1)>\u202e\u{e0041}\ud800\n` }
    const { markup } = sends(message)
    const [, value = ""] = /^data-message="([^"]*)"$/u.exec(markup) ?? []
    const text = value.replaceAll(/&#(\d+);/gu, (_, code: string) => String.fromCodePoint(Number(code)))
    assert.deepStrictEqual(JSON.parse(text), message)
  })
})
