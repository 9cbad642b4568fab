/** Implements the tree of each view: the registered view requests its rows here. */
import { Effect, Schedule, Stream } from "effect"
import * as vscode from "vscode"
import type { TreesOfEditor } from "../editor/Editor.ts"
import type { Icon, Row } from "../editor/tree/Row.ts"
import { ShownRows, type TreeNode } from "../editor/tree/TreeNode.ts"
import { onItsLines, onOneLine } from "../words/HiddenCharacters.ts"
import { type HostScope, listen, scoped } from "./HostScope.ts"
import { scheme, setContext } from "./Registrations.ts"

/** The editor changes the colour of a label only if its resource URI has a decoration. */
const dimmed = vscode.Uri.from({ scheme, path: "/dimmed" })

const dim: vscode.FileDecorationProvider = {
  provideFileDecoration: (uri) =>
    uri.toString() === dimmed.toString() ? { color: new vscode.ThemeColor("disabledForeground") } : undefined
}

export const trees = ({ context, registrations, run, start }: HostScope): TreesOfEditor => ({
  tree: Effect.fnUntraced(function* (name, roots) {
    if (name === "events") yield* scoped(() => vscode.window.registerFileDecorationProvider(dim))
    const { changed, rows, view } = yield* Effect.fromNullishOr(registrations.trees.get(name)).pipe(Effect.orDie)
    const shown = new ShownRows()
    const expanded = expandedRows(context.workspaceState, name)
    yield* scoped(() =>
      vscode.Disposable.from(
        view.onDidExpandElement(({ element }) => expanded.note(element.row, true)),
        view.onDidCollapseElement(({ element }) => expanded.note(element.row, false))
      )
    )
    const click = `_threatExposure.${name}.click`
    const selected = Effect.suspend(() => Effect.fromNullishOr(view.selection[0])).pipe(
      Effect.retry(Schedule.spaced("20 millis"))
    )
    const redraw = Effect.sync(() => changed.fire(undefined))
    const selectionChanged = Stream.runHead(listen(view.onDidChangeSelection, () => undefined))
    yield* scoped(() =>
      vscode.commands.registerCommand(click, () => {
        const [node] = view.selection
        if (node !== undefined) return runCommand(node)
        start(
          selected.pipe(
            Effect.timeout("1 second"),
            // The editor shows the row but no longer knows which one it is; drawing the rows again restores the
            // selection.
            Effect.catch(() => Effect.andThen(redraw, selected)),
            Effect.map(runCommand),
            Effect.raceFirst(selectionChanged),
            Effect.timeout("10 seconds"),
            Effect.ignore
          )
        )
      })
    )
    rows.give(name, {
      getTreeItem: (node) => treeItem(node, click, expanded.isOpen(node.row)),
      resolveTreeItem: (item, { row }) => {
        item.tooltip = onItsLines(row.tooltip?.() ?? row.label)
        return item
      },
      getParent: (node) => node.parent,
      getChildren: (node) =>
        run(
          (node === undefined ? roots : (node.children ?? Effect.succeed([]))).pipe(
            Effect.map((children) => [...shown.replace(node, children)])
          )
        )
    })
    return {
      // A single call, because the editor delays a second one by a fifth of a second, as it does an update after a
      // message.
      refresh: (...ids) =>
        Effect.sync(() => changed.fire(ids.length === 0 ? undefined : ids.flatMap((id) => shown.get(id) ?? []))),
      setMessage: (message = "") =>
        Effect.sync(() => {
          const shown = onOneLine(message)
          if (view.message !== shown) view.message = shown
        }),
      setDescription: (description = "") =>
        Effect.sync(() => {
          const shown = onOneLine(description)
          if (view.description !== shown) view.description = shown
        }),
      setBadge: (badge) =>
        Effect.sync(() => {
          view.badge = badge
        }),
      setState: (state) => Effect.sync(() => setContext(`${name}.state`, state)),
      visible: Effect.sync(() => view.visible),
      becameVisible: listen(view.onDidChangeVisibility, (event) => event.visible),
      selection: Effect.sync(() => view.selection),
      beside: (nodes) => shown.beside(nodes),
      focus: (node) =>
        Effect.promise(async () => view.reveal(node, { select: true, focus: true })).pipe(Effect.ignoreCause)
    }
  })
})

/**
 * Runs the command of a clicked row with its arguments, or with the row itself.
 *
 * The editor's command has no arguments, because the editor forgets those of a row that is still clickable; the
 * selection identifies the row instead. While a row is being drawn again, it is not selected; if it disappears, the
 * selection changes.
 */
const runCommand = (node: TreeNode): void => {
  const { command } = node.row
  if (command === undefined) return
  void vscode.commands.executeCommand(`threatExposure.${command.name}`, ...(command.args ?? [node]))
}

const collapsible = {
  leaf: vscode.TreeItemCollapsibleState.None,
  closed: vscode.TreeItemCollapsibleState.Collapsed,
  open: vscode.TreeItemCollapsibleState.Expanded
}

const themeIcon = ({ id, color }: Icon) =>
  new vscode.ThemeIcon(id, color === undefined ? undefined : new vscode.ThemeColor(color))

/** Maximum number of stored rows per view. */
const maxExpanded = 500

/** Stores which rows a person has expanded or collapsed across reloads of the window, because the editor does not. */
const expandedRows = (storage: vscode.Memento, view: string) => {
  const key = `expanded.${view}`
  const kept: unknown = storage.get(key)
  const byId = new Map<string, boolean>(
    (Array.isArray(kept) ? kept : []).flatMap((entry: unknown): ReadonlyArray<[string, boolean]> =>
      Array.isArray(entry) && typeof entry[0] === "string" && typeof entry[1] === "boolean"
        ? [[entry[0], entry[1]]]
        : []
    )
  )
  return {
    isOpen: (row: Row) => row.state !== "leaf" && (byId.get(row.id) ?? row.state === "open"),
    note: (row: Row, isOpen: boolean) => {
      byId.delete(row.id)
      if (isOpen !== (row.state === "open")) byId.set(row.id, isOpen)
      void storage.update(key, [...byId].slice(-maxExpanded))
    }
  }
}

const treeItem = ({ row }: TreeNode, click: string, isOpen: boolean): vscode.TreeItem => {
  const item = new vscode.TreeItem(
    { label: onOneLine(row.label), highlights: (row.highlights ?? []).map(([start, end]) => [start, end]) },
    collapsible[row.state === "leaf" ? "leaf" : isOpen ? "open" : "closed"]
  )
  item.id = row.id
  if (row.description !== undefined) item.description = onOneLine(row.description)
  if (row.icon !== undefined) item.iconPath = themeIcon(row.icon)
  // Kinds between slashes, so that a menu can match a single one.
  if (row.kinds !== undefined) item.contextValue = `/${row.kinds.join("/")}/`
  if (row.command !== undefined) item.command = { command: click, title: row.command.title }
  if (row.isDimmed === true) item.resourceUri = dimmed
  if (row.accessibleLabel !== undefined) {
    item.accessibilityInformation = { label: onOneLine(row.accessibleLabel) }
  }
  return item
}
