/** The least a server can do for the same search: `node:http`, the same prepared statement, and the rows as they are. */
import { createServer } from "node:http"
import { Connection } from "@threat-exposure/service/sqlite/database/Connection"
import { openVault } from "@threat-exposure/service/sqlite/database/DatabaseKey"

const [file = ""] = process.argv.slice(2)
const connection = new Connection(file, { readOnly: true })
const vault = openVault(connection, `${file}.key`)
const search = connection.prepare(`
  SELECT c.version, c.imported_at, c.document, hex(c.sealed_hash) AS sealed_hash, c.source
  FROM credential_terms t CROSS JOIN credentials c ON c.version = t.version
  WHERE t.term = ? AND t.imported_at BETWEEN ? AND ? ORDER BY t.imported_at DESC, t.version DESC LIMIT ? + 0`)

const server = createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8")
  request.on("data", (text) => {
    body += text
  })
  request.on("end", () => {
    const { query } = JSON.parse(body)
    const rows = search.all(
      vault.blindIndex64("email", query.email),
      Number.MIN_SAFE_INTEGER,
      Number.MAX_SAFE_INTEGER,
      11
    )
    const json = JSON.stringify({ items: rows.map(({ document }) => document), next: null })
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(json) })
    response.end(json)
  })
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  console.log(`listening on ${typeof address === "object" ? address?.port : address}`)
})
