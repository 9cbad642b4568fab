import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
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
  /** Sends text after the body, and more of it as long as the client reads. */
  readonly isEndless?: boolean
}

/** A server on this machine that answers as given and keeps what it received. */
export const receiver = Effect.fnUntraced(function* (answer: (received: Received) => Answer) {
  const received: Array<Received> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (chunk) => (body += chunk))
    request.on("end", () => {
      const one = { path: request.url ?? "", body, headers: request.headers }
      received.push(one)
      const { body: content = {}, headers, isEndless, status } = answer(one)
      response.writeHead(status, { "content-type": "application/json", ...headers })
      if (isEndless === true) return writeEndlessly(response)
      response.end(JSON.stringify(content))
    })
  })
  const url = yield* Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<string>((resolve) =>
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`)
          })
        )
    ),
    () => Effect.sync(() => (server.close(), server.closeAllConnections()))
  )
  return { url, received }
})

const writeEndlessly = (response: ServerResponse) => {
  const write = () => {
    while (!response.destroyed && response.write("x".repeat(1_000_000)));
  }
  response.on("drain", write)
  write()
}
