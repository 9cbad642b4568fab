/** Another extension, which asks the tools as a language model's host would, and writes what they answer. */
const vscode = require("vscode")

const uses = [
  ["searchEvents", { query: "example.com", minimumSeverity: "high" }],
  ["getEvent", { uid: process.env["PROBE_UID"] }],
  ["countCredentials", { domain: "example.com" }],
  ["checkOpenFile", {}],
  ["searchEvents", { nothing: true }]
]

exports.activate = (context) =>
  context.subscriptions.push(
    vscode.commands.registerCommand("probe.useTools", async () => {
      const known = vscode.lm.tools.map(({ name }) => name).filter((name) => name.startsWith("threatExposure_"))
      const answers = []
      for (const [name, input] of uses) {
        const result = await vscode.lm.invokeTool(`threatExposure_${name}`, { input, toolInvocationToken: undefined })
        answers.push({ name, text: result.content.map(({ value }) => value).join("") })
      }
      const file = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, "tools.json")
      await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(JSON.stringify({ known, answers })))
      vscode.window.showInformationMessage("Probe: the tools have answered.")
    })
  )
