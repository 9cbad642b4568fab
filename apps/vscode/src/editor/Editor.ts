/**
 * The interface of the extension to its editor, in plain values.
 *
 * host/ implements it over the `vscode` API, a file for each area; tests have a double that implements all of it.
 */
import { Context, Data, type Duration, Effect, type Option, type Scope, type Stream } from "effect"
import type { ViewState } from "./Contribution.ts"
import type { CommandLink } from "./tree/Row.ts"
import type { TreeNode } from "./tree/TreeNode.ts"
import type { ShowPage } from "./page/Webview.ts"

/** The person closed a question without an answer: the caller stops, and nothing is reported. */
export class Cancelled extends Data.TaggedError("Cancelled")<{
  /** Back was pressed: the form returns to the previous question. */
  readonly isBack?: boolean
}> {
  static readonly is = (failure: unknown): failure is Cancelled => failure instanceof Cancelled

  override get message() {
    return "Cancelled"
  }
}

/** A file or folder could not be read or written. */
export class FileFailure extends Data.TaggedError("FileFailure")<{
  readonly operation: "read" | "write" | "list"
  readonly uri: string
  readonly reason: string
  /** There is no such file. */
  readonly isMissing?: boolean
}> {
  override get message() {
    return `Could not ${this.operation} ${this.uri}: ${this.reason}`
  }
}

/** The text of a file; undefined if it does not exist. A file that cannot be read fails. */
export const textIfAny = <A>(text: Effect.Effect<A, FileFailure>): Effect.Effect<A | undefined, FileFailure> =>
  Effect.catchIf(
    text,
    ({ isMissing }) => isMissing === true,
    () => Effect.succeed(undefined)
  )

/** Replaces a span of a file, or creates the file where no span is given. */
export interface FileEdit {
  readonly uri: string
  readonly span?: Span
  readonly text: string
  /** Saved afterwards, unless it had unsaved edits before. */
  readonly isSaved?: boolean
}

export interface Tree {
  /** Draws the view again, or only the rows with these ids and what is under them. */
  readonly refresh: (...ids: ReadonlyArray<string>) => Effect.Effect<void>
  readonly setMessage: (message: string | undefined) => Effect.Effect<void>
  readonly setDescription: (description: string | undefined) => Effect.Effect<void>
  readonly setBadge: (badge: { readonly value: number; readonly tooltip: string } | undefined) => Effect.Effect<void>
  readonly setState: (state: ViewState) => Effect.Effect<void>
  readonly visible: Effect.Effect<boolean>
  readonly becameVisible: Stream.Stream<boolean>
  readonly selection: Effect.Effect<ReadonlyArray<TreeNode>>
  readonly reveal: (node: TreeNode) => Effect.Effect<void>
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

/** The place of a question in a form; it is shown where the form has several questions. */
export interface Step {
  /** From 1. From 2 on, the question has a Back button. */
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
  /** The fault of the text, or undefined. */
  readonly check?: ((text: string) => string | undefined) | undefined
  /** Hears the text each time it changes, also of an answer that is never given. */
  readonly typed?: ((text: string) => void) | undefined
}

export interface Position {
  /** From 0, in UTF-16 units, as the editor counts. */
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

/** The pages of the extension's own scheme. */
export interface Pages {
  /** The text of a page, by the path of its address. */
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

/** Commands, context keys, tools for language models, and links to the extension. */
export interface CommandsOfEditor {
  /** The arguments that a menu or a link passes. */
  readonly command: (
    name: string,
    run: (...args: ReadonlyArray<unknown>) => Effect.Effect<void>
  ) => Effect.Effect<void, never, Scope.Scope>
  readonly execute: (command: string, ...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>
  readonly setContext: (key: string, value: string | number | boolean) => Effect.Effect<void>
  /** Runs a program, by its path, in a terminal of the editor, which is shown; not in an open folder. */
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
    /** `chosen` is called with the choice each time it changes, even if no answer is given. */
    question: Question & { readonly chosen?: (values: ReadonlyArray<A>) => void }
  ) => Effect.Effect<ReadonlyArray<A>, Cancelled>
  /** Calls `find` while the person types, after a pause of `pause` milliseconds; outdated results are dropped. */
  readonly search: <A>(
    question: Question & { readonly pause: number; readonly atLeast: number },
    find: (text: string) => Effect.Effect<ReadonlyArray<Choice<A>>>
  ) => Effect.Effect<A, Cancelled>
  readonly ask: (question: TextQuestion) => Effect.Effect<string, Cancelled>
  /** Asks in a modal dialog; fails with Cancelled unless `action` is chosen. */
  readonly confirm: (message: string, detail: string, action: string) => Effect.Effect<void, Cancelled>
  /** Where to save, as a URI. */
  readonly whereToSave: (name: string, kind: string, extension: string) => Effect.Effect<string, Cancelled>
}

/** Messages, progress, the status bar and the log. */
export interface MessagesOfEditor {
  /** The chosen action, or none if the message was closed. */
  readonly notify: <A extends string>(
    level: "info" | "warning" | "error",
    message: string,
    ...actions: ReadonlyArray<A>
  ) => Effect.Effect<Option.Option<A>>
  /** Once it takes longer than `after`, 400 milliseconds unless given, shows progress that can be cancelled, which interrupts the effect. */
  readonly progress: <A, E, R>(
    title: string,
    run: (report: (message: string, percent?: number) => Effect.Effect<void>) => Effect.Effect<A, E, R>,
    after?: Duration.Input
  ) => Effect.Effect<A, E | Cancelled, R>
  readonly status: (item: StatusItem) => Effect.Effect<void>
  readonly log: (level: "trace" | "debug" | "info" | "warn" | "error", line: string) => Effect.Effect<void>
  readonly showLog: Effect.Effect<void>
}

/** The read-only pages of the extension's own scheme. */
export interface PagesOfEditor {
  readonly pages: (
    pages: Pages
  ) => Effect.Effect<{ readonly changed: (path: string) => Effect.Effect<void> }, never, Scope.Scope>
  readonly openPage: (path: string) => Effect.Effect<void>
  /** The path of the page in the active editor. */
  readonly activePage: Effect.Effect<Option.Option<string>>
}

/** Webviews, in views of the sidebar and in panels. */
export interface WebviewsOfEditor {
  /** `name` is a view's, or a kind of panels. A panel that was open before a reload of the window is shown again. */
  readonly webview: (name: string, run: ShowPage) => Effect.Effect<void, never, Scope.Scope>
  /** Opens a panel, or shows the one of the same kind and key that is open already. */
  readonly openWebview: (
    kind: string,
    panel: { readonly key: string; readonly title: string; readonly state: unknown }
  ) => Effect.Effect<void>
}

/** Open files: their text, and edits of it. */
export interface DocumentsOfEditor {
  readonly openText: (uri: string, span?: Span) => Effect.Effect<void, FileFailure>
  /** Opens a file as a commit has it; fails where the editor has no git. */
  readonly openCommitted: (uri: string, commit: string, span: Span) => Effect.Effect<void, FileFailure>
  readonly activeText: Effect.Effect<Option.Option<OpenText>>
  readonly textOf: (uri: string) => Effect.Effect<OpenText, FileFailure>
  /** Open files on disk, when they are opened and when they change; the text is that of the time it is read. */
  readonly typed: Stream.Stream<OpenText>
  readonly closed: Stream.Stream<string>
  /** Atomic, in one step that one undo reverts. Unsaved edits stay. */
  readonly applyEdits: (edits: ReadonlyArray<FileEdit>) => Effect.Effect<void, FileFailure>
}

/** Plain text, which leads somewhere where it has a command. */
export interface HoverLine {
  readonly text: string
  readonly command?: CommandLink
}

/** Marks in files, with their hovers and quick fixes. */
export interface FindingsOfEditor {
  readonly findings: (owner: "leaks" | "typing") => Effect.Effect<
    {
      readonly set: (uri: string, findings: ReadonlyArray<Finding>) => Effect.Effect<void>
      readonly clear: Effect.Effect<void>
    },
    never,
    Scope.Scope
  >
  /** Hides spans of text files, except on the lines of a cursor. Each call replaces the spans of all files. */
  readonly hideSpans: Effect.Effect<
    (spans: ReadonlyMap<string, ReadonlyArray<Span>>) => Effect.Effect<void>,
    never,
    Scope.Scope
  >
  /** The hover text and the code actions at a position. */
  readonly onFindings: (handlers: {
    readonly hover: (uri: string, at: Position) => Effect.Effect<ReadonlyArray<HoverLine>>
    readonly fixes: (uri: string, span: Span, languageId: string) => Effect.Effect<ReadonlyArray<Fix>>
  }) => Effect.Effect<void, never, Scope.Scope>
}

/** Settings, secrets, and what is kept over restarts. */
export interface StorageOfEditor {
  /** As a folder has it, where its URI is given. */
  readonly setting: (name: string, folder?: string) => Effect.Effect<unknown>
  readonly setSetting: (name: string, value: unknown) => Effect.Effect<void>
  /** As package.json declares it. */
  readonly settingDefault: (name: string) => Effect.Effect<unknown>
  readonly settingsChanged: (names: ReadonlyArray<string>) => Stream.Stream<void>

  readonly secret: (key: string) => Effect.Effect<Option.Option<string>>
  readonly setSecret: (key: string, value: Option.Option<string>) => Effect.Effect<void>
  /** Each time a secret was stored or deleted; on some hosts also by another window. */
  readonly secretsChanged: Stream.Stream<void>
  /** Stored across restarts, for all windows or for this folder. */
  readonly recall: (scope: "everywhere" | "here", key: string) => Effect.Effect<unknown>
  readonly remember: (scope: "everywhere" | "here", key: string, value: unknown) => Effect.Effect<void>
}

export interface FolderEntry {
  readonly name: string
  /** A symbolic link is one whatever it leads to. */
  readonly kind: "file" | "folder" | "link" | "other"
}

/** Files and folders on disk, the clipboard, the browser, and the focus of the window. */
export interface FilesOfEditor {
  readonly read: (uri: string) => Effect.Effect<string, FileFailure>
  /** A file below a folder; fails if the path has a symbolic link, which may lead anywhere. */
  readonly readBelow: (folder: string, path: string) => Effect.Effect<Uint8Array, FileFailure>
  readonly write: (uri: string, content: string | Uint8Array) => Effect.Effect<void, FileFailure>
  /** The folders that are open, as URIs. */
  readonly folders: Effect.Effect<ReadonlyArray<{ readonly uri: string; readonly name: string }>>
  readonly join: (uri: string, path: string) => string
  /** The path on disk of a URI, where it has one. */
  readonly fsPath: (uri: string) => Option.Option<string>
  /** The URI of a path on disk. */
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
