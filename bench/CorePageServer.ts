/**
 * Stands in for the service where that would be the slower part: one page kept in memory, sent again and again with new
 * ids and cursors. `node CorePageServer.ts PAGES`.
 */
import { createServer } from "node:http"
import { cursorAfter, numberOf, pageSize, pageText } from "./CorePages.ts"

const pages = Number(process.argv[2])
const page = Buffer.from(pageText(0))
const last = Buffer.from(pageText(0, true))
const ids = Array.from(page.toString("latin1").matchAll(/\{"id":(\d{10})/gu), (found) => found.index + 6)

const numbered = (number: number): Buffer => {
  const isLast = number === pages - 1
  const bytes = Buffer.from(isLast ? last : page)
  ids.forEach((at, index) => bytes.write(String(1_000_000_000 + number * pageSize + index), at, "latin1"))
  if (!isLast) bytes.write(cursorAfter(number), page.byteLength - 2 - cursorAfter(number).length, "latin1")
  return bytes
}

const server = createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8")
  request.on("data", (text) => {
    body += text
  })
  request.on("end", () => {
    const bytes = numbered(numberOf(JSON.parse(body).from))
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": bytes.byteLength })
    response.end(bytes)
  })
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object" && address !== null) console.log(`listening on http://127.0.0.1:${address.port}`)
})
