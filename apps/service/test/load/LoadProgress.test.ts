import { LoadProgress } from "@threat-exposure/service/load/LoadProgress"
import { assert, describe, it } from "@effect/vitest"

const shownAtOnce = (isTTY: boolean) => {
  const written: Array<string> = []
  const progress = new LoadProgress({ isTTY, write: (text) => written.push(text) }, "credentials")
  progress.progress({ bytes: 100, total: 100, count: 0, phase: "loaded" })
  progress.end()
  return written.join("")
}

describe("LoadProgress", () => {
  it("shows a progress bar on a terminal from the start, and elsewhere writes no line for a short load", () => {
    assert.include(shownAtOnce(true), "100 % 0 credentials loaded")
    assert.strictEqual(shownAtOnce(false), "")
  })
})
