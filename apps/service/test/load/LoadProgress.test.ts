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

  it("names ten refused records, and counts them and all others", () => {
    const written: Array<string> = []
    const progress = new LoadProgress({ isTTY: false, write: (text) => written.push(text) }, "credentials")
    const refuse = (count: number, file: string) => {
      for (let n = 0; n < count; n += 1) progress.refused(file, { position: `line ${n}`, reason: "no e-mail" })
    }
    refuse(1, "-")
    refuse(9, "leak.ndjson")
    progress.end()
    assert.deepStrictEqual(
      [written.length, written[0], written[9]],
      [10, "standard input, line 0: no e-mail; skipped\n", "leak.ndjson, line 8: no e-mail; skipped\n"]
    )
    refuse(1_234, "leak.ndjson")
    progress.published({ added: 3, replaced: 2, unchanged: 1 })
    progress.end()
    assert.deepStrictEqual(written.slice(10), ["… and 1,234 more\n"])
    assert.deepStrictEqual(progress.counts, { loaded: 3, replaced: 2, unchanged: 1, refused: 1_244 })
  })

  it("clears the bar of a terminal before it writes a line", () => {
    const written: Array<string> = []
    const progress = new LoadProgress({ isTTY: true, write: (text) => written.push(text) }, "credentials")
    progress.progress({ bytes: 50, total: 100, count: 0, phase: "loaded" })
    progress.refused("leak.ndjson", { position: "line 1", reason: "no e-mail" })
    progress.end()
    assert.deepStrictEqual(written.slice(1), ["\r\u001B[2K", "leak.ndjson, line 1: no e-mail; skipped\n"])
  })
})
