/**
 * An HTTP server that can stop without cutting an answer.
 *
 * `http.Server.close` destroys each connection whose answer was handed to the socket (`response.end()`), even while the
 * socket still holds megabytes that a slow client has not read yet. This one waits until the socket has sent them.
 */
import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from "node:http"
import { Server as TcpServer, type Socket } from "node:net"

export class DrainingServer extends Server {
  readonly #connections = new Set<Socket>()
  /** Answers that the socket has not sent completely. */
  readonly #unsent = new Set<ServerResponse>()
  #draining = false

  constructor(options: ServerOptions, listener: (request: IncomingMessage, response: ServerResponse) => void) {
    super(options, (request, response) => {
      this.#unsent.add(response)
      response.once("close", () => this.#unsent.delete(response))
      if (this.#draining) this.#hurry(response)
      listener(request, response)
    })
    this.on("connection", (socket) => {
      this.#connections.add(socket)
      socket.once("close", () => this.#connections.delete(socket))
    })
  }

  /**
   * Stops accepting connections and calls `closed` when all are closed. Every answer begun is sent completely, as long as its
   * client keeps reading. A connection without a request stays open for `idleGrace` milliseconds, so that a request that is
   * already on its way is answered too, with `Connection: close`.
   */
  drain(idleGrace: number, closed: () => void): void {
    this.#draining = true
    this.keepAliveTimeout = Math.max(1, idleGrace)
    this.keepAliveTimeoutBuffer = 0
    const busy = new Set(Array.from(this.#unsent, ({ req }) => req.socket))
    for (const socket of this.#connections) {
      if (!busy.has(socket)) socket.setTimeout(this.keepAliveTimeout)
    }
    for (const response of this.#unsent) this.#hurry(response)
    // `http.Server.close` also disables the time limit of requests that are being received: call it when there are none.
    TcpServer.prototype.close.call(this, () => {
      this.close()
      closed()
    })
  }

  #hurry(response: ServerResponse): void {
    if (!response.headersSent) response.setHeader("Connection", "close")
    response.req.socket.setTimeout(longestStall)
  }
}

/** Milliseconds without progress after which a stopping server closes a connection. */
const longestStall = 20_000
