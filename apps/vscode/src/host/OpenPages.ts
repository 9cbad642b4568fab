/**
 * Restores the extension's text pages after a reload, because the editor does not restore documents that an extension
 * provides. Does not use Effect, because activation runs it, and loads nothing if no page was open.
 */
import * as vscode from "vscode"

/** Storage key for the URIs and columns of the open pages. */
const key = "pages.open"

/** Opens the stored pages, and tracks open pages from now on. */
export const reopenPages = (context: vscode.ExtensionContext, scheme: string): vscode.Disposable => {
  const kept: unknown = context.workspaceState.get(key)
  const open = () =>
    vscode.window.tabGroups.all.flatMap(({ tabs, viewColumn }) =>
      tabs.flatMap(({ input }) =>
        input instanceof vscode.TabInputText && input.uri.scheme === scheme
          ? [{ uri: input.uri.toString(), column: viewColumn }]
          : []
      )
    )
  const already = new Set(open().map(({ uri }) => uri))
  const reopened = async () => {
    for (const page of Array.isArray(kept) ? kept : []) {
      if (!isPage(page) || already.has(page.uri)) continue
      await vscode.window.showTextDocument(vscode.Uri.parse(page.uri), {
        viewColumn: page.column,
        preview: false,
        preserveFocus: true
      })
    }
  }
  reopened().catch(() => {})
  return vscode.window.tabGroups.onDidChangeTabs(() => void context.workspaceState.update(key, open()))
}

const isPage = (value: unknown): value is { readonly uri: string; readonly column: number } =>
  typeof value === "object" &&
  value !== null &&
  typeof Reflect.get(value, "uri") === "string" &&
  typeof Reflect.get(value, "column") === "number"
