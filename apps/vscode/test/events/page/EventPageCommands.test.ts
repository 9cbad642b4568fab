import { assert, describe, it } from "@effect/vitest"
import { faultOfUid, uidIn } from "../../../src/events/page/EventPageCommands.ts"

describe("a pasted uid", () => {
  it("is found among spaces and in a link to the extension", () => {
    assert.strictEqual(uidIn("  leak/source/1234\n"), "leak/source/1234")
    const link = "vscode://threat-exposure.threat-exposure/event/leak%2Fsource%2F100%25?windowId=1"
    assert.strictEqual(uidIn(link), "leak/source/100%")
    assert.strictEqual(uidIn("code-oss://threat-exposure.threat-exposure/event/a/100%"), "a/100%")
  })

  it("is refused if it is the address of a web page, empty, or unreadable", () => {
    assert.isUndefined(faultOfUid("leak/so@urce/1/2/3"))
    for (const text of ["https://exposure.example.com/events/1", "", "a\u202Eb", "x".repeat(1001)])
      assert.isString(faultOfUid(text))
  })
})
