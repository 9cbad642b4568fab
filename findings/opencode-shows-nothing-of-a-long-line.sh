#!/usr/bin/env bash
# opencode-ai 1.18.33: of an MCP answer that is one line of more than 51,200 bytes, its model sees nothing.
#
# Guess: the first 51,200 bytes.
# Seen: whole lines are kept until the limit is reached. JSON is one line, so that nothing of it is kept; with line breaks
# between the items of the same JSON, the first 1,190 of 1,500 are.
# For an MCP server: at most 50,000 bytes on a line.
source "$(dirname "$0")/lib.sh"
npmjs opencode-ai@1.18.33

cat >mcp.mjs <<'J'
import { createInterface } from "node:readline"
const items = Array.from({ length: 1500 }, (_, id) => ({ id: 1000 + id, name: "abcdefghij".repeat(2) }))
const tools = ["one_line", "many_lines"].map((name) => ({ name, inputSchema: { type: "object" } }))
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  const separator = params?.name === "many_lines" ? ",\n" : ","
  const text = `{"verdict":"leaked","items":[${items.map((item) => JSON.stringify(item)).join(separator)}]}`
  const result = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
    "tools/list": { tools },
    "tools/call": { content: [{ type: "text", text }] }
  }[method]
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: result ?? {} }))
})
J
# Stands in for the model: calls the two tools one after the other, and writes what it was shown to the file "seen".
cat >model.mjs <<'J'
import { createServer } from "node:http"
import { writeFileSync } from "node:fs"
createServer(async (request, response) => {
  let body = ""
  for await (const part of request) body += part
  const { messages = [], tools = [] } = JSON.parse(body || "{}")
  const shown = messages.filter(({ role }) => role === "tool").map(({ content }) => content)
  const name = tools.map((tool) => tool.function.name).find((each) => each.endsWith(["_one_line", "_many_lines"][shown.length]))
  if (shown.length === 2) {
    writeFileSync("seen", shown.map((text) => `${text.includes("leaked") ? "has" : "has not"} the verdict, ${(text.match(/"id"/g) ?? []).length} of 1500 items\n`).join(""))
  }
  const delta = name
    ? { role: "assistant", tool_calls: [{ index: 0, id: `c${shown.length}`, type: "function", function: { name, arguments: "{}" } }] }
    : { role: "assistant", content: "done" }
  const chunk = (choice) => `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, ...choice }] })}\n\n`
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.end(`${chunk({ delta, finish_reason: null })}${chunk({ delta: {}, finish_reason: name ? "tool_calls" : "stop" })}data: [DONE]\n\n`)
}).listen(19435, "127.0.0.1")
J
node model.mjs &
trap 'kill %1; wait; rm -rf "$work"' EXIT
mkdir -p home/.config/opencode folder
cat >home/.config/opencode/opencode.json <<J
{"provider": {"local": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "http://127.0.0.1:19435/v1", "apiKey": "none"},
  "models": {"m": {"name": "m", "tool_call": true, "limit": {"context": 200000, "output": 8000}}}}},
 "model": "local/m", "small_model": "local/m", "autoupdate": false, "share": "disabled",
 "mcp": {"s": {"type": "local", "command": ["node", "$work/mcp.mjs"]}}}
J
program=$(ls -d "$PWD"/node_modules/opencode-*/bin/opencode | head -1)
(cd folder && env -i PATH="$PATH" HOME="$work/home" "$program" run --model local/m go >/dev/null 2>&1 </dev/null)
expect "what the model sees of the same JSON on one line, and on many:" <<'S'
has not the verdict, 0 of 1500 items
has the verdict, 1190 of 1500 items
S
