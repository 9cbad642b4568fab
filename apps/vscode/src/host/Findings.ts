/** Implements diagnostics in files, with their hovers and quick fixes. */
import { Effect } from "effect"
import * as vscode from "vscode"
import type { Finding, FindingsOfEditor, HoverLine, Span } from "../editor/Editor.ts"
import { onOneLine } from "../words/HiddenCharacters.ts"
import { link, markdownOf, range } from "./Conversions.ts"
import { type HostScope, scoped } from "./HostScope.ts"

export const findings = ({ run }: HostScope): FindingsOfEditor => ({
  findings: Effect.fnUntraced(function* (owner) {
    const collection = yield* scoped(() => vscode.languages.createDiagnosticCollection(`threatExposure.${owner}`))
    return {
      set: (uri, findings) => Effect.sync(() => collection.set(vscode.Uri.parse(uri), findings.map(diagnostic))),
      clear: Effect.sync(() => collection.clear())
    }
  }),
  hideSpans: Effect.gen(function* () {
    const hidden = yield* scoped(() =>
      vscode.window.createTextEditorDecorationType({
        // Injects CSS, because decorations have no property to hide text.
        textDecoration: "none; display: none",
        before: { contentText: "••••••••", color: new vscode.ThemeColor("descriptionForeground") },
        rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed
      })
    )
    let spans: ReadonlyMap<string, ReadonlyArray<Span>> = new Map()
    const draw = (editor: vscode.TextEditor) => {
      const hasCursor = ({ end, start }: Span) =>
        editor.selections.some((selection) => selection.start.line <= end.line && selection.end.line >= start.line)
      const shown = spans.get(editor.document.uri.toString()) ?? []
      editor.setDecorations(hidden, shown.filter((span) => !hasCursor(span)).map(range))
    }
    const drawAll = () => vscode.window.visibleTextEditors.forEach(draw)
    yield* scoped(() => vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => draw(textEditor)))
    yield* scoped(() => vscode.window.onDidChangeVisibleTextEditors(drawAll))
    return (next) =>
      Effect.sync(() => {
        spans = next
        drawAll()
      })
  }),
  onFindings: Effect.fnUntraced(function* ({ hover, fixes }) {
    yield* scoped(() =>
      vscode.languages.registerHoverProvider(
        { scheme: "*" },
        {
          provideHover: (document, at) =>
            run(
              Effect.map(hover(document.uri.toString(), at), (lines) =>
                lines.length === 0 ? undefined : new vscode.Hover(markdown(lines))
              )
            )
        }
      )
    )
    yield* scoped(() =>
      vscode.languages.registerCodeActionsProvider(
        { scheme: "*" },
        {
          provideCodeActions: (document, at, { diagnostics }) =>
            run(
              Effect.map(fixes(document.uri.toString(), at, document.languageId), (found) =>
                found.map((fix) => {
                  const action = new vscode.CodeAction(fix.title, vscode.CodeActionKind.QuickFix)
                  action.command = link(fix.command)
                  action.isPreferred = fix.preferred ?? false
                  action.diagnostics = diagnostics.filter(({ source }) => source === "Threat Exposure")
                  return action
                })
              )
            )
        },
        { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] }
      )
    )
  })
})

/** Data from a leak is untrusted and is escaped. The only links are the commands below. */
const markdown = (lines: ReadonlyArray<HoverLine>): vscode.MarkdownString => {
  const made = new vscode.MarkdownString()
  made.isTrusted = {
    enabledCommands: lines.flatMap(({ command }) => (command === undefined ? [] : [link(command).command]))
  }
  for (const [index, { text, command }] of lines.entries()) {
    if (index > 0) made.appendMarkdown("\n\n")
    made.appendMarkdown(markdownOf(onOneLine(text)))
    if (command === undefined) continue
    const { command: name, title, arguments: args } = link(command)
    // Also encode parentheses, which would end the address of a Markdown link.
    const address = `command:${name}?${encodeURIComponent(JSON.stringify(args)).replaceAll(/[()]/gu, (at) => (at === "(" ? "%28" : "%29"))}`
    made.appendMarkdown(` [${title}](${address})`)
  }
  return made
}

const severities = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint
}

const diagnostic = ({ span, message, severity, code }: Finding) => {
  const found = new vscode.Diagnostic(range(span), onOneLine(message), severities[severity])
  found.source = "Threat Exposure"
  found.code = code
  return found
}
