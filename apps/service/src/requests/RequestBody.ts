import type { IncomingMessage } from "node:http"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { BodyTooLong } from "./ServedRequest.ts"

export class RequestBody {
  readonly #chunks: Array<Buffer> = []
  #length = 0
  #arrived: Exit.Exit<Uint8Array, BodyTooLong> | undefined
  #whenArrived: (() => void) | undefined
  readonly #resume: (work: () => void) => void

  /** Neither keeps nor waits for a body longer than `maxLength`. `resume` runs the work that waits for the body. */
  constructor(request: IncomingMessage, maxLength: number, resume: (work: () => void) => void) {
    this.#resume = resume
    const { "content-length": length, "transfer-encoding": encoding } = request.headers
    if (Number(length) > maxLength) {
      this.#arrived = tooLong
      return
    }
    if (encoding === undefined && (length === undefined || length === "0")) {
      this.#arrived = empty
      return
    }
    request.on("data", (chunk: Buffer) => {
      this.#length += chunk.length
      if (this.#arrived !== undefined) return
      if (this.#length <= maxLength) this.#chunks.push(chunk)
      else this.#end(tooLong)
    })
    request.on("end", () => {
      const [first = Buffer.alloc(0), ...others] = this.#chunks
      this.#end(Exit.succeed(others.length === 0 ? first : Buffer.concat(this.#chunks)))
    })
  }

  get whole(): Effect.Effect<Uint8Array, BodyTooLong> {
    return (
      this.#arrived ??
      Effect.callback((resume) => {
        this.#whenArrived = () => resume(this.#arrived ?? empty)
      })
    )
  }

  /** Drops the rest of the body, because the request is already answered. */
  discard(): void {
    this.#whenArrived = undefined
    this.#end(empty)
  }

  #end(arrived: Exit.Exit<Uint8Array, BodyTooLong>): void {
    this.#arrived ??= arrived
    this.#chunks.length = 0
    if (this.#whenArrived !== undefined) this.#resume(this.#whenArrived)
    this.#whenArrived = undefined
  }
}

const empty = Exit.succeed(new Uint8Array())
const tooLong = Exit.fail(new BodyTooLong())
