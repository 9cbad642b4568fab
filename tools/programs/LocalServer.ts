/** HTTP servers on this machine that stand in for others, or stand before them. */
import { createServer, type IncomingMessage, request as ask, type ServerOptions, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import * as Effect from "effect/Effect"

export interface LocalServer {
  /** The URL without a trailing slash. */
  readonly url: string
  /** Ends open connections, too. */
  readonly close: () => Promise<void>
}

/** The answer may be given later, or never. A failure of `answer` ends the connection. */
export type Answering = (request: IncomingMessage, response: ServerResponse) => unknown

/** Starts a server on a free port. */
export const startServer = async (answer: Answering, options: ServerOptions = {}): Promise<LocalServer> => {
  const server = createServer(options, (request, response) => {
    const answered = async () => answer(request, response)
    answered().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The server has no port")
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

/** The address of a server that runs as long as the scope. */
export const localServer = (answer: Answering, options?: ServerOptions) =>
  Effect.acquireRelease(
    Effect.promise(() => startServer(answer, options)),
    ({ close }) => Effect.promise(close)
  ).pipe(Effect.map(({ url }) => url))

/** The path of a request with its query; a request to a proxy has the whole address. */
export const pathOf = ({ url = "/" }: IncomingMessage): string => url.replace(/^http:\/\/[^/]+/u, "")

/** Sends a request on to another server, and gives its answer; `body` replaces the one of the request. */
export const passOn = async (
  request: IncomingMessage,
  url: string,
  { body, method = request.method ?? "GET" }: { readonly body?: string; readonly method?: string } = {}
): Promise<{ readonly status: number; readonly headers: Headers; readonly body: string }> => {
  const sent = body ?? (await text(request))
  const { authorization, "content-type": contentType = "application/json" } = request.headers
  const answer = await fetch(`${url}${pathOf(request)}`, {
    method,
    headers: { "content-type": contentType, ...(authorization === undefined ? {} : { authorization }) },
    ...(sent === "" ? {} : { body: sent })
  })
  return { status: answer.status, headers: answer.headers, body: await answer.text() }
}

/** Sends a request on to another server as it comes, and answers with what that answers, and `headers` over its own. */
export const pipeThrough = (
  request: IncomingMessage,
  response: ServerResponse,
  url: string,
  headers: Readonly<Record<string, string>> = {}
): void => {
  const { headers: sent, method } = request
  const passed = ask(`${url}${pathOf(request)}`, { headers: sent, method }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...headers })
    answer.pipe(response)
  })
  passed.on("error", () => response.destroy())
  request.pipe(passed)
}
