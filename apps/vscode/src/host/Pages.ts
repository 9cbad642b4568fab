/** Implements read-only pages with the extension's own URI scheme. */
import { Effect, Option } from "effect"
import * as vscode from "vscode"
import type { PagesOfEditor } from "../editor/Editor.ts"
import { link, range } from "./Conversions.ts"
import { type HostScope, scoped } from "./HostScope.ts"
import { scheme } from "./Registrations.ts"

export const pages = ({ registrations, run, start }: HostScope): PagesOfEditor => ({
  pages: Effect.fnUntraced(function* (pages) {
    registrations.pages.give("pages", {
      provideTextDocumentContent: (uri) => run(pages.text(uri.path)),
      provideCodeLenses: ({ uri }) =>
        run(
          Effect.map(pages.lenses(uri.path), (lenses) =>
            lenses.map(({ line, command }) => new vscode.CodeLens(new vscode.Range(line, 0, line, 0), link(command)))
          )
        )
    })
    const mark = yield* scoped(() =>
      vscode.window.createTextEditorDecorationType({
        backgroundColor: new vscode.ThemeColor("editor.findMatchHighlightBackground"),
        overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.findMatchForeground")
      })
    )
    const draw = (editors: ReadonlyArray<vscode.TextEditor>) => {
      for (const editor of editors) {
        if (editor.document.uri.scheme !== scheme) continue
        start(
          Effect.map(pages.marks(editor.document.uri.path), (spans) => editor.setDecorations(mark, spans.map(range)))
        )
      }
    }
    yield* scoped(() => vscode.window.onDidChangeVisibleTextEditors(draw))
    yield* scoped(() =>
      vscode.workspace.onDidChangeTextDocument(({ document }) =>
        draw(vscode.window.visibleTextEditors.filter((editor) => editor.document === document))
      )
    )
    return { changed: (path) => Effect.sync(() => registrations.pageChanged.fire(vscode.Uri.from({ scheme, path }))) }
  }),
  openPage: (path) =>
    Effect.promise(async () => {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme, path }))
      await vscode.window.showTextDocument(document, { preview: true })
    }),
  activePage: Effect.sync(() => {
    const uri = vscode.window.activeTextEditor?.document.uri
    return uri?.scheme === scheme ? Option.some(uri.path) : Option.none()
  })
})
