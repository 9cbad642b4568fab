/**
 * A stand-in for a cluster that is not the bottleneck: it repeats the first answer to a search of credentials at once, and
 * passes everything else on to the node whose address it is given.
 */
import { createServer, request } from "node:http"

const [node = ""] = process.argv.slice(2)
let repeated: Buffer | undefined

const server = createServer((incoming, outgoing) => {
  const { headers, method = "GET", url = "" } = incoming
  const isSearch = url.includes("-credentials/_search")
  if (isSearch && repeated !== undefined) {
    incoming.resume()
    outgoing.writeHead(200, { "Content-Type": "application/json", "Content-Length": repeated.length })
    outgoing.end(repeated)
    return
  }
  const passed = request(`${node}${url}`, { headers, method }, (answer) => {
    const chunks: Array<Buffer> = []
    answer.on("data", (chunk: Buffer) => chunks.push(chunk))
    answer.on("end", () => {
      const body = Buffer.concat(chunks)
      if (isSearch && answer.statusCode === 200) repeated = body
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      outgoing.end(body)
    })
  })
  // The services go on until the end, and the node may end first.
  passed.on("error", () => outgoing.destroy())
  incoming.pipe(passed)
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  console.log(`listening on ${typeof address === "object" ? address?.port : address}`)
})
