/** Another extension: it calls the tools as a language model's host does, asks for a session, and writes the answers. */
const vscode = require("vscode")

const uses = [
  ["searchEvents", { query: "example.com", minimumSeverity: "high" }],
  ["getEvent", { uid: process.env["PROBE_UID"] }],
  ["countCredentials", { domain: "example.com" }],
  ["checkOpenFile", {}],
  ["searchEvents", { nothing: true }]
]

const write = (name, content) =>
  vscode.workspace.fs.writeFile(
    vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, name),
    new TextEncoder().encode(JSON.stringify(content))
  )

const AsyncFunction = (async () => {}).constructor

exports.activate = (context) =>
  context.subscriptions.push(
    vscode.commands.registerCommand("probe.useTools", async () => {
      const known = vscode.lm.tools.map(({ name }) => name).filter((name) => name.startsWith("threatExposure_"))
      const answers = []
      for (const [name, input] of uses) {
        const result = await vscode.lm.invokeTool(`threatExposure_${name}`, { input, toolInvocationToken: undefined })
        answers.push({ name, text: result.content.map(({ value }) => value).join("") })
      }
      await write("tools.json", { known, answers })
      vscode.window.showInformationMessage("Probe: the tools have answered.")
    }),
    vscode.commands.registerCommand("probe.getSession", async () => {
      const code = `${process.env["PROBE_SESSION_CODE"]}\nreturn session`
      const { accessToken, account, scopes } = await new AsyncFunction("vscode", code)(vscode)
      await write("session.json", { accessToken, label: account.label, scopes })
      vscode.window.showInformationMessage("Probe: there is a session.")
    }),
    // The editor passes these arguments if it is drawing the row again whose menu was used.
    vscode.commands.registerCommand("probe.loseRow", () =>
      vscode.commands.executeCommand("threatExposure.events.ignore", undefined, undefined)
    )
  )
