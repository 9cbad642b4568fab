/**
 * The extension's interface to its editor, in plain values.
 *
 * host/ implements it over the `vscode` API, one file per area; tests use a complete test double.
 */
import { Context, Data, type Duration, Effect, type Option, type Scope, type Stream } from "effect"
import type { ViewState } from "./Contribution.ts"
import type { CommandLink } from "./tree/Row.ts"
import type { TreeNode } from "./tree/TreeNode.ts"
import type { ShowPage } from "./page/Webview.ts"

/** The person closed a question without an answer: the caller stops silently. */
export class Cancelled extends Data.TaggedError("Cancelled")<{
  /** Whether the person pressed Back: the form returns to the previous question. */
  readonly isBack?: boolean
}> {
  static readonly is = (failure: unknown): failure is Cancelled => failure instanceof Cancelled

  override get message() {
    return "Cancelled"
  }
}

export class FileFailure extends Data.TaggedError("FileFailure")<{
  readonly operation: "read" | "write" | "list"
  readonly uri: string
  readonly reason: string
  /** Whether the file does not exist. */
  readonly isMissing?: boolean
}> {
  override get message() {
    return `Could not ${this.operation} ${this.uri}: ${this.reason}`
  }
}

/** The text of a file; undefined if the file does not exist. Fails if it is unreadable. */
export const textIfAny = <A>(text: Effect.Effect<A, FileFailure>): Effect.Effect<A | undefined, FileFailure> =>
  Effect.catchIf(
    text,
    ({ isMissing }) => isMissing === true,
    () => Effect.succeed(undefined)
  )

/** Replaces a span of a file; creates the file if there is no span. */
export interface FileEdit {
  readonly uri: string
  readonly span?: Span
  readonly text: string
  /** Whether to save the file afterwards. A file that had unsaved edits before is not saved. */
  readonly isSaved?: boolean
}

export interface Tree {
  /** Draws the whole view again, or only the rows with these ids and everything below them. */
  readonly refresh: (...ids: ReadonlyArray<string>) => Effect.Effect<void>
  readonly setMessage: (message: string | undefined) => Effect.Effect<void>
  readonly setDescription: (description: string | undefined) => Effect.Effect<void>
  readonly setBadge: (badge: { readonly value: number; readonly tooltip: string } | undefined) => Effect.Effect<void>
  readonly setState: (state: ViewState) => Effect.Effect<void>
  readonly visible: Effect.Effect<boolean>
  readonly becameVisible: Stream.Stream<boolean>
  readonly selection: Effect.Effect<ReadonlyArray<TreeNode>>
  /** The row after these, which have the same parent, or else the one before them. */
  readonly beside: (nodes: ReadonlyArray<TreeNode>) => TreeNode | undefined
  /** Selects the row, and gives it the focus. */
  readonly focus: (node: TreeNode) => Effect.Effect<void>
}

export interface Choice<A> {
  readonly label: string
  readonly description?: string | undefined
  readonly detail?: string | undefined
  readonly icon?: string | undefined
  readonly picked?: boolean | undefined
  readonly separator?: boolean | undefined
  readonly value: A
}

/** Position of a question in a form; shown if the form has several questions. */
export interface Step {
  /** Counted from 1. From 2 on, the question has a Back button. */
  readonly number: number
  readonly total: number
}

export interface Question {
  readonly title: string
  readonly step?: Step | undefined
  readonly placeholder?: string | undefined
  readonly prompt?: string | undefined
}

export interface TextQuestion extends Question {
  readonly value?: string | undefined
  readonly password?: boolean | undefined
  /** Returns the fault of the text, or undefined if it is valid. */
  readonly check?: ((text: string) => string | undefined) | undefined
  /** Runs whenever the text changes, even if the person never confirms it. */
  readonly typed?: ((text: string) => void) | undefined
}

export interface Position {
  /** Line and character are counted from 0, in UTF-16 units, as in the editor. */
  readonly line: number
  readonly character: number
}

export interface Span {
  readonly start: Position
  readonly end: Position
}

export interface OpenText {
  readonly uri: string
  readonly path: string
  readonly text: string
  readonly version: number
  readonly languageId: string
  readonly selection: Span
  readonly selected: string
}

export interface Finding {
  readonly uri: string
  readonly span: Span
  readonly message: string
  readonly severity: "error" | "warning" | "information" | "hint"
  readonly code: string
}

export interface Fix {
  readonly title: string
  readonly command: CommandLink
  readonly preferred?: boolean | undefined
}

export interface Lens {
  readonly line: number
  readonly command: CommandLink
}

/** Contents of the pages with the extension's own URI scheme. */
export interface Pages {
  /** The text of a page by the path of its URI. */
  readonly text: (path: string) => Effect.Effect<string>
  readonly lenses: (path: string) => Effect.Effect<ReadonlyArray<Lens>>
  /** Ranges to mark as matches. */
  readonly marks: (path: string) => Effect.Effect<ReadonlyArray<Span>>
}

export interface StatusItem {
  readonly text: string
  readonly tooltip: string
  readonly command: string
  readonly accessibleLabel: string
}

export interface ToolAnswer {
  readonly text: string
}

export interface ToolUse {
  readonly title: string
  readonly message: string
}

/** Commands, context keys, tools for language models, and URIs of the extension. */
export interface CommandsOfEditor {
  /** Registers a command. `run` receives the arguments of a menu or a link. */
  readonly command: (
    name: string,
    run: (...args: ReadonlyArray<unknown>) => Effect.Effect<void>
  ) => Effect.Effect<void, never, Scope.Scope>
  readonly execute: (command: string, ...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>
  readonly setContext: (key: string, value: string | number | boolean) => Effect.Effect<void>
  /** Runs a program by its path and shows its terminal. The working directory is never an open folder. */
  readonly runInTerminal: (title: string, program: string, args: ReadonlyArray<string>) => Effect.Effect<void>
  readonly onUri: (run: (path: string) => Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
  readonly tool: (
    name: string,
    handlers: {
      readonly prepare: (input: unknown) => Effect.Effect<ToolUse>
      readonly answer: (input: unknown) => Effect.Effect<ToolAnswer>
    }
  ) => Effect.Effect<void, never, Scope.Scope>
}

/** The editor's own accounts, which are the profiles. */
export interface AccountsOfEditor {
  readonly onAccounts: (handlers: {
    /** Asks the person to sign in; returns the name of the profile, or none if they cancelled. */
    readonly signIn: Effect.Effect<Option.Option<string>>
    readonly signOut: (profile: string) => Effect.Effect<void>
  }) => Effect.Effect<void, never, Scope.Scope>
}

export interface TreesOfEditor {
  readonly tree: (
    view: string,
    roots: Effect.Effect<ReadonlyArray<TreeNode>>
  ) => Effect.Effect<Tree, never, Scope.Scope>
}

/** Questions fail with Cancelled if the person closes them. */
export interface QuestionsOfEditor {
  readonly pick: <A>(choices: ReadonlyArray<Choice<A>>, question: Question) => Effect.Effect<A, Cancelled>
  readonly pickMany: <A>(
    choices: ReadonlyArray<Choice<A>>,
    /** `chosen` runs whenever the selection changes, even if the person never confirms it. */
    question: Question & { readonly chosen?: (values: ReadonlyArray<A>) => void }
  ) => Effect.Effect<ReadonlyArray<A>, Cancelled>
  /** Calls `find` while the person types, once typing pauses for `pause` milliseconds; outdated results are dropped. */
  readonly search: <A>(
    question: Question & { readonly pause: number; readonly atLeast: number },
    find: (text: string) => Effect.Effect<ReadonlyArray<Choice<A>>>
  ) => Effect.Effect<A, Cancelled>
  readonly ask: (question: TextQuestion) => Effect.Effect<string, Cancelled>
  /** Asks in a modal dialog; fails with Cancelled unless `action` is chosen. */
  readonly confirm: (message: string, detail: string, action: string) => Effect.Effect<void, Cancelled>
  /** Asks for a file to save to, and returns its URI. */
  readonly whereToSave: (name: string, kind: string, extension: string) => Effect.Effect<string, Cancelled>
}

/** Messages, progress, the status bar and the log. */
export interface MessagesOfEditor {
  /** Returns the chosen action, or none if the message is closed. */
  readonly notify: <A extends string>(
    level: "info" | "warning" | "error",
    message: string,
    ...actions: ReadonlyArray<A>
  ) => Effect.Effect<Option.Option<A>>
  /**
   * Shows progress if the effect takes longer than `after` (default: 400 milliseconds). Cancelling the progress
   * interrupts the effect.
   */
  readonly progress: <A, E, R>(
    title: string,
    run: (report: (message: string, percent?: number) => Effect.Effect<void>) => Effect.Effect<A, E, R>,
    after?: Duration.Input
  ) => Effect.Effect<A, E | Cancelled, R>
  readonly status: (item: StatusItem) => Effect.Effect<void>
  readonly log: (level: "trace" | "debug" | "info" | "warn" | "error", line: string) => Effect.Effect<void>
  readonly showLog: Effect.Effect<void>
}

/** Read-only pages with the extension's own URI scheme. */
export interface PagesOfEditor {
  readonly pages: (
    pages: Pages
  ) => Effect.Effect<{ readonly changed: (path: string) => Effect.Effect<void> }, never, Scope.Scope>
  readonly openPage: (path: string) => Effect.Effect<void>
  /** Path of the page in the active editor; none if another document is active. */
  readonly activePage: Effect.Effect<Option.Option<string>>
}

/** Webviews, in views of the sidebar and in panels. */
export interface WebviewsOfEditor {
  /** `name` is the name of a view or a kind of panels. Panels are restored when the window reloads. */
  readonly webview: (name: string, run: ShowPage) => Effect.Effect<void, never, Scope.Scope>
  /** Opens a panel, or shows the open one with the same kind and key. */
  readonly openWebview: (
    kind: string,
    panel: { readonly key: string; readonly title: string; readonly state: unknown }
  ) => Effect.Effect<void>
}

/** Open files: their text, and edits of it. */
export interface DocumentsOfEditor {
  readonly openText: (uri: string, span?: Span) => Effect.Effect<void, FileFailure>
  /** Opens the version of a file in a commit; fails if the editor has no git. */
  readonly openCommitted: (uri: string, commit: string, span: Span) => Effect.Effect<void, FileFailure>
  readonly activeText: Effect.Effect<Option.Option<OpenText>>
  readonly textOf: (uri: string) => Effect.Effect<OpenText, FileFailure>
  /** Emits files on disk when they are opened or changed. The text is read on access, so it is current. */
  readonly typed: Stream.Stream<OpenText>
  readonly closed: Stream.Stream<string>
  /** Applies all edits or none, as one undo step. Keeps the unsaved edits of these files. */
  readonly applyEdits: (edits: ReadonlyArray<FileEdit>) => Effect.Effect<void, FileFailure>
}

/** Plain text; a link if it has a command. */
export interface HoverLine {
  readonly text: string
  readonly command?: CommandLink
}

/** Diagnostics in files, with their hovers and quick fixes. */
export interface FindingsOfEditor {
  readonly findings: (owner: "leaks" | "typing") => Effect.Effect<
    {
      readonly set: (uri: string, findings: ReadonlyArray<Finding>) => Effect.Effect<void>
      readonly clear: Effect.Effect<void>
    },
    never,
    Scope.Scope
  >
  /** Hides spans of text files, except on lines with a cursor. Each call replaces the spans of all files. */
  readonly hideSpans: Effect.Effect<
    (spans: ReadonlyMap<string, ReadonlyArray<Span>>) => Effect.Effect<void>,
    never,
    Scope.Scope
  >
  /** Provides the hover text and the code actions at a position. */
  readonly onFindings: (handlers: {
    readonly hover: (uri: string, at: Position) => Effect.Effect<ReadonlyArray<HoverLine>>
    readonly fixes: (uri: string, span: Span, languageId: string) => Effect.Effect<ReadonlyArray<Fix>>
  }) => Effect.Effect<void, never, Scope.Scope>
}

/** Settings, secrets, and stored data. */
export interface StorageOfEditor {
  /** Value of a setting, for a folder if its URI is given. */
  readonly setting: (name: string, folder?: string) => Effect.Effect<unknown>
  readonly setSetting: (name: string, value: unknown) => Effect.Effect<void>
  /** Default value in package.json. */
  readonly settingDefault: (name: string) => Effect.Effect<unknown>
  readonly settingsChanged: (names: ReadonlyArray<string>) => Stream.Stream<void>

  readonly secret: (key: string) => Effect.Effect<Option.Option<string>>
  readonly setSecret: (key: string, value: Option.Option<string>) => Effect.Effect<void>
  /** Emits when a secret is stored or deleted; on some hosts also if another window does so. */
  readonly secretsChanged: Stream.Stream<void>
  /** Reads stored data, which survives restarts, for all windows or for this folder. */
  readonly recall: (scope: "everywhere" | "here", key: string) => Effect.Effect<unknown>
  readonly remember: (scope: "everywhere" | "here", key: string, value: unknown) => Effect.Effect<void>
}

export interface FolderEntry {
  readonly name: string
  /** A symbolic link is a `link`, whatever its target. */
  readonly kind: "file" | "folder" | "link" | "other"
}

/** Files and folders on disk, the clipboard, the browser, and the focus of the window. */
export interface FilesOfEditor {
  readonly read: (uri: string) => Effect.Effect<string, FileFailure>
  /** Reads a file below a folder. Fails if the path contains a symbolic link, which could lead out of the folder. */
  readonly readBelow: (folder: string, path: string) => Effect.Effect<Uint8Array, FileFailure>
  readonly write: (uri: string, content: string | Uint8Array) => Effect.Effect<void, FileFailure>
  /** The folders that are open, as URIs. */
  readonly folders: Effect.Effect<ReadonlyArray<{ readonly uri: string; readonly name: string }>>
  readonly join: (uri: string, path: string) => string
  /** Path on disk of a URI; none if the file is not on disk. */
  readonly fsPath: (uri: string) => Option.Option<string>
  readonly fileUri: (path: string) => string
  /** The direct entries of a folder. */
  readonly list: (folder: string) => Effect.Effect<ReadonlyArray<FolderEntry>, FileFailure>
  readonly copy: (text: string) => Effect.Effect<void>
  readonly openInBrowser: (url: string) => Effect.Effect<void>
  readonly focused: Effect.Effect<boolean>
  readonly focusChanged: Stream.Stream<boolean>
}

export interface EditorService
  extends
    CommandsOfEditor,
    AccountsOfEditor,
    TreesOfEditor,
    QuestionsOfEditor,
    MessagesOfEditor,
    PagesOfEditor,
    WebviewsOfEditor,
    DocumentsOfEditor,
    FindingsOfEditor,
    StorageOfEditor,
    FilesOfEditor {}

export class Editor extends Context.Service<Editor, EditorService>()("threat-exposure/editor/Editor") {}
