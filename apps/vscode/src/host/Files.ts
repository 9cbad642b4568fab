/** Implements files and folders on disk, the clipboard, the browser, and the focus of the window. */
import { decode } from "@threat-exposure/detect/text/Bytes"
import { Effect, Option } from "effect"
import * as vscode from "vscode"
import type { FilesOfEditor, FolderEntry } from "../editor/Editor.ts"
import { fileFailure } from "./Conversions.ts"
import { listen } from "./HostScope.ts"

export const files = (): FilesOfEditor => ({
  read: (uri) =>
    Effect.tryPromise({
      try: async () => decode(await vscode.workspace.fs.readFile(vscode.Uri.parse(uri))),
      catch: (cause) => fileFailure("read", uri, cause)
    }),
  readBelow: (folder, path) =>
    Effect.tryPromise({
      try: async () => {
        let at = vscode.Uri.parse(folder)
        for (const segment of path.split("/")) {
          at = vscode.Uri.joinPath(at, segment)
          const { type } = await vscode.workspace.fs.stat(at)
          if ((type & vscode.FileType.SymbolicLink) !== 0) throw new Error(`${at.path} is a symbolic link`)
        }
        return vscode.workspace.fs.readFile(at)
      },
      catch: (cause) => fileFailure("read", `${folder}/${path}`, cause)
    }),
  write: (uri, content) =>
    Effect.tryPromise({
      try: async () =>
        vscode.workspace.fs.writeFile(
          vscode.Uri.parse(uri),
          typeof content === "string" ? new TextEncoder().encode(content) : content
        ),
      catch: (cause) => fileFailure("write", uri, cause)
    }),
  folders: Effect.sync(() =>
    (vscode.workspace.workspaceFolders ?? []).map(({ uri, name }) => ({ uri: uri.toString(), name }))
  ),
  join: (uri, path) => vscode.Uri.joinPath(vscode.Uri.parse(uri), path).toString(),
  fsPath: (uri) => {
    const parsed = vscode.Uri.parse(uri)
    return parsed.scheme === "file" ? Option.some(parsed.fsPath) : Option.none()
  },
  fileUri: (path) => vscode.Uri.file(path).toString(),
  list: (folder) =>
    Effect.tryPromise({
      try: async () => {
        const found = await vscode.workspace.fs.readDirectory(vscode.Uri.parse(folder))
        return found.map(([name, type]) => ({ name, kind: kindOf(type) }))
      },
      catch: (cause) => fileFailure("list", folder, cause)
    }),

  copy: (text) => Effect.promise(async () => vscode.env.clipboard.writeText(text)),
  openInBrowser: (url) => Effect.asVoid(Effect.promise(async () => vscode.env.openExternal(vscode.Uri.parse(url)))),
  focused: Effect.sync(() => vscode.window.state.focused),
  focusChanged: listen(vscode.window.onDidChangeWindowState, ({ focused }) => focused)
})

/** The type is a bit mask: a symbolic link also has the bit of its target. */
const kindOf = (type: vscode.FileType): FolderEntry["kind"] => {
  if ((type & vscode.FileType.SymbolicLink) !== 0) return "link"
  if ((type & vscode.FileType.Directory) !== 0) return "folder"
  return (type & vscode.FileType.File) === 0 ? "other" : "file"
}
