/** The body of a request, as it arrives. */
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

  /** A longer body than `maxLength` is neither kept nor waited for. `resume` runs what waits for the body. */
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

  /** The whole body; completed already if it has arrived. */
  get whole(): Effect.Effect<Uint8Array, BodyTooLong> {
    return (
      this.#arrived ??
      Effect.callback((resume) => {
        this.#whenArrived = () => resume(this.#arrived ?? empty)
      })
    )
  }

  /** Keeps nothing more, for a request that is answered. */
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
