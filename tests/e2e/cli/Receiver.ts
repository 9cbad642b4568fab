/** Servers that take what a feed sends, and can refuse it. */
import { createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type Server } from "node:http"

export interface Received {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Receiver {
  readonly url: string
  /** The requests that were answered below 300. */
  readonly taken: ReadonlyArray<Received>
  readonly close: () => Promise<void>
}

export const startReceiver = async (answer: (received: Received) => Answer): Promise<Receiver> => {
  const taken: Array<Received> = []
  const server: Server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (chunk) => (body += chunk))
    request.on("end", () => {
      const received = { path: request.url ?? "", headers: request.headers, body }
      const { body: content = {}, headers, status } = answer(received)
      if (status < 300) taken.push(received)
      response.writeHead(status, { "content-type": "application/json", ...headers })
      response.end(JSON.stringify(content))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  return {
    url: `http://127.0.0.1:${address.port}`,
    taken,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

/** Whether a webhook's signature is that of its body. */
export const isSigned = ({ body, headers }: Received, secret: string): boolean => {
  const [, seconds, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/u.exec(String(headers["x-threat-exposure-signature"])) ?? []
  return digest === createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")
}
