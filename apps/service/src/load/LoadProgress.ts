import { printable } from "../observability/Log.ts"
import type { LoadReport, Progress } from "./Load.ts"
import type { WriteCounts } from "./LoadTarget.ts"
import type { RefusedRecord } from "./RecordReader.ts"
import { monotonicNow } from "../MonotonicTime.ts"

interface Output {
  readonly isTTY: boolean
  readonly write: (text: string) => unknown
}

export class LoadProgress implements LoadReport {
  readonly #output: Output
  readonly #name: string
  readonly #startedAt = monotonicNow()
  #shownAt: number
  #barShown = false
  #refused = 0
  #published: Readonly<WriteCounts> = { added: 0, replaced: 0, unchanged: 0 }

  constructor(output: Output, name: string) {
    this.#output = output
    this.#name = name
    // A log shows no progress of a short load; a terminal shows the bar from the start.
    this.#shownAt = output.isTTY ? Number.NEGATIVE_INFINITY : this.#startedAt
  }

  refused(file: string, { position, reason }: RefusedRecord): void {
    this.#refused += 1
    if (this.#refused > maxNamed) return
    this.#clearBar()
    this.#output.write(`${file === "-" ? "standard input" : file}, ${position}: ${printable(reason)}; skipped\n`)
  }

  progress({ bytes, count, phase, total }: Progress): void {
    const now = monotonicNow()
    if (now - this.#shownAt < (this.#output.isTTY ? 100 : 2_000)) return
    this.#shownAt = now
    const rate = Math.round(count / ((now - this.#startedAt) / 1_000))
    const share = total === undefined || total === 0 ? undefined : Math.min(1, bytes / total)
    const text = `${count.toLocaleString("en-GB")} ${this.#name} ${phase}, ${rate.toLocaleString("en-GB")} a second`
    const done = share === undefined ? "" : `${String(Math.round(share * 100)).padStart(3)} % `
    if (!this.#output.isTTY) {
      this.#output.write(`${done.trimStart()}${text}\n`)
      return
    }
    const filled = share === undefined ? 0 : Math.round(share * barWidth)
    const bar = share === undefined ? "" : `${"█".repeat(filled)}${"░".repeat(barWidth - filled)} `
    this.#clearBar()
    this.#output.write(`${bar}${done}${text}`)
    this.#barShown = true
  }

  published(counts: Readonly<WriteCounts>): void {
    this.#published = counts
  }

  /**
   * The counts of a load, also of one that failed. A strict load does not count the refused record at which it ends.
   */
  get counts(): {
    readonly loaded: number
    readonly replaced: number
    readonly unchanged: number
    readonly refused: number
  } {
    const { added, replaced, unchanged } = this.#published
    return { loaded: added, replaced, unchanged, refused: this.#refused }
  }

  end(): void {
    this.#clearBar()
    if (this.#refused > maxNamed)
      this.#output.write(`… and ${(this.#refused - maxNamed).toLocaleString("en-GB")} more\n`)
  }

  #clearBar(): void {
    if (this.#barShown) this.#output.write("\r\u001B[2K")
    this.#barShown = false
  }
}

const barWidth = 30

/** Maximum number of refused records that are reported individually; further ones are only counted. */
const maxNamed = 10
