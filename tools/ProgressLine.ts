import type { WriteStream } from "node:tty"

/** Progress of a long task: a bar that redraws itself on a terminal, and a plain line every two seconds elsewhere. */
export class ProgressLine {
  readonly #output: WriteStream
  #toldAt = 0
  #isDrawn = false

  constructor(output: WriteStream) {
    this.#output = output
  }

  /** `total` is undefined while nobody knows it. */
  show(done: number, total: number | undefined, what: string): void {
    const now = performance.now()
    if (now - this.#toldAt < (this.#output.isTTY ? 50 : 2_000)) return
    this.#toldAt = now
    const count = total === undefined ? `${done}` : `${done}/${total}`
    if (!this.#output.isTTY) {
      this.#output.write(`  ${count} ${what}\n`)
      return
    }
    const filled = total === undefined || total === 0 ? 0 : Math.round((done / total) * width)
    this.clear()
    this.#output.write(`  ${"█".repeat(filled)}${"░".repeat(width - filled)} ${count} ${what}`)
    this.#isDrawn = true
  }

  clear(): void {
    if (this.#isDrawn) this.#output.write("\r\u001B[2K")
    this.#isDrawn = false
  }
}

const width = 30
