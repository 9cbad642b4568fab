/** Serves over HTTP what a program serves over standard input and output: the program is started for each session. */
import { randomUUID } from "node:crypto"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { startServer } from "@threat-exposure/programs/LocalServer"

export interface McpBridge {
  readonly url: string
  readonly close: () => Promise<void>
}

export const startMcpBridge = async (startProgram: () => Transport): Promise<McpBridge> => {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const programs: Array<Transport> = []

  const open = async () => {
    const stdio = startProgram()
    const http = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, http)
    })
    // A transport has no addEventListener.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    http.onmessage = (message) => void stdio.send(message)
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    stdio.onmessage = (message) => void http.send(message)
    await Promise.all([stdio.start(), http.start()])
    programs.push(stdio)
    return http
  }

  const { close, url } = await startServer(async (request, response) => {
    const id = request.headers["mcp-session-id"]
    const session = typeof id === "string" ? sessions.get(id) : undefined
    await (session ?? (await open())).handleRequest(request, response)
  })
  return {
    url: `${url}/mcp`,
    close: async () => {
      await Promise.all(programs.map((stdio) => stdio.close()))
      await close()
    }
  }
}
