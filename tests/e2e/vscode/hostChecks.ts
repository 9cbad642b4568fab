/** The checks inside the extension host, in the order in which they run: the last one ends the extension. */
import assert from "node:assert/strict"
import { rename } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { answering } from "@threat-exposure/tools/real-vscode-inside"
import type * as VsCode from "vscode"

export interface Inside {
  readonly vscode: typeof VsCode
  readonly require: NodeJS.Require
  readonly extension: VsCode.Extension<unknown>
}

/** Milliseconds until a wait for the editor fails. */
const editorTimeout = 300_000

const until = async <A>(what: string, look: () => A | PromiseLike<A>, isThere: (found: A) => boolean): Promise<A> => {
  const deadline = Date.now() + editorTimeout
  for (;;) {
    const found = await look()
    if (isThere(found)) return found
    if (Date.now() > deadline) throw new Error(`${what}: ${JSON.stringify(found)}`)
    await sleep(50)
  }
}

const ours = async ({ vscode }: Inside) =>
  (await vscode.commands.getCommands(true)).filter((name) => name.startsWith("threatExposure."))

/** The files of the bundle that this process has loaded. */
const partsOf = ({ require, extension }: Inside) =>
  Object.keys(require.cache)
    .filter((path) => path.startsWith(extension.extensionPath))
    .map((path) => path.slice(extension.extensionPath.length + "/dist/".length))

/** The requests that the service has received so far. */
const readRequests = async (): Promise<ReadonlyArray<string>> => {
  const answer = await fetch(`${process.env["THREAT_EXPOSURE_BASE_URL"]}/asked`)
  const paths: ReadonlyArray<string> = JSON.parse(await answer.text())
  return paths
}

const page = async ({ vscode }: Inside, path: string) =>
  (await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: "threat-exposure", path }))).getText()

const contributed = ({ extension }: Inside): ReadonlyArray<string> => {
  const commands: ReadonlyArray<{ readonly command: string }> = extension.packageJSON.contributes.commands
  return commands.map(({ command }) => command)
}

export const checks: Readonly<Record<string, (inside: Inside) => Promise<void>>> = {
  "activates without loading more than its first part": async (inside) => {
    await inside.extension.activate()
    assert.equal(inside.extension.isActive, true)
    assert.deepEqual(partsOf(inside), ["extension.cjs"])
  },

  "has registered every command that it contributes": async (inside) => {
    const registered = await ours(inside)
    const declared = contributed(inside)
    assert.ok(declared.length > 40)
    assert.deepEqual(
      declared.filter((name) => !registered.includes(name)),
      []
    )
    // The editor adds some of its own for each view.
    const extra = registered.filter(
      (name) =>
        !declared.includes(name) && !/\.(?:focus|open|resetViewLocation|removeView|toggleVisibility)$/u.test(name)
    )
    assert.deepEqual(extra, [])
  },

  "stands in the accounts of the editor": async (inside) => {
    const accounts = await inside.vscode.authentication.getAccounts("threatExposure")
    assert.deepEqual(
      accounts.map(({ label }) => label),
      ["environment"]
    )
    assert.deepEqual(partsOf(inside), ["extension.cjs"])
  },

  "offers its tools to language models, read-only and by their names": async ({ vscode }) => {
    assert.deepEqual(
      vscode.lm.tools
        .map(({ name }) => name)
        .filter((name) => name.startsWith("threatExposure_"))
        .toSorted(),
      [
        "threatExposure_checkOpenFile",
        "threatExposure_countCredentials",
        "threatExposure_getEvent",
        "threatExposure_searchEvents"
      ]
    )
  },

  "has the defaults that package.json declares": async (inside) => {
    const settings = inside.vscode.workspace.getConfiguration("threatExposure")
    assert.equal(settings.inspect("masking")?.defaultValue, false)
    assert.deepEqual(settings.inspect("profiles")?.defaultValue, [])
    const { restrictedConfigurations } = inside.extension.packageJSON.capabilities.untrustedWorkspaces
    assert.ok(restrictedConfigurations.includes("threatExposure.profiles"))
  },

  "says what it could not load; the next check loads it": async (inside) => {
    const part = join(inside.extension.extensionPath, "dist", "app.cjs")
    await rename(part, `${part}.away`)
    await assert.rejects(
      async () => inside.vscode.commands.executeCommand("threatExposure.events.refresh"),
      /app\.cjs/u
    )
    await rename(`${part}.away`, part)
    assert.deepEqual(partsOf(inside), ["extension.cjs"])
  },

  "asks the service nothing, and loads no more, before a view is shown": async (inside) => {
    assert.deepEqual(await readRequests(), [])
    assert.deepEqual(partsOf(inside), ["extension.cjs"])
    await inside.vscode.commands.executeCommand("threatExposure.recommendations.focus")
    await until("the service was not asked", readRequests, ({ length }) => length > 0)
    // A new sidebar also expands the overview.
    const loaded = () => partsOf(inside)
    await until("the overview was not loaded", loaded, (parts) => parts.includes("overview.cjs"))
    assert.deepEqual(loaded(), ["extension.cjs", "app.cjs", "overview.cjs"])
  },

  "writes an event as Markdown, its secrets behind a lens": async ({ vscode }) => {
    const uid = process.env["HOST_CHECKS_EVENT"] ?? ""
    await vscode.commands.executeCommand("threatExposure.events.openMarkdown", uid)
    const document = await until(
      "no page is open",
      () => vscode.window.activeTextEditor?.document,
      (found) => found?.uri.scheme === "threat-exposure"
    )
    assert.ok(document !== undefined)
    assert.match(document.getText(), /\*\*Password:\*\* ••••••••/u)
    const lenses = await vscode.commands.executeCommand<ReadonlyArray<VsCode.CodeLens>>(
      "vscode.executeCodeLensProvider",
      document.uri,
      100
    )
    const reveal = lenses.find(({ command }) => command?.command === "threatExposure.revealSecret")?.command
    assert.ok(reveal !== undefined)
    await vscode.commands.executeCommand(reveal.command, ...(reveal.arguments ?? []))
    await until(
      "the secret stays hidden",
      () => document.getText(),
      (text) => /\*\*Password:\*\* `[^`•]+`/u.test(text)
    )
  },

  "says on a page what the service does not know": async (inside) => {
    assert.match(await page(inside, "/event/leak%2Fnowhere%2F0/nowhere.md"), /could not be loaded/u)
  },

  "marks what looks like a secret as one types, once that is turned on": async ({ vscode }) => {
    const [folder] = vscode.workspace.workspaceFolders ?? []
    assert.ok(folder !== undefined)
    const uri = vscode.Uri.joinPath(folder.uri, "typed.ini")
    const secret = ["tidal", "Wren", "4471", "harbour!"].join("-")
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(`password = "${secret}"\n`))
    const settings = vscode.workspace.getConfiguration("threatExposure")
    await settings.update("leakCheck.asYouType", true, vscode.ConfigurationTarget.Global)
    const document = await vscode.workspace.openTextDocument(uri)
    await vscode.window.showTextDocument(document)
    const found = await until(
      "nothing is marked",
      () => vscode.languages.getDiagnostics(uri).filter(({ source }) => source === "Threat Exposure"),
      ({ length }) => length === 1
    )
    const [mark] = found
    assert.ok(mark !== undefined)
    assert.equal(mark.severity, vscode.DiagnosticSeverity.Information)
    assert.equal(document.getText(mark.range), secret)
    assert.ok(!mark.message.includes(secret))
    await settings.update("leakCheck.asYouType", undefined, vscode.ConfigurationTarget.Global)
    await until(
      "the mark stays",
      () => vscode.languages.getDiagnostics(uri).length,
      (length) => length === 0
    )
  },

  "moves a secret to .env without losing a byte or an unsaved edit, and one undo takes all of it back": async ({
    vscode
  }) => {
    const [folder] = vscode.workspace.workspaceFolders ?? []
    assert.ok(folder !== undefined)
    const at = (name: string) => vscode.Uri.joinPath(folder.uri, name)
    const onDisk = async (name: string) => Buffer.from(await vscode.workspace.fs.readFile(at(name))).toString("latin1")
    const write = (name: string, text: string) => vscode.workspace.fs.writeFile(at(name), Buffer.from(text, "latin1"))
    const secret = ["tidal", "Wren", "4471", "harbour!"].join("-")
    // A byte order mark, Latin-1, and a change that nobody has saved.
    const marked = `\u00ef\u00bb\u00bfconst password = "${secret}"\r\n`
    await write("moved.ts", marked)
    await write(".env", "NAME=caf\u00e9\r\n")
    await write(".gitignore", "dist\n")
    const files = vscode.workspace.getConfiguration("files")
    await files.update("autoSave", "off", vscode.ConfigurationTarget.Global)
    const ignore = await vscode.workspace.openTextDocument(at(".gitignore"))
    const unsaved = new vscode.WorkspaceEdit()
    unsaved.insert(ignore.uri, new vscode.Position(1, 0), "build\n")
    assert.ok(await vscode.workspace.applyEdit(unsaved))

    const settings = vscode.workspace.getConfiguration("threatExposure")
    await settings.update("leakCheck.asYouType", true, vscode.ConfigurationTarget.Global)
    const source = await vscode.workspace.openTextDocument(at("moved.ts"))
    await vscode.window.showTextDocument(source)
    const place = [source.uri.toString(), 1, 'const password = "'.length + 1]
    await until(
      "nothing is marked",
      () => vscode.languages.getDiagnostics(source.uri).length,
      (length) => length === 1
    )
    const moving = vscode.commands.executeCommand("threatExposure.leaks.moveToEnv", ...place)
    // The name that is suggested is taken, once the question is there.
    const accepted = setInterval(
      () => void vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem"),
      200
    )
    await moving
    clearInterval(accepted)

    assert.equal(source.getText(), "const password = process.env.PASSWORD\r\n")
    assert.equal(await onDisk("moved.ts"), marked)
    await source.save()
    assert.equal(await onDisk("moved.ts"), "\u00ef\u00bb\u00bfconst password = process.env.PASSWORD\r\n")
    assert.equal(await onDisk(".env"), `NAME=caf\u00e9\r\nPASSWORD='${secret}'\r\n`)
    assert.equal(ignore.getText(), "dist\nbuild\n.env\n")
    assert.equal(await onDisk(".gitignore"), "dist\n")

    await vscode.window.showTextDocument(source)
    await vscode.commands.executeCommand("undo")
    const env = await vscode.workspace.openTextDocument(at(".env"), { encoding: "iso88591" })
    await until(
      "the undo does not reach all files",
      () => [source.getText(), env.getText(), ignore.getText()].join(),
      (text) => text === `const password = "${secret}"\r\n,NAME=caf\u00e9\r\n,dist\nbuild\n`
    )
    await settings.update("leakCheck.asYouType", undefined, vscode.ConfigurationTarget.Global)
    await files.update("autoSave", undefined, vscode.ConfigurationTarget.Global)
  },

  "leaves nothing when it is deactivated": async (inside) => {
    const { extension, require, vscode } = inside
    const main = require.cache[`${extension.extensionPath}/dist/extension.cjs`]
    await main?.exports.deactivate()
    await until(
      "commands are left",
      async () => (await ours(inside)).filter((name) => contributed(inside).includes(name)),
      ({ length }) => length === 0
    )
    await assert.rejects(page(inside, "/event/another/another.md"))
    assert.deepEqual(
      vscode.languages
        .getDiagnostics()
        .flatMap(([, found]) => found.filter(({ source }) => source === "Threat Exposure")),
      []
    )
  }
}

/** The failure of each check, or null. */
export type Outcomes = Readonly<Record<string, string | null>>

export const run = answering(async (require): Promise<Outcomes> => {
  const vscode: typeof VsCode = require("vscode")
  const extension = vscode.extensions.getExtension("threat-exposure.threat-exposure")
  if (extension === undefined) throw new Error("The extension is not there")
  const outcomes: Record<string, string | null> = {}
  for (const [name, check] of Object.entries(checks)) {
    outcomes[name] = await check({ vscode, require, extension }).then(
      () => null,
      (cause: unknown) => (cause instanceof Error ? (cause.stack ?? cause.message) : String(cause))
    )
  }
  return outcomes
})
