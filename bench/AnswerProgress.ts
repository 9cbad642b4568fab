/** Follows an answer of the service as a socket receives it, with as little code as possible to see when it is complete. */
export class AnswerProgress {
  /** Bytes, the head included. */
  received = 0
  /** Whether its status is 200. */
  isOk = false
  /** Bytes of the whole answer; infinite for a chunked one. */
  #whole = 0
  #end = ""

  /** The end is known by `Content-Length`, or by the end of the JSON and the empty chunk after it. */
  get isWhole(): boolean {
    return this.received > 0 && (this.received >= this.#whole || this.#end === endOfChunks)
  }

  /** The first piece must contain the head. */
  take(data: Buffer): void {
    if (this.received === 0) {
      const head = data.toString("latin1", 0, 1_000)
      this.isOk = head.startsWith("HTTP/1.1 200")
      const length = /content-length: (\d+)/iu.exec(head)?.[1]
      this.#whole = length === undefined ? Infinity : head.indexOf("\r\n\r\n") + 4 + Number(length)
    }
    this.received += data.length
    if (this.#whole < Infinity) return
    this.#end = (this.#end + data.toString("latin1", Math.max(0, data.length - endOfChunks.length))).slice(
      -endOfChunks.length
    )
  }
}

const endOfChunks = "}\r\n0\r\n\r\n"
