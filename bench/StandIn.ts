/**
 * A stand-in for a cluster that is not the bottleneck: it repeats the first answer to a search of credentials at once, also
 * where several are sent together, and passes everything else on to the node whose address it is given.
 */
import { createServer, type IncomingHttpHeaders, request, type ServerResponse } from "node:http"

const [node = ""] = process.argv.slice(2)
let repeated: string | undefined

const server = createServer((incoming, outgoing) => {
  const { headers, method = "GET", url = "" } = incoming
  const chunks: Array<Buffer> = []
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
  incoming.on("end", () => {
    const body = Buffer.concat(chunks)
    const isSearch = /-credentials-v\d+\/_search/u.test(url)
    if (isSearch && repeated !== undefined) return answer(outgoing, repeated)
    if (url.startsWith("/_msearch") && repeated !== undefined) return together(url, headers, body.toString(), outgoing)
    pass({ body, headers, method, url }, outgoing, (text) => {
      if (isSearch) repeated = text
      return text
    })
  })
})

const answer = (outgoing: ServerResponse, text: string): void => {
  outgoing.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) })
  outgoing.end(text)
}

/** Passes on the searches of other indices. */
const together = (url: string, headers: IncomingHttpHeaders, body: string, outgoing: ServerResponse): void => {
  const searches = body.match(/.+\n.+\n/gu) ?? []
  const isRepeated = searches.map((search) => /^.*-credentials-v\d+"/u.test(search))
  const repeatedItem = { status: 200, ...JSON.parse(repeated ?? "{}") }
  const merged = (others: ReadonlyArray<unknown>): string => {
    const left = [...others]
    return JSON.stringify({ responses: isRepeated.map((isOne) => (isOne ? repeatedItem : left.shift())) })
  }
  const others = searches.filter((_, at) => isRepeated[at] !== true).join("")
  if (others === "") return answer(outgoing, merged([]))
  pass({ body: Buffer.from(others), headers, method: "POST", url }, outgoing, (text) =>
    merged(JSON.parse(text).responses)
  )
}

const pass = (
  {
    body,
    headers: { "content-length": _length, ...headers },
    method,
    url
  }: { readonly body: Buffer; readonly headers: IncomingHttpHeaders; readonly method: string; readonly url: string },
  outgoing: ServerResponse,
  change: (text: string) => string
): void => {
  const length = body.length === 0 ? {} : { "content-length": body.length }
  const passed = request(`${node}${url}`, { headers: { ...headers, ...length }, method }, (answered) => {
    const chunks: Array<Buffer> = []
    answered.on("data", (chunk: Buffer) => chunks.push(chunk))
    answered.on("end", () => {
      const text = Buffer.concat(chunks).toString()
      const changed = answered.statusCode === 200 ? change(text) : text
      outgoing.writeHead(answered.statusCode ?? 502, {
        "content-type": answered.headers["content-type"],
        "content-length": Buffer.byteLength(changed)
      })
      outgoing.end(changed)
    })
  })
  // The services go on until the end, and the node may end first.
  passed.on("error", () => outgoing.destroy())
  passed.end(body)
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  console.log(`listening on ${typeof address === "object" ? address?.port : address}`)
})
