/** The least a server can do for the same search: `node:http`, the same prepared statements, and the rows as they are. */
import { createServer } from "node:http"
import type { StatementSync } from "node:sqlite"
import { Connection } from "@threat-exposure/service/sqlite/database/Connection"
import { tablesOfTerm } from "@threat-exposure/service/sqlite/credentials/TermRuns"
import { openVault } from "@threat-exposure/service/sqlite/database/DatabaseKey"

const [file = ""] = process.argv.slice(2)
const connection = new Connection(file, { readOnly: true })
const vault = openVault(connection, `${file}.key`)
const statements = new Map<string, StatementSync>()
const statementOf = (tables: ReadonlyArray<string>): StatementSync => {
  const known = statements.get(tables.join())
  if (known !== undefined) return known
  const rows = tables.map(
    (table) => `SELECT c.document, t.imported_at AS imported_at, t.version AS version, hex(c.sealed_hash), c.source
      FROM ${table} t CROSS JOIN credentials c ON c.version = t.version
      WHERE t.term = ? AND t.imported_at BETWEEN ? AND ?`
  )
  const statement = connection.prepare(
    `${rows.join(" UNION ALL ")} ORDER BY imported_at DESC, version DESC LIMIT ? + 0`
  )
  statements.set(tables.join(), statement)
  return statement
}

const server = createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8")
  request.on("data", (text) => {
    body += text
  })
  request.on("end", () => {
    const { query } = JSON.parse(body)
    const term = vault.blindIndex64("email", query.email)
    const tables = tablesOfTerm(connection, term)
    const found = statementOf(tables).all(
      ...tables.flatMap(() => [term, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]),
      11
    )
    const json = JSON.stringify({ items: found.map(({ document }) => document), next: null })
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(json) })
    response.end(json)
  })
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  console.log(`listening on ${typeof address === "object" ? address?.port : address}`)
})
