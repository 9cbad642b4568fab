import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import { candidatesIn } from "../../src/Text.ts"

/** A synthetic random value. */
const drawn = "q7Zr2Vx9LtWk4Np8Yd3B"

const found = (text: string, path = "README.md") =>
  candidatesIn(text, { path }).map(({ location, value }) => `${location.line}:${Redacted.value(value)}`)

it("a block is read in the format of its language, at its position", () => {
  for (const block of [
    `\`\`\`\nAPI_TOKEN=${drawn}\n\`\`\``,
    `\`\`\`yaml\napi_token: ${drawn}\n\`\`\``,
    `~~~ini\napi_token = ${drawn}\n~~~`,
    `\`\`\`env\nAPI_TOKEN=${drawn}\n\`\`\``,
    `> \`\`\`console\nexport API_TOKEN=${drawn}\n> \`\`\``
  ]) {
    assert.deepStrictEqual(found(`# Title\n\n${block}\n\nAfter.\n`), [`4:${drawn}`], block)
  }
})

it("passwords there have a lower confidence, and so does everything in a block of documentation", () => {
  assert.deepStrictEqual(found("```yaml\npassword: sunshine-42\n```"), [])
  assert.deepStrictEqual(found(`\`\`\`yaml\napi_token: ${drawn}\n\`\`\``, "docs/setup.md"), [])
})

it("a block that is never closed ends with the text", () => {
  assert.deepStrictEqual(found(`\`\`\`yaml\napi_token: ${drawn}`), [`2:${drawn}`])
})

it("blocks of other markup are read until they end", () => {
  const setting = `api_token: ${drawn}`
  for (const [path, text] of [
    ["a.adoc", `[source,yaml]\n----\n${setting}\n----\n`],
    ["a.adoc", `[source,yaml,linenums]\n.Title\n----\n\n${setting}\n----\n`],
    ["a.org", `#+BEGIN_SRC yaml :tangle a\n${setting}\n#+END_SRC\n`],
    ["a.rst", `.. code-block:: yaml\n   :linenos:\n\n   a: 1\n\n   ${setting}\n`],
    ["a.mediawiki", `<syntaxhighlight lang="yaml">\n${setting}\n</syntaxhighlight>\n`]
  ] as const) {
    const end = "\nThe api_token of yaml: none\n"
    assert.deepStrictEqual(
      found(text + end, path).map((one) => one.slice(one.indexOf(":") + 1)),
      [drawn],
      text
    )
  }
})
