/** Servers that take what a feed sends, and can refuse it. */
import { createHmac } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { startServer } from "@threat-exposure/programs/LocalServer"

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
  const { close, url } = await startServer(async (request, response) => {
    const received = { path: request.url ?? "", headers: request.headers, body: await text(request) }
    const { body = {}, headers, status } = answer(received)
    if (status < 300) taken.push(received)
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
  })
  return { url, taken, close }
}

/** Whether a webhook's signature is that of its body. */
export const isSigned = ({ body, headers }: Received, secret: string): boolean => {
  const [, seconds, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/u.exec(String(headers["x-threat-exposure-signature"])) ?? []
  return digest === createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")
}
