#!/usr/bin/env bash
# @openai/codex 0.171.0: of an MCP answer that it cuts, it tells its model that 7 or 8 tokens are missing, however many are.
#
# Guess: the mark in the middle says how much was cut.
# Seen: of 20 kB and of 60 kB the model sees 12 kB, with the same mark between them: as if they were cut to that length twice,
# and the second cut removed the mark of the first and counted that.
# For an MCP server: what tells that an answer is incomplete stands at its beginning, and an answer is short.
source "$(dirname "$0")/lib.sh"
npmjs @openai/codex@0.171.0

cat >mcp.mjs <<'J'
import { createInterface } from "node:readline"
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  const result = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
    "tools/list": { tools: ["short", "long"].map((name) => ({ name, inputSchema: { type: "object", properties: {} } })) },
    "tools/call": { content: [{ type: "text", text: "0123456789".repeat(params?.name === "short" ? 2_000 : 6_000) }] }
  }[method]
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: result ?? {} }))
})
J
# Stands in for the model: waits for the tools, calls the two, and writes what it was shown to the file "seen".
cat >model.mjs <<'J'
import { createServer } from "node:http"
import { writeFileSync } from "node:fs"
const textOf = (output) => (typeof output === "string" ? output : output.map(({ text }) => text).join("\n"))
createServer(async (request, response) => {
  let body = ""
  for await (const part of request) body += part
  const { input = [], tools = [] } = JSON.parse(body || "{}")
  const outputs = new Map(input.flatMap(({ call_id, output }) => (output ? [[call_id, textOf(output)]] : [])))
  const namespace = tools.find(({ name }) => name === "mcp__s")?.name
  const wanted = ["short", "long"].find((name) => !outputs.has(name))
  if (!wanted) {
    const lines = ["short", "long"].map((name) => `${name}: ${Math.round(outputs.get(name).length / 1000)} kB, ${outputs.get(name).match(/…[^…]*…/g)}\n`)
    writeFileSync("seen", lines.join(""))
  }
  const wait = { type: "function_call", call_id: `wait${outputs.size}`, name: "exec_command", arguments: '{"cmd":"sleep 1"}' }
  const call = { type: "function_call", call_id: wanted, namespace, name: wanted, arguments: "{}" }
  const done = { type: "message", role: "assistant", content: [{ type: "output_text", text: "done", annotations: [] }] }
  const item = { id: "i", status: "completed", ...(wanted ? (namespace ? call : wait) : done) }
  const answer = { id: "r", object: "response", status: "completed", output: [item], usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } }
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const event of [
    { type: "response.created", response: { ...answer, status: "in_progress", output: [] } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: answer }
  ]) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  response.end()
}).listen(19436, "127.0.0.1")
J
node model.mjs &
trap 'kill %1; wait; rm -rf "$work"' EXIT
mkdir -p home/.codex folder
cat >home/.codex/config.toml <<T
model = "m"
model_provider = "local"
[model_providers.local]
name = "local"
base_url = "http://127.0.0.1:19436/v1"
wire_api = "responses"
[mcp_servers.s]
command = "node"
args = ["$work/mcp.mjs"]
default_tools_approval_mode = "approve"
T
program=$PWD/node_modules/.bin/codex
(cd folder && env -i PATH="$PATH" HOME="$work/home" "$program" exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox go >/dev/null 2>&1 </dev/null)
expect "what the model sees of 20,000 and of 60,000 bytes:" <<'S'
short: 12 kB, …8 tokens truncated…
long: 12 kB, …8 tokens truncated…
S
