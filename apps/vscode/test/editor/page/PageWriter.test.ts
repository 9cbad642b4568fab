import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { PageWriter, spansOf } from "../../../src/editor/page/PageWriter.ts"
import { masked } from "../../../src/editor/page/Secrets.ts"

const hostile = "[click](https://evil.example.com) <img src=x> `code` ![p](x)\n# heading"

describe("a page", () => {
  it("never interprets text of a leak as Markdown: in a field, a block, a table or a heading", () => {
    const field = new PageWriter().field("Name", hostile).done().text
    assert.match(field, /^- \*\*Name:\*\* ``\[click\].*``\n$/u)

    const block = new PageWriter().block("Content", "```\nend of fence\n````").done().text
    assert.include(block, "`````text\n```\nend of fence\n````\n`````")

    const heading = new PageWriter().heading(1, hostile).done().text
    assert.include(heading, String.raw`\[click\]`)
    assert.strictEqual(heading.trim().split("\n").length, 1)

    const table = new PageWriter().table(["A"], [["a | b\n| c |"]]).done().text
    assert.include(table, String.raw`a \| b \| c \|`)
  })

  it("draws a table with columns of equal width", () => {
    const { text } = new PageWriter().table(["Source", "No"], [["paste", "1"], ["a long source"]]).done()
    assert.strictEqual(
      text,
      [
        "| Source        | No  |",
        "|---------------|-----|",
        "| paste         | 1   |",
        "| a long source |     |",
        ""
      ].join("\n")
    )
  })

  it("shows control and direction characters as visible text", () => {
    const { text } = new PageWriter().field("Name", "safe\u202egnp.exe").block("Body", "\u001b[31mred").done()
    assert.include(text, String.raw`\u202e`)
    assert.include(text, String.raw`\u001b[31mred`)
  })

  it("masks a secret until it is revealed, and knows its line", () => {
    const secret = Redacted.make("hunter2")
    const hidden = new PageWriter().heading(1, "A").secret("Password", secret).done()
    assert.include(hidden.text, masked)
    assert.notInclude(hidden.text, "hunter2")
    assert.strictEqual(hidden.text.split("\n")[hidden.secretLines[0] ?? 0], `- **Password:** ${masked}`)
    assert.include(new PageWriter(() => true).secret("Password", secret).done().text, "`hunter2`")
  })
})

it("finds each term anywhere, the longest first", () => {
  const at = (line: number, start: number, end: number) => ({
    start: { line, character: start },
    end: { line, character: end }
  })
  assert.deepStrictEqual(spansOf("see example.com\nEXAMPLE (a+b)", ["example", "example.com", "(a+b)"]), [
    at(0, 4, 15),
    at(1, 0, 7),
    at(1, 8, 13)
  ])
  assert.deepStrictEqual(spansOf("text", ["", " "]), [])
  assert.deepStrictEqual(spansOf("- **Open:** <https://svc.example.com/example> example", ["example"]), [at(0, 46, 53)])
})
