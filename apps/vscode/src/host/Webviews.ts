/**
 * Implements webviews: the HTML document around each page, its security policy, and the messages between page and
 * extension.
 */
import { Effect, Stream } from "effect"
import * as vscode from "vscode"
import type { WebviewsOfEditor } from "../editor/Editor.ts"
import { html } from "../editor/page/Html.ts"
import type { Webview, WebviewContent } from "../editor/page/Webview.ts"
import { onOneLine } from "../words/HiddenCharacters.ts"
import { currentLanguage } from "../words/Localisation.ts"
import { type HostScope, listen } from "./HostScope.ts"
import type { WebviewFrame } from "./Registrations.ts"

export const webviews = ({ context, registrations, start }: HostScope): WebviewsOfEditor => {
  const media = vscode.Uri.joinPath(context.extensionUri, "media")
  const read = async (name: string) =>
    new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(media, name)))
  let reading: Promise<PageFiles> | undefined
  const pageFiles = Effect.promise(() => {
    reading ??= Promise.all([read("page.js"), read("page.css")]).then(
      ([script, style]) => ({ script, style }),
      (cause) => {
        // Try again for the next page.
        reading = undefined
        throw cause
      }
    )
    return reading
  })
  /** Open panels with their kind and key. */
  const panels = new Map<vscode.WebviewPanel, string>()
  const nameOf = (kind: string, key: string) => `${kind} ${key}`

  const note = (kind: string, frame: WebviewFrame, key: string | undefined) => {
    if (!("reveal" in frame) || key === undefined) return
    if (!panels.has(frame)) frame.onDidDispose(() => panels.delete(frame))
    panels.set(frame, nameOf(kind, key))
  }

  const webviewIn = (kind: string, frame: WebviewFrame): Webview => {
    const { webview } = frame
    /** Content of the document, which the editor loads again each time the webview becomes visible. */
    let inDocument: WebviewContent | undefined
    let latest: WebviewContent | undefined
    /** The editor reports a view as visible that is still collapsed; its page runs only once it is really visible. */
    let isRunning = false
    webview.options = { enableScripts: true, localResourceRoots: [] }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is the editor's, which takes none
    const post = ({ body, state }: WebviewContent) => void webview.postMessage({ body: body.markup, state })
    webview.onDidReceiveMessage((message) => {
      if (message !== ready) return
      isRunning = true
      if (latest !== undefined && latest !== inDocument) post(latest)
    })
    const ran = Stream.filter(
      listen(webview.onDidReceiveMessage, (message: unknown) => message === ready),
      (isReady) => isReady
    )
    if (!("reveal" in frame)) frame.onDidChangeVisibility(() => (isRunning &&= frame.visible))
    return {
      show: Effect.fnUntraced(function* (content) {
        const files = yield* pageFiles
        latest = content
        if (content.title !== undefined) frame.title = onOneLine(content.title)
        note(kind, frame, content.key)
        if (inDocument !== undefined && frame.visible) return post(content)
        inDocument = content
        webview.html = documentOf(content, files)
      }),
      messages: listen(webview.onDidReceiveMessage, (message: unknown) => message),
      visible: Effect.sync(() => frame.visible && isRunning),
      visibility:
        "reveal" in frame
          ? listen(frame.onDidChangeViewState, ({ webviewPanel }) => webviewPanel.visible)
          : Stream.merge(
              Stream.filter(
                listen(frame.onDidChangeVisibility, () => frame.visible),
                (isVisible) => !isVisible
              ),
              ran
            )
    }
  }

  return {
    webview: (name, run) =>
      Effect.sync(() =>
        registrations.webviews.give(name, (frame, state) => {
          const closed = Effect.callback<void>((resume) => {
            const listening = frame.onDidDispose(() => resume(Effect.void))
            return Effect.sync(() => listening.dispose())
          })
          start(Effect.raceFirst(run(webviewIn(name, frame), state), closed))
        })
      ),
    openWebview: (kind, { key, state, title }) =>
      Effect.promise(async () => {
        const [open] = [...panels].flatMap(([panel, name]) => (name === nameOf(kind, key) ? [panel] : []))
        if (open !== undefined) return open.reveal()
        const panel = vscode.window.createWebviewPanel(
          `threatExposure.${kind}`,
          onOneLine(title),
          vscode.ViewColumn.Active
        )
        panel.iconPath = vscode.Uri.joinPath(media, "threat-exposure.svg")
        note(kind, panel, key)
        ;(await registrations.webviews.of(kind))(panel, state)
      })
  }
}

/** Message that the page's script sends when it is ready to receive messages. */
const ready = "ready"

interface PageFiles {
  readonly script: string
  readonly style: string
}

/**
 * Script and style are inline, because the editor shows a document only after it has loaded. The security policy allows
 * only elements with the nonce.
 */
const documentOf = ({ body, state, title }: WebviewContent, { script, style }: PageFiles): string => {
  const nonce = globalThis.crypto.randomUUID()
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'"
  ].join("; ")
  const head = html`<!doctype html>
    <html lang="${currentLanguage()}">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title ?? "Threat Exposure"}</title>
     `
  const content = html`</head>
    <body data-state="${JSON.stringify(state) ?? "null"}">
      <main id="page">${body}</main>
     `
  return `${head.markup}
<style nonce="${nonce}">
${style}</style>
${content.markup}
<script nonce="${nonce}">
${script}</script>
</body>
</html>`
}
