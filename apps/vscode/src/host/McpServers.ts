/**
 * Offers the command line's MCP server to the editor's agents. Does not use Effect, because the editor asks during
 * activation.
 */
import * as vscode from "vscode"

export interface McpServers extends vscode.Disposable {
  /** Must be called after each sign-in and sign-out. */
  readonly changed: () => void
}

export const registerMcpServers = (options: {
  /** Returns the path of the command line; undefined if it is not installed. */
  readonly findProgram: () => Promise<string | undefined>
  /** Environment variables with the editor's sign-in; undefined if signed out. */
  readonly environment: () => Promise<Readonly<Record<string, string>> | undefined>
}): McpServers => {
  const changes = new vscode.EventEmitter<void>()
  const registered = vscode.Disposable.from(
    changes,
    vscode.lm.registerMcpServerDefinitionProvider("threatExposure.commandLine", {
      onDidChangeMcpServerDefinitions: changes.event,
      provideMcpServerDefinitions: async () => {
        const program = await options.findProgram()
        if (program === undefined || (await options.environment()) === undefined) return []
        const roots = (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) =>
          uri.scheme === "file" ? ["--root", uri.fsPath] : []
        )
        return [new vscode.McpStdioServerDefinition("Threat Exposure", program, ["mcp", ...roots])]
      },
      // The secret is passed only when the server starts.
      resolveMcpServerDefinition: async (server) => {
        const environment = await options.environment()
        if (environment === undefined || !(server instanceof vscode.McpStdioServerDefinition)) return undefined
        server.env = { ...server.env, ...network(), ...environment }
        return server
      }
    })
  )
  return { changed: () => changes.fire(), dispose: () => registered.dispose() }
}

/** Environment variables that make Node use the editor's proxy and certificate settings. */
const network = (): Readonly<Record<string, string>> => {
  const settings = vscode.workspace.getConfiguration("http")
  const proxy = settings.get("proxy", "")
  return {
    ...(settings.get("systemCertificates", true) ? { NODE_USE_SYSTEM_CA: "1" } : {}),
    ...(proxy === ""
      ? {}
      : {
          NODE_USE_ENV_PROXY: "1",
          HTTP_PROXY: proxy,
          HTTPS_PROXY: proxy,
          NO_PROXY: settings.get<ReadonlyArray<string>>("noProxy", []).join()
        })
  }
}
