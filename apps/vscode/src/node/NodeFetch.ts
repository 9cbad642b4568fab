/**
 * `fetch` over Node's HTTP modules, which the editor patches as well, so that its proxy and certificates apply.
 *
 * The objects that `fetch` itself creates for a request survive until a full garbage collection: tens of megabytes
 * after a thousand pages of events.
 */
import { Agent, type IncomingMessage, request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import { pipeline, type Readable } from "node:stream"
import { TLSSocket } from "node:tls"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"

/** Accepts a URL, and a string or bytes as body. Never follows redirects, because the client does. */
export const nodeFetch: typeof fetch = (input, init = {}) =>
  new Promise((resolve, reject) => {
    if (input instanceof Request) throw new TypeError("nodeFetch takes no Request, only its parts")
    const { body, method = "GET", signal } = init
    if (body !== undefined && body !== null && typeof body !== "string" && !(body instanceof Uint8Array)) {
      throw new TypeError("nodeFetch sends only a text or bytes")
    }
    signal?.throwIfAborted()
    const url = new URL(input)
    const send = url.protocol === "https:" ? requestHttps : requestHttp
    const request = send(url, {
      method,
      headers: { ...defaultHeaders, ...Object.fromEntries(new Headers(init.headers)) },
      agent: agents.get(url.protocol)
    })
    keepAgent(url.protocol, Reflect.get(request, "agent"))
    const abort = () => request.destroy(signal?.reason)
    signal?.addEventListener("abort", abort, { once: true })
    request.once("close", () => {
      // The editor's agent retains the request until a full garbage collection. Without listeners, it does not retain
      // the response.
      signal?.removeEventListener("abort", abort)
      request.removeAllListeners()
    })
    request.once("error", reject)
    request.once("response", (message) => {
      try {
        // If a proxy refuses the connection, the editor's agent returns this as an answer of the service.
        if (url.protocol === "https:" && !(message.socket instanceof TLSSocket)) {
          throw new Error(`the proxy refused the connection with status ${message.statusCode}`)
        }
        resolve(responseOf(message))
      } catch (cause) {
        message.destroy()
        reject(cause)
      }
    })
    request.end(body ?? undefined)
  })

/**
 * Agents by protocol, as created by the editor for a request without one. Reused, because the editor reads its
 * configuration several times for each such request: 240 kB of garbage, a third of that of a page of events.
 */
const agents = new Map<string, Agent>()

/** Milliseconds for which an agent is reused. Changed proxy settings apply only to new agents. */
const agentMillis = 5000

const keepAgent = (protocol: string, agent: unknown) => {
  if (agents.has(protocol) || !(agent instanceof Agent)) return
  agents.set(protocol, agent)
  setTimeout(() => agents.delete(protocol), agentMillis).unref()
}

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress
}

const defaultHeaders: Readonly<Record<string, string>> = {
  "accept-encoding": Object.keys(decoders).join(", "),
  // Reuse the connection: the editor's agent closes it by default.
  connection: "keep-alive"
}

/** Statuses whose responses have no body. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

const responseOf = (message: IncomingMessage): Response => {
  const { rawHeaders, statusCode: status = 0 } = message
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "")
  if (!withoutBody.has(status)) return new Response(bodyOf(message), { status, headers })
  message.resume()
  return new Response(null, { status, headers })
}

const bodyOf = (message: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const decoder = decoders[message.headers["content-encoding"] ?? ""]
  const source: Readable = decoder === undefined ? message : pipeline(message, decoder(), () => {})
  return new ReadableStream({
    start: (controller) => {
      source.on("data", (chunk: Uint8Array<ArrayBuffer>) => {
        controller.enqueue(chunk)
        if ((controller.desiredSize ?? 0) <= 0) source.pause()
      })
      source.once("end", () => controller.close())
      source.once("error", (cause) => controller.error(cause))
      source.once("close", () => source.removeAllListeners())
    },
    pull: () => {
      source.resume()
    },
    cancel: () => {
      message.destroy()
    }
  })
}
