/** The editor, over the `vscode` API: the only file that calls it. */
import { Deferred, Effect, FiberSet, Layer, Option, Queue, Scope, Stream } from "effect"
import * as vscode from "vscode"
import {
  Cancelled,
  type Choice,
  Editor,
  FileFailure,
  type Finding,
  type OpenText,
  type Question,
  type Span
} from "../editor/Editor.ts"
import { speak } from "../words/Localisation.ts"
import type { CommandLink, Icon } from "../editor/Row.ts"
import type { TreeNode } from "../editor/TreeNode.ts"

/** The scheme of the extension's own pages. */
const scheme = "threat-exposure"

export const layer = (context: vscode.ExtensionContext): Layer.Layer<Editor> =>
  Layer.effect(
    Editor,
    Effect.gen(function* () {
      speak((message, ...args) => vscode.l10n.t(message, ...args), vscode.env.language)
      // What the editor calls runs in here, and ends with the extension.
      const run = yield* FiberSet.makeRuntimePromise()
      const start = <A>(effect: Effect.Effect<A>): void => {
        run(effect).catch(() => {})
      }
      const scoped = <A extends vscode.Disposable>(make: () => A): Effect.Effect<A, never, Scope.Scope> =>
        Effect.acquireRelease(Effect.sync(make), (disposable) =>
          Effect.sync(() => {
            disposable.dispose()
          })
        )
      const listen = <E, A>(event: vscode.Event<E>, read: (value: E) => A): Stream.Stream<A> =>
        Stream.callback<A>((queue) => scoped(() => event((value) => Queue.offerUnsafe(queue, read(value)))))
      const log = yield* scoped(() => vscode.window.createOutputChannel("Threat Exposure", { log: true }))

      const link = ({ name, title, args }: CommandLink): vscode.Command => ({
        command: `threatExposure.${name}`,
        title,
        arguments: [...(args ?? [])]
      })
      const collections = new Map<string, vscode.DiagnosticCollection>()

      const tree: Editor["Service"]["tree"] = Effect.fnUntraced(function* (name, roots) {
        const id = `threatExposure.${name}`
        const changed = yield* scoped(() => new vscode.EventEmitter<Array<TreeNode> | undefined>())
        // The element last handed out under an id: the editor knows rows by identity.
        const shown = new Map<string, TreeNode>()
        const provider: vscode.TreeDataProvider<TreeNode> = {
          onDidChangeTreeData: changed.event,
          getTreeItem: (node) => treeItem(node, link),
          resolveTreeItem: (item, { row }) => {
            item.tooltip = row.tooltip?.() ?? row.label
            return item
          },
          getParent: (node) => node.parent,
          getChildren: (node) =>
            run(
              (node === undefined ? roots : (node.children ?? Effect.succeed([]))).pipe(
                Effect.map((children) => {
                  if (node === undefined) shown.clear()
                  const rows = new Map<string, TreeNode>()
                  // The editor shows none of them where two have one id.
                  for (const child of children) if (!rows.has(child.row.id)) rows.set(child.row.id, child)
                  for (const [id, child] of rows) {
                    child.parent = node
                    shown.set(id, child)
                  }
                  return [...rows.values()]
                })
              )
            )
        }
        const view = yield* scoped(() =>
          vscode.window.createTreeView(id, { treeDataProvider: provider, canSelectMany: true, showCollapseAll: true })
        )
        return {
          // In one call: the editor draws a second one, as it does what follows a message, a fifth of a second later.
          refresh: (...ids) =>
            Effect.sync(() => changed.fire(ids.length === 0 ? undefined : ids.flatMap((id) => shown.get(id) ?? []))),
          setMessage: (message = "") =>
            Effect.sync(() => {
              if (view.message !== message) view.message = message
            }),
          setDescription: (description = "") =>
            Effect.sync(() => {
              if (view.description !== description) view.description = description
            }),
          setBadge: (badge) =>
            Effect.sync(() => {
              view.badge = badge
            }),
          setState: (state) => Effect.sync(() => tell(`${id}.state`, state)),
          visible: Effect.sync(() => view.visible),
          becameVisible: listen(view.onDidChangeVisibility, (event) => event.visible),
          selection: Effect.sync(() => view.selection),
          row: (row) => shown.get(row),
          reveal: (node) =>
            Effect.promise(async () => view.reveal(node, { select: true, focus: false })).pipe(Effect.ignoreCause)
        }
      })

      const pickFrom = <A>(
        choices: ReadonlyArray<Choice<A>>,
        question: Question,
        many: boolean
      ): Effect.Effect<ReadonlyArray<A>, Cancelled> =>
        Effect.callback<ReadonlyArray<A>, Cancelled>((resume) => {
          const box = vscode.window.createQuickPick<ChoiceItem<A>>()
          introduce(box, question)
          box.canSelectMany = many
          box.matchOnDescription = true
          box.matchOnDetail = true
          box.items = choices.map(choiceItem)
          const picked = box.items.filter((item) => item.picked === true)
          if (many) box.selectedItems = picked
          // Without any, the editor's own choice stands: the first, for whoever presses Enter.
          else if (picked.length > 0) box.activeItems = picked
          box.onDidAccept(() => {
            if (!many && box.selectedItems.length === 0) return
            resume(Effect.succeed(box.selectedItems.flatMap((item) => item.values)))
            box.hide()
          })
          box.onDidHide(() => {
            resume(new Cancelled())
            box.dispose()
          })
          box.show()
          return Effect.sync(() => box.dispose())
        })

      const { commands, views, languageModelTools } = context.extension.packageJSON.contributes
      return Editor.of({
        contributed: {
          commands: commands.map(({ command }: { readonly command: string }) => nameIn(command)),
          views: views.threatExposure.map(({ id }: { readonly id: string }) => nameIn(id)),
          tools: languageModelTools.map(({ name }: { readonly name: string }) => nameIn(name))
        },
        command: (name, handle) =>
          Effect.asVoid(
            scoped(() =>
              vscode.commands.registerCommand(`threatExposure.${name}`, (...args: ReadonlyArray<unknown>) =>
                run(handle(...args))
              )
            )
          ),
        execute: (command, ...args) =>
          Effect.tryPromise(async (): Promise<unknown> => vscode.commands.executeCommand(command, ...args)).pipe(
            Effect.orElseSucceed(() => undefined)
          ),
        setContext: (key, value) => Effect.sync(() => tell(`threatExposure.${key}`, value)),
        tree,
        status: Effect.map(
          scoped(() => vscode.window.createStatusBarItem("threatExposure.profile", vscode.StatusBarAlignment.Left, 0)),
          (item) => (value) =>
            Effect.sync(() => {
              item.name = "Threat Exposure"
              item.text = value.text
              item.tooltip = value.tooltip
              item.command = `threatExposure.${value.command}`
              item.accessibilityInformation = { label: value.accessibleLabel }
              item.show()
            })
        ),

        // Undefined may be a choice too.
        pick: (choices, question) =>
          pickFrom(
            choices.map((choice) => ({ ...choice, value: [choice.value] as const })),
            question,
            false
          ).pipe(
            Effect.flatMap(([first]) => (first === undefined ? Effect.fail(new Cancelled()) : Effect.succeed(first[0])))
          ),
        pickMany: (choices, question) => pickFrom(choices, question, true),
        search: <A>(
          question: Question & { readonly pause: number; readonly atLeast: number },
          find: (text: string) => Effect.Effect<ReadonlyArray<Choice<A>>>
        ) =>
          Effect.callback<A, Cancelled>((resume) => {
            const box = vscode.window.createQuickPick<ChoiceItem<A>>()
            introduce(box, question)
            let latest = new AbortController()
            box.onDidChangeValue((value) => {
              latest.abort()
              const mine = new AbortController()
              latest = mine
              box.items = []
              const text = value.trim()
              box.busy = text.length >= question.atLeast
              if (!box.busy) return
              const answer = Effect.delay(find(text), question.pause).pipe(
                Effect.map((choices) => {
                  if (mine.signal.aborted) return
                  box.items = choices.map((choice) => ({ ...choiceItem(choice), alwaysShow: true }))
                  box.busy = false
                })
              )
              run(answer, { signal: mine.signal }).catch(() => {})
            })
            box.onDidAccept(() => {
              const [value] = box.selectedItems.flatMap((item) => item.values)
              if (value === undefined) return
              resume(Effect.succeed(value))
              box.hide()
            })
            box.onDidHide(() => {
              latest.abort()
              resume(new Cancelled())
              box.dispose()
            })
            box.show()
            return Effect.sync(() => box.dispose())
          }),
        ask: ({ title, placeholder, prompt, value, password, check, typed }) =>
          Effect.callback<string, Cancelled>((resume) => {
            const box = vscode.window.createInputBox()
            box.title = title
            box.placeholder = placeholder
            box.prompt = prompt
            box.value = value ?? ""
            box.password = password ?? false
            box.ignoreFocusOut = true
            const fault = () => check?.(box.value)
            box.onDidChangeValue(() => {
              box.validationMessage = undefined
              typed?.(box.value)
            })
            box.onDidAccept(() => {
              box.validationMessage = fault()
              if (box.validationMessage !== undefined) return
              resume(Effect.succeed(box.value))
              box.hide()
            })
            box.onDidHide(() => {
              resume(new Cancelled())
              box.dispose()
            })
            box.show()
            return Effect.sync(() => box.dispose())
          }),
        notify: <A extends string>(
          level: "info" | "warning" | "error",
          message: string,
          ...actions: ReadonlyArray<A>
        ) =>
          Effect.promise(async () => {
            const text = withoutLinks(message)
            if (level === "info") return vscode.window.showInformationMessage(text, ...actions)
            if (level === "warning") return vscode.window.showWarningMessage(text, ...actions)
            return vscode.window.showErrorMessage(text, ...actions)
          }).pipe(Effect.map(Option.fromUndefinedOr)),
        confirm: (message, detail, action) =>
          Effect.flatMap(
            Effect.promise(async () => vscode.window.showWarningMessage(message, { modal: true, detail }, action)),
            (answer) => (answer === action ? Effect.void : Effect.fail(new Cancelled()))
          ),
        progress: Effect.fnUntraced(function* (title, effect) {
          const cancelled = yield* Deferred.make<never, Cancelled>()
          const done = Promise.withResolvers<void>()
          let shown: vscode.Progress<{ readonly message: string; readonly increment: number }> | undefined
          let reached = 0
          vscode.window.withProgress(
            { location: vscode.ProgressLocation.Notification, title: withoutLinks(title), cancellable: true },
            (progress, cancel) => {
              shown = progress
              cancel.onCancellationRequested(() => start(Deferred.fail(cancelled, new Cancelled())))
              return done.promise
            }
          )
          const report = (message: string, percent = reached) =>
            Effect.sync(() => {
              const increment = Math.max(0, percent - reached)
              reached += increment
              shown?.report({ message: withoutLinks(message), increment })
            })
          return yield* effect(report).pipe(
            Effect.raceFirst(Deferred.await(cancelled)),
            Effect.ensuring(Effect.sync(() => done.resolve()))
          )
        }),

        pages: Effect.fnUntraced(function* (pages) {
          const changed = yield* scoped(() => new vscode.EventEmitter<vscode.Uri>())
          yield* scoped(() =>
            vscode.workspace.registerTextDocumentContentProvider(scheme, {
              onDidChange: changed.event,
              provideTextDocumentContent: (uri) => run(pages.text(uri.path))
            })
          )
          yield* scoped(() =>
            vscode.languages.registerCodeLensProvider(
              { scheme },
              {
                onDidChangeCodeLenses: (listener) => changed.event(() => listener()),
                provideCodeLenses: (document) =>
                  run(
                    Effect.map(pages.lenses(document.uri.path), (lenses) =>
                      lenses.map(
                        ({ line, command }) => new vscode.CodeLens(new vscode.Range(line, 0, line, 0), link(command))
                      )
                    )
                  )
              }
            )
          )
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
                Effect.map(pages.marks(editor.document.uri.path), (spans) =>
                  editor.setDecorations(mark, spans.map(range))
                )
              )
            }
          }
          yield* scoped(() => vscode.window.onDidChangeVisibleTextEditors(draw))
          yield* scoped(() =>
            vscode.workspace.onDidChangeTextDocument(({ document }) =>
              draw(vscode.window.visibleTextEditors.filter((editor) => editor.document === document))
            )
          )
          return { changed: (path) => Effect.sync(() => changed.fire(vscode.Uri.from({ scheme, path }))) }
        }),
        openPage: (path) =>
          Effect.promise(async () => {
            const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme, path }))
            await vscode.window.showTextDocument(document, { preview: true })
          }),
        activePage: Effect.sync(() => {
          const uri = vscode.window.activeTextEditor?.document.uri
          return uri?.scheme === scheme ? Option.some(uri.path) : Option.none()
        }),
        openText: (uri, span) =>
          Effect.tryPromise({
            try: async () => {
              const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri))
              await vscode.window.showTextDocument(document, span === undefined ? {} : { selection: range(span) })
            },
            catch: (cause) => new FileFailure({ operation: "read", uri, reason: reason(cause) })
          }),
        activeText: Effect.sync(() => {
          const editor = vscode.window.activeTextEditor
          return editor === undefined || editor.document.uri.scheme === scheme
            ? Option.none()
            : Option.some(openText(editor.document, editor.selection))
        }),
        textOf: (uri) =>
          Effect.tryPromise({
            try: async () => openText(await vscode.workspace.openTextDocument(vscode.Uri.parse(uri))),
            catch: (cause) => new FileFailure({ operation: "read", uri, reason: reason(cause) })
          }),
        typed: Stream.merge(
          Stream.suspend(() => Stream.fromIterable(vscode.workspace.textDocuments.filter(onDisk).map(typedText))),
          Stream.merge(
            listen(vscode.workspace.onDidOpenTextDocument, (document) => document),
            listen(vscode.workspace.onDidChangeTextDocument, (event) => event.document)
          ).pipe(Stream.filter(onDisk), Stream.map(typedText))
        ),
        closed: listen(vscode.workspace.onDidCloseTextDocument, (document) => document.uri.toString()),

        findings: Effect.fnUntraced(function* (owner) {
          const collection = yield* scoped(() => vscode.languages.createDiagnosticCollection(`threatExposure.${owner}`))
          collections.set(owner, collection)
          return {
            set: (uri, findings) => Effect.sync(() => collection.set(vscode.Uri.parse(uri), findings.map(diagnostic))),
            clear: Effect.sync(() => collection.clear())
          }
        }),
        onFindings: Effect.fnUntraced(function* ({ hover, fixes }) {
          yield* scoped(() =>
            vscode.languages.registerHoverProvider(
              { scheme: "*" },
              {
                provideHover: (document, at) =>
                  run(
                    Effect.map(
                      hover(document.uri.toString(), at),
                      Option.match({
                        onNone: () => undefined,
                        // What comes from a leak is hostile: text, never Markdown.
                        onSome: (text) => new vscode.Hover(new vscode.MarkdownString().appendText(text))
                      })
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
                    Effect.map(fixes(document.uri.toString(), at), (found) =>
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
        }),
        replace: (uri, span, text) =>
          Effect.promise(async () => {
            const edit = new vscode.WorkspaceEdit()
            edit.replace(vscode.Uri.parse(uri), range(span), text)
            await vscode.workspace.applyEdit(edit)
          }),

        setting: (name, folder) =>
          Effect.sync((): unknown =>
            vscode.workspace
              .getConfiguration("threatExposure", folder === undefined ? undefined : vscode.Uri.parse(folder))
              .get(name)
          ),
        setSetting: (name, value) =>
          Effect.promise(async () => {
            const settings = vscode.workspace.getConfiguration("threatExposure")
            // Where the workspace has its own, another one for the user would change nothing.
            const { Global, Workspace } = vscode.ConfigurationTarget
            await settings.update(
              name,
              value,
              settings.inspect(name)?.workspaceValue === undefined ? Global : Workspace
            )
          }),
        settingDefault: (name) =>
          Effect.sync((): unknown => vscode.workspace.getConfiguration("threatExposure").inspect(name)?.defaultValue),
        settingsChanged: (names) =>
          listen(vscode.workspace.onDidChangeConfiguration, (event) =>
            names.some((name) => event.affectsConfiguration(`threatExposure.${name}`))
          ).pipe(
            Stream.filter((isOurs) => isOurs),
            Stream.map(() => undefined)
          ),

        secret: (key) =>
          Effect.map(
            Effect.promise(async () => context.secrets.get(key)),
            Option.fromUndefinedOr
          ),
        setSecret: (key, value) =>
          Effect.promise(async () =>
            Option.isSome(value) ? context.secrets.store(key, value.value) : context.secrets.delete(key)
          ),
        secretsChanged: listen(context.secrets.onDidChange, () => undefined),
        recall: (where, key) => Effect.sync((): unknown => memento(where).get(key)),
        remember: (where, key, value) => Effect.promise(async () => memento(where).update(key, value)),

        copy: (text) => Effect.promise(async () => vscode.env.clipboard.writeText(text)),
        openInBrowser: (url) =>
          Effect.asVoid(Effect.promise(async () => vscode.env.openExternal(vscode.Uri.parse(url)))),
        whereToSave: (name, kind, extension) =>
          Effect.promise(async () => {
            const folder = vscode.workspace.workspaceFolders?.[0]?.uri
            return vscode.window.showSaveDialog({
              filters: { [kind]: [extension] },
              ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) })
            })
          }).pipe(
            Effect.flatMap((uri) => (uri === undefined ? Effect.fail(new Cancelled()) : Effect.succeed(uri.toString())))
          ),
        read: (uri) =>
          Effect.tryPromise({
            try: async () => new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.parse(uri))),
            catch: (cause) => new FileFailure({ operation: "read", uri, reason: reason(cause) })
          }),
        write: (uri, text) =>
          Effect.tryPromise({
            try: async () => vscode.workspace.fs.writeFile(vscode.Uri.parse(uri), new TextEncoder().encode(text)),
            catch: (cause) => new FileFailure({ operation: "write", uri, reason: reason(cause) })
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
        files: (folder, limit) =>
          Effect.tryPromise({
            try: async () => {
              const found = await vscode.workspace.findFiles(
                new vscode.RelativePattern(vscode.Uri.parse(folder), "**/*"),
                undefined,
                limit
              )
              return found.map((uri) => uri.toString())
            },
            catch: (cause) => new FileFailure({ operation: "list", uri: folder, reason: reason(cause) })
          }),

        loadParts: Effect.acquireRelease(
          Effect.sync(() => {
            const parts = new Map<string, unknown>()
            // The bundle's own call, written by scripts/bundle.ts. The host loads the first part in the same way.
            Reflect.set(globalThis, "threatExposure", {
              load: async (name: string, asker: string, exports: unknown): Promise<unknown> => {
                parts.set(asker, exports)
                const file = vscode.Uri.joinPath(context.extensionUri, "dist", name)
                const code = new TextDecoder().decode(await vscode.workspace.fs.readFile(file))
                const module = { exports: {} }
                parts.set(`./${name}`, module.exports)
                // oxlint-disable-next-line no-new-func -- there is no other way to load code of our own there
                new Function("module", "exports", "require", code)(module, module.exports, (part: string) =>
                  parts.get(part)
                )
                return module.exports
              }
            })
          }),
          () => Effect.sync(() => Reflect.deleteProperty(globalThis, "threatExposure"))
        ),

        focused: Effect.sync(() => vscode.window.state.focused),
        focusChanged: listen(vscode.window.onDidChangeWindowState, ({ focused }) => focused),
        onUri: (handle) =>
          Effect.asVoid(scoped(() => vscode.window.registerUriHandler({ handleUri: (uri) => run(handle(uri.path)) }))),
        tool: (name, { prepare, answer }) =>
          Effect.asVoid(
            scoped(() =>
              vscode.lm.registerTool<object>(`threatExposure_${name}`, {
                prepareInvocation: ({ input }) =>
                  run(
                    Effect.map(prepare(input), ({ title, message }) => ({
                      invocationMessage: title,
                      // It quotes what a model asks for: text, never Markdown.
                      confirmationMessages: { title, message: new vscode.MarkdownString().appendText(message) }
                    }))
                  ),
                invoke: ({ input }, cancel) => {
                  const controller = new AbortController()
                  cancel.onCancellationRequested(() => controller.abort())
                  return run(
                    Effect.map(
                      answer(input),
                      ({ text }) => new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)])
                    ),
                    { signal: controller.signal }
                  )
                }
              })
            )
          ),
        log: (level, line) => Effect.sync(() => log[level](line)),
        showLog: Effect.sync(() => log.show(true))
      })

      function memento(where: "everywhere" | "here") {
        return where === "everywhere" ? context.globalState : context.workspaceState
      }
    })
  )

/** Of a contribution, without the prefix that all of them share. */
const nameIn = (id: string) => id.slice("threatExposure.".length)

/** Not waited for: the order is kept, and nothing here depends on when the workbench has heard. */
const tell = (key: string, value: string | number | boolean) => {
  void vscode.commands.executeCommand("setContext", key, value)
}

/** The editor makes links of Markdown in a message, commands among them, and names in it come from a service. */
const withoutLinks = (message: string) => message.replaceAll("](", "] (")

type ChoiceItem<A> = vscode.QuickPickItem & { readonly values: ReadonlyArray<A> }

const choiceItem = <A>({ label, description, detail, icon, picked, separator, value }: Choice<A>): ChoiceItem<A> => ({
  label,
  values: separator === true ? [] : [value],
  kind: separator === true ? vscode.QuickPickItemKind.Separator : vscode.QuickPickItemKind.Default,
  ...(description === undefined ? {} : { description }),
  ...(detail === undefined ? {} : { detail }),
  ...(icon === undefined ? {} : { iconPath: new vscode.ThemeIcon(icon) }),
  ...(picked === undefined ? {} : { picked })
})

const introduce = <A>(box: vscode.QuickPick<ChoiceItem<A>>, { title, placeholder, prompt }: Question) => {
  box.title = title
  box.placeholder = placeholder ?? prompt
  box.ignoreFocusOut = true
}

const range = ({ start, end }: Span) => new vscode.Range(start.line, start.character, end.line, end.character)

const severities = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint
}

const diagnostic = ({ span, message, severity, code }: Finding) => {
  const found = new vscode.Diagnostic(range(span), message, severities[severity])
  found.source = "Threat Exposure"
  found.code = code
  return found
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

/** Its text is put together when somebody asks for it: that is not at every key in every file. */
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

const span = ({ start, end }: vscode.Range): Span => ({
  start: { line: start.line, character: start.character },
  end: { line: end.line, character: end.character }
})

const collapsible = {
  leaf: vscode.TreeItemCollapsibleState.None,
  closed: vscode.TreeItemCollapsibleState.Collapsed,
  open: vscode.TreeItemCollapsibleState.Expanded
}

const themeIcon = ({ id, color }: Icon) =>
  new vscode.ThemeIcon(id, color === undefined ? undefined : new vscode.ThemeColor(color))

const treeItem = ({ row }: TreeNode, link: (command: CommandLink) => vscode.Command): vscode.TreeItem => {
  const item = new vscode.TreeItem(
    { label: row.label, highlights: (row.highlights ?? []).map(([start, end]) => [start, end]) },
    collapsible[row.state]
  )
  item.id = row.id
  if (row.description !== undefined) item.description = row.description
  if (row.icon !== undefined) item.iconPath = themeIcon(row.icon)
  // Each kind between slashes, so that a menu can ask for one word of several.
  if (row.kinds !== undefined) item.contextValue = `/${row.kinds.join("/")}/`
  if (row.command !== undefined) item.command = link(row.command)
  if (row.accessibleLabel !== undefined) item.accessibilityInformation = { label: row.accessibleLabel }
  return item
}

/** Without the address, which whoever says it names. */
const reason = (cause: unknown) =>
  (cause instanceof Error ? cause.message : String(cause)).replace(/^cannot open \S+\. Detail: /u, "")
