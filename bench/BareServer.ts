/** The least a server can do for the same search: `node:http`, the same prepared statement, and the rows as they are. */
import { createServer } from "node:http"
import { DatabaseSync } from "node:sqlite"
import { Vault } from "@threat-exposure/service/crypto/Vault"

const [file = "", port = "0"] = process.argv.slice(2)
const vault = Vault.open(`${file}.key`)
const database = new DatabaseSync(file, { readOnly: true })
database.exec("PRAGMA mmap_size = 1073741824")
const search = database.prepare(`
  SELECT c.id, c.imported_at, c.document, hex(c.sealed_hash) AS sealed_hash, c.source
  FROM credential_terms t CROSS JOIN credentials c ON c.id = t.id
  WHERE t.term = ? AND t.imported_at BETWEEN ? AND ? ORDER BY t.imported_at DESC, t.id DESC LIMIT ? + 0`)

createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8")
  request.on("data", (text) => {
    body += text
  })
  request.on("end", () => {
    const { query } = JSON.parse(body)
    const rows = search.all(vault.term("email", query.email), Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 11)
    const json = JSON.stringify({ items: rows.map(({ document }) => document), next: null })
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(json) })
    response.end(json)
  })
}).listen(Number(port), "127.0.0.1", () => console.log("listening"))
