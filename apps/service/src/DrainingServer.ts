/**
 * An HTTP server that can stop without truncating answers.
 *
 * `http.Server.close` destroys each connection whose answer was handed to the socket (`response.end()`), even while the
 * socket still buffers megabytes that a slow client has not read. This one waits until the socket has sent them.
 */
import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from "node:http"
import { Server as TcpServer, type Socket } from "node:net"

export class DrainingServer extends Server {
  /** The latest answer of each connection. */
  readonly #latest = new Map<Socket, ServerResponse | undefined>()
  #draining = false

  constructor(options: ServerOptions, listener: (request: IncomingMessage, response: ServerResponse) => void) {
    super(options, (request, response) => {
      // A set of all unsent answers would be slow: V8 replaces a growing table, and the old table keeps its answers
      // alive until the old generation is collected.
      this.#latest.set(request.socket, response)
      if (this.#draining) this.#hurry(response)
      listener(request, response)
    })
    this.on("connection", (socket) => {
      this.#latest.set(socket, undefined)
      socket.once("close", () => this.#latest.delete(socket))
    })
  }

  /** Whether every request is answered completely. */
  get isIdle(): boolean {
    return [...this.#latest.values()].every((response) => response?.writableFinished ?? true)
  }

  /**
   * Stops accepting connections, and calls `closed` when all are closed. Answers in progress are sent completely, as
   * long as the client keeps reading. A connection without a request stays open for `idleGrace` milliseconds, so that a
   * request that is already in transit is answered too, with `Connection: close`.
   */
  drain(idleGrace: number, closed: () => void): void {
    this.#draining = true
    this.keepAliveTimeout = Math.max(1, idleGrace)
    this.keepAliveTimeoutBuffer = 0
    for (const [socket, response] of this.#latest) {
      if (response === undefined || response.writableFinished) socket.setTimeout(this.keepAliveTimeout)
      else this.#hurry(response)
    }
    // `http.Server.close` also disables the time limit for receiving requests, so it comes last.
    TcpServer.prototype.close.call(this, () => {
      this.close()
      closed()
    })
  }

  #hurry(response: ServerResponse): void {
    if (!response.headersSent) response.setHeader("Connection", "close")
    response.req.socket.setTimeout(maxStall)
  }
}

/** Milliseconds without progress. */
const maxStall = 20_000
