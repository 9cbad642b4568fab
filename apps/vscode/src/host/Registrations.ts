/**
 * Registers everything that package.json contributes. The handlers are loaded at the first use and given later, so that
 * activation loads no Effect, no schema and no client.
 */
import * as vscode from "vscode"
import type { StatusItem } from "../editor/Editor.ts"
import type { TreeNode } from "../editor/tree/TreeNode.ts"
import { speak, t } from "../words/Localisation.ts"

/** URI scheme of the extension's own pages. */
export const scheme = "threat-exposure"

/** Handlers of one kind by name. */
export class Handlers<Handler> {
  readonly #names: ReadonlyArray<string>
  readonly #load: () => Promise<unknown>
  readonly #given = new Map<string, Handler>()

  constructor(names: ReadonlyArray<string>, load: () => Promise<unknown>) {
    this.#names = names
    this.#load = load
  }

  give(name: string, handler: Handler): void {
    if (!this.#names.includes(name)) throw new Error(`${name} is not contributed`)
    this.#given.set(name, handler)
  }

  /** The handler; undefined before the rest of the extension is loaded. */
  now(name: string): Handler | undefined {
    return this.#given.get(name)
  }

  async of(name: string): Promise<Handler> {
    await this.#load()
    const handler = this.#given.get(name)
    if (handler === undefined) throw new Error(`Nothing handles ${name}`)
    return handler
  }
}

type CommandHandler = (...args: ReadonlyArray<unknown>) => Promise<unknown>
type Rows = Required<Omit<vscode.TreeDataProvider<TreeNode>, "onDidChangeTreeData">>

interface PageHandler {
  readonly provideTextDocumentContent: (uri: vscode.Uri) => Promise<string>
  readonly provideCodeLenses: (document: vscode.TextDocument) => Promise<Array<vscode.CodeLens>>
}

/** The container of a page. */
export type WebviewFrame = vscode.WebviewView | vscode.WebviewPanel

export interface AccountHandler {
  /** Asks the person to sign in. Returns the name of the account; undefined if the person cancels. */
  readonly signIn: () => Promise<string | undefined>
  readonly signOut: (name: string) => Promise<void>
}

export interface RegisteredTree {
  readonly view: vscode.TreeView<TreeNode>
  readonly changed: vscode.EventEmitter<Array<TreeNode> | undefined>
  readonly rows: Handlers<Rows>
}

export interface Registrations extends vscode.Disposable {
  readonly commands: Handlers<CommandHandler>
  readonly tools: Handlers<vscode.LanguageModelTool<object>>
  readonly trees: ReadonlyMap<string, RegisteredTree>
  readonly uri: Handlers<(uri: vscode.Uri) => Promise<unknown>>
  readonly pages: Handlers<PageHandler>
  readonly pageChanged: vscode.EventEmitter<vscode.Uri>
  readonly webviews: Handlers<(frame: WebviewFrame, state: unknown) => void>
  readonly accounts: Handlers<AccountHandler>
  readonly status: vscode.StatusBarItem
}

/** `load` loads the rest of the extension, which gives its handlers. Repeated calls load it only once. */
export const register = (context: vscode.ExtensionContext, load: () => Promise<unknown>): Registrations => {
  speak((message, args, comment = "") => vscode.l10n.t({ message, args: [...args], comment }), vscode.env.language)
  const disposables: Array<vscode.Disposable> = []
  const track = <A extends vscode.Disposable>(disposable: A): A => {
    disposables.push(disposable)
    return disposable
  }
  const contributes: Contributes = context.extension.packageJSON.contributes

  const names = contributes.commands.map(({ command }) => nameIn(command))
  const commands = new Handlers<CommandHandler>(names, load)
  const isIn = (menu: Menu, name: string) => contributes.menus[menu].some(({ command }) => nameIn(command) === name)
  for (const name of names) {
    const isOfRows = isIn("view/item/context", name) && !isIn("view/title", name)
    track(
      vscode.commands.registerCommand(`threatExposure.${name}`, async (...args: ReadonlyArray<unknown>) =>
        (await commands.of(name))(...(isOfRows ? withSelection(args) : args))
      )
    )
  }

  const toolNames = contributes.languageModelTools.map(({ name }) => nameIn(name))
  const tools = new Handlers<vscode.LanguageModelTool<object>>(toolNames, load)
  for (const name of toolNames) {
    track(
      vscode.lm.registerTool<object>(`threatExposure_${name}`, {
        prepareInvocation: async (options, token) => (await tools.of(name)).prepareInvocation?.(options, token),
        invoke: async (options, token) => (await tools.of(name)).invoke(options, token)
      })
    )
  }

  const views = contributes.views.threatExposure
  const trees = new Map(
    views.flatMap(({ id, type }) => {
      if (type === "webview") return []
      const name = nameIn(id)
      const rows = new Handlers<Rows>([name], load)
      const changed = track(new vscode.EventEmitter<Array<TreeNode> | undefined>())
      const treeDataProvider: vscode.TreeDataProvider<TreeNode> = {
        onDidChangeTreeData: changed.event,
        getTreeItem: (node) => rows.now(name)?.getTreeItem(node) ?? new vscode.TreeItem(node.row.label),
        resolveTreeItem: (item, node, token) => rows.now(name)?.resolveTreeItem(item, node, token),
        getParent: (node) => rows.now(name)?.getParent(node),
        getChildren: async (node) => (await rows.of(name)).getChildren(node)
      }
      const view = track(
        vscode.window.createTreeView(id, { treeDataProvider, canSelectMany: true, showCollapseAll: true })
      )
      return [[name, { view, changed, rows }] as const]
    })
  )

  const uri = new Handlers<(uri: vscode.Uri) => Promise<unknown>>(["uri"], load)
  track(vscode.window.registerUriHandler({ handleUri: async (at) => void (await (await uri.of("uri"))(at)) }))

  const pages = new Handlers<PageHandler>(["pages"], load)
  const pageChanged = track(new vscode.EventEmitter<vscode.Uri>())
  track(
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      onDidChange: pageChanged.event,
      provideTextDocumentContent: async (at) => (await pages.of("pages")).provideTextDocumentContent(at)
    })
  )
  track(
    vscode.languages.registerCodeLensProvider(
      { scheme },
      {
        onDidChangeCodeLenses: (listener) => pageChanged.event(() => listener()),
        provideCodeLenses: async (document) => (await pages.of("pages")).provideCodeLenses(document)
      }
    )
  )

  const pageViews = views.flatMap(({ id, type }) => (type === "webview" ? [nameIn(id)] : []))
  const panelEvents: ReadonlyArray<string> = context.extension.packageJSON.activationEvents
  const panels = panelEvents.flatMap((event) => /^onWebviewPanel:threatExposure\.(.+)$/u.exec(event)?.slice(1) ?? [])
  const webviews: Registrations["webviews"] = new Handlers([...pageViews, ...panels], load)
  for (const name of pageViews) {
    track(
      vscode.window.registerWebviewViewProvider(`threatExposure.${name}`, {
        resolveWebviewView: async (view, { state }) => (await webviews.of(name))(view, state)
      })
    )
  }
  for (const kind of panels) {
    track(
      vscode.window.registerWebviewPanelSerializer(`threatExposure.${kind}`, {
        deserializeWebviewPanel: async (panel, state) => (await webviews.of(kind))(panel, state)
      })
    )
  }

  const accounts = new Handlers<AccountHandler>(["accounts"], load)

  const status = track(vscode.window.createStatusBarItem("threatExposure.profile", vscode.StatusBarAlignment.Left, 0))
  return {
    commands,
    tools,
    trees,
    uri,
    pages,
    pageChanged,
    webviews,
    accounts,
    status,
    dispose: () => {
      for (const disposable of disposables.toReversed()) disposable.dispose()
    }
  }
}

/** The menu of a row passes the row, and the selection only if that has several rows. */
const withSelection = (args: ReadonlyArray<unknown>) => (args.length === 2 ? [args[0], args[1] ?? [args[0]]] : args)

type Menu = "view/item/context" | "view/title"

interface Contributes {
  readonly menus: Readonly<Record<Menu, ReadonlyArray<{ readonly command: string }>>>
  readonly commands: ReadonlyArray<{ readonly command: string }>
  readonly views: { readonly threatExposure: ReadonlyArray<{ readonly id: string; readonly type?: string }> }
  readonly languageModelTools: ReadonlyArray<{ readonly name: string }>
}

/** Removes the common prefix of all names. */
const nameIn = (id: string) => id.slice("threatExposure.".length)

/** Does not wait, because calls stay in order and nothing depends on when the editor applies them. */
export const setContext = (key: string, value: string | number | boolean): void => {
  void vscode.commands.executeCommand("setContext", `threatExposure.${key}`, value)
}

export const showLoadFailure = (cause: unknown): void => {
  const reason = cause instanceof Error ? cause.message : String(cause)
  void vscode.window.showErrorMessage(
    t("Threat Exposure could not be loaded: {0}. The next use tries again; if it keeps failing, reinstall it.", reason)
  )
}

export const showStatus = (item: vscode.StatusBarItem, value: StatusItem): void => {
  item.name = "Threat Exposure"
  item.text = value.text
  item.tooltip = value.tooltip
  item.command = `threatExposure.${value.command}`
  item.accessibilityInformation = { label: value.accessibleLabel }
  item.show()
}
