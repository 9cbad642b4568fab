import { createServer, type IncomingHttpHeaders } from "node:http"
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
      const { body: content = {}, headers, status } = answer(one)
      response.writeHead(status, { "content-type": "application/json", ...headers })
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
