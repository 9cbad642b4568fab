import { assert, describe, it } from "@effect/vitest"
import { wrapHelp, wrapMessage } from "@threat-exposure/cli/output/HelpText"

describe("HelpText", () => {
  it("wraps a description in its column, without counting colors, and never breaks text that users copy", () => {
    const text = [
      "FLAGS",
      "  \u001b[32m--since\u001b[0m WHEN    How far back the first round reads",
      "  --once          One round",
      "",
      "EXAMPLES",
      "  threat-exposure feed --query example.com --to -",
      "",
      "  # One round",
      "  threat-exposure feed --query example.com --to - --once"
    ].join("\n")
    assert.strictEqual(
      wrapHelp(text, 36),
      [
        "FLAGS",
        "  \u001b[32m--since\u001b[0m WHEN    How far back the",
        "                  first round reads",
        "  --once          One round",
        "",
        "EXAMPLES",
        "  threat-exposure feed --query example.com --to -",
        "",
        "  # One round",
        "  threat-exposure feed --query example.com --to - --once"
      ].join("\n")
    )
    assert.strictEqual(wrapHelp(text, 100), text)
    assert.strictEqual(wrapHelp("  one twothree four", 9), "  one\n  twothree\n  four")
  })

  it("wraps each line of a message between words, and breaks none", () => {
    assert.strictEqual(
      wrapMessage("error: a.yaml: it is empty\nSee --help", 16),
      "error: a.yaml:\n  it is empty\nSee --help"
    )
    assert.strictEqual(wrapMessage("in /a/very/long/path.", 12), "in\n  /a/very/long/path.")
  })
})
