import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { localServer } from "@threat-exposure/programs/LocalServer"
import { Effect } from "effect"

interface Received {
  readonly path: string
  readonly body: string
  readonly headers: IncomingHttpHeaders
}

export interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Whether to send more text after the body for as long as the client reads. */
  readonly isEndless?: boolean
}

/** A local server that gives these answers, and records its requests. */
export const receiver = Effect.fnUntraced(function* (answer: (received: Received) => Answer) {
  const received: Array<Received> = []
  const url = yield* localServer(async (request, response) => {
    const one = { path: request.url ?? "", body: await text(request), headers: request.headers }
    received.push(one)
    const { body = {}, headers, isEndless, status } = answer(one)
    response.writeHead(status, { "content-type": "application/json", ...headers })
    if (isEndless === true) writeEndlessly(response)
    else response.end(JSON.stringify(body))
  })
  return { url, received }
})

const writeEndlessly = (response: ServerResponse) => {
  const write = () => {
    while (!response.destroyed && response.write("x".repeat(1_000_000)));
  }
  response.on("drain", write)
  write()
}
