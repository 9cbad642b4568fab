/** Reads saved state without Effect. */
import * as vscode from "vscode"

export const memento = (context: vscode.ExtensionContext, where: "everywhere" | "here"): vscode.Memento =>
  where === "everywhere" ? context.globalState : context.workspaceState

export const savedState = (context: vscode.ExtensionContext) => ({
  setting: (name: string): unknown => vscode.workspace.getConfiguration("threatExposure").get(name),
  recall: (where: "everywhere" | "here", key: string): unknown => memento(context, where).get(key),
  secret: (key: string) => context.secrets.get(key)
})

/** Calls `changed` after a change of any secret or of one of the settings. */
export const watchSavedState = (
  context: vscode.ExtensionContext,
  settings: ReadonlyArray<string>,
  changed: () => void
): vscode.Disposable =>
  vscode.Disposable.from(
    context.secrets.onDidChange(changed),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (settings.some((name) => event.affectsConfiguration(`threatExposure.${name}`))) changed()
    })
  )
