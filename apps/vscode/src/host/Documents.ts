/** Implements reading and editing of open files. */
import { Effect, Option, Stream } from "effect"
import * as vscode from "vscode"
import type { DocumentsOfEditor, OpenText } from "../editor/Editor.ts"
import { fileFailure, range, span } from "./Conversions.ts"
import { listen } from "./HostScope.ts"
import { scheme } from "./Registrations.ts"

/** The used part of the API of the editor's git extension. */
interface GitExtension {
  readonly getAPI: (version: 1) => { readonly toGitUri: (uri: vscode.Uri, ref: string) => vscode.Uri }
}

export const documents = (): DocumentsOfEditor => ({
  openText: (uri, span) =>
    Effect.tryPromise({
      try: async () => {
        const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri))
        await vscode.window.showTextDocument(document, span === undefined ? {} : { selection: range(span) })
      },
      catch: (cause) => fileFailure("read", uri, cause)
    }),
  openCommitted: (uri, commit, span) =>
    Effect.tryPromise({
      try: async () => {
        const git = await vscode.extensions.getExtension<GitExtension>("vscode.git")?.activate()
        if (git === undefined) throw new Error(vscode.l10n.t("the editor's extension for git is not active"))
        const document = await vscode.workspace.openTextDocument(git.getAPI(1).toGitUri(vscode.Uri.parse(uri), commit))
        await vscode.window.showTextDocument(document, { selection: range(span) })
      },
      catch: (cause) => fileFailure("read", uri, cause)
    }),
  activeText: Effect.sync(() => {
    const editor = vscode.window.activeTextEditor
    return editor === undefined || editor.document.uri.scheme === scheme
      ? Option.none()
      : Option.some(openText(editor.document, editor.selection))
  }),
  textOf: (uri) =>
    Effect.tryPromise({
      try: async () => openText(await documentAt(vscode.Uri.parse(uri))),
      catch: (cause) => fileFailure("read", uri, cause)
    }),
  typed: Stream.merge(
    Stream.suspend(() => Stream.fromIterable(vscode.workspace.textDocuments.filter(onDisk).map(typedText))),
    Stream.merge(
      listen(vscode.workspace.onDidOpenTextDocument, (document) => document),
      listen(vscode.workspace.onDidChangeTextDocument, (event) => event.document)
    ).pipe(Stream.filter(onDisk), Stream.map(typedText))
  ),
  closed: listen(vscode.workspace.onDidCloseTextDocument, (document) => document.uri.toString()),

  applyEdits: (edits) =>
    Effect.tryPromise({
      try: async () => {
        const edit = new vscode.WorkspaceEdit()
        const saved: Array<vscode.TextDocument> = []
        for (const { isSaved, span, text, uri } of edits) {
          const at = vscode.Uri.parse(uri)
          if (span === undefined) {
            edit.createFile(at, { contents: new TextEncoder().encode(text) })
            continue
          }
          const document = await documentAt(at)
          if (!document.encoding.startsWith("utf") && /[^\0-\x7f]/u.test(text)) {
            throw new Error(vscode.l10n.t("its encoding, {0}, lacks characters of the text", document.encoding))
          }
          if (isSaved === true && !document.isDirty) saved.push(document)
          edit.replace(at, range(span), text)
        }
        if (!(await vscode.workspace.applyEdit(edit))) throw new Error(vscode.l10n.t("the editor refused the edit"))
        for (const document of saved) await document.save()
      },
      catch: (cause) => fileFailure("write", edits[0]?.uri ?? "", cause)
    })
})

/**
 * Opens the document. Invalid UTF-8 is decoded as Latin-1, one character per byte, so that saving preserves every byte.
 */
const documentAt = async (uri: vscode.Uri): Promise<vscode.TextDocument> => {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString())
  if (open !== undefined) return open
  const bytes = await vscode.workspace.fs.readFile(uri)
  const isConfigured = vscode.workspace.getConfiguration("files", uri).get("encoding") !== "utf8"
  return isConfigured || isUtf8(bytes)
    ? vscode.workspace.openTextDocument(uri)
    : vscode.workspace.openTextDocument(uri, { encoding: "iso88591" })
}

/** Whether the bytes are UTF-8, or have a UTF-16 byte order mark, which the editor detects itself. */
const isUtf8 = (bytes: Uint8Array): boolean => {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) return true
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

const onDisk = (document: vscode.TextDocument) =>
  !document.isClosed &&
  document.uri.scheme !== scheme &&
  document.uri.scheme !== "output" &&
  document.uri.scheme !== "git"

const openText = (document: vscode.TextDocument, selection?: vscode.Range): OpenText => ({
  ...withoutText(document),
  text: document.getText(),
  selection: span(selection ?? new vscode.Range(0, 0, 0, 0)),
  selected: selection === undefined ? "" : document.getText(selection)
})

/** `text` is a getter, so that a key press does not build the whole text. */
const typedText = (document: vscode.TextDocument): OpenText => ({
  ...withoutText(document),
  get text() {
    return document.getText()
  },
  selection: span(new vscode.Range(0, 0, 0, 0)),
  selected: ""
})

const withoutText = (document: vscode.TextDocument) => ({
  uri: document.uri.toString(),
  path: vscode.workspace.asRelativePath(document.uri, false),
  version: document.version,
  languageId: document.languageId
})
