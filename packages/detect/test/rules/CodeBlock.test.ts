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
