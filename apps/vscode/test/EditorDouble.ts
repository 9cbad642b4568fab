/**
 * An editor double with the complete interface, a record of all registrations, and a person who gives scripted answers.
 */
import { posix } from "node:path"
import { Deferred, Effect, Layer, Option, PubSub, type Scope, Stream } from "effect"
import type { SettingContribution, ViewState } from "../src/editor/Contribution.ts"
import { settings } from "../src/Contributions.ts"
import {
  type Span,
  Cancelled,
  type Choice,
  Editor,
  FileFailure,
  type Finding,
  type FolderEntry,
  type OpenText,
  type Pages,
  type StatusItem,
  type Step,
  type Tree
} from "../src/editor/Editor.ts"
import type { TreeNode } from "../src/editor/tree/TreeNode.ts"
import type { ShowPage, Webview, WebviewContent } from "../src/editor/page/Webview.ts"
import { Lines } from "../src/detection/Lines.ts"

/** As an answer, or at the end of one that is not confirmed: the person presses the Back button. */
export const back = "←"

const pickedOf = (choices: ReadonlyArray<Choice<unknown>>) =>
  choices.flatMap(({ label, picked }) => (picked === true ? [label] : [])).join("|")

const start = { line: 0, character: 0 }

const languages: Readonly<Record<string, string>> = { ts: "typescript", py: "python", sh: "shellscript" }

/** A file in the test folder, as opened in the editor. */
export const opened = (uri: string, text: string): OpenText => ({
  uri,
  path: uri.replace("file:///orchard/", ""),
  text,
  version: 1,
  languageId: languages[uri.split(".").at(-1) ?? ""] ?? "plaintext",
  selection: { start, end: start },
  selected: ""
})

const contributedSettings: Readonly<Record<string, SettingContribution>> = settings
const defaultOf = (name: string) => contributedSettings[name]?.schema["default"]

export interface ShownTree {
  state: ViewState | undefined
  message: string | undefined
  description: string | undefined
  badge: number | undefined
  refreshes: number
  readonly roots: Effect.Effect<ReadonlyArray<TreeNode>>
}

/** A page as a person sees it. */
export class ShownWebview {
  readonly shown: Array<WebviewContent> = []
  readonly #sent = Effect.runSync(PubSub.unbounded<unknown>())

  /** Sends a message, as if the person chose its element. */
  send(message: unknown): Effect.Effect<void> {
    return PubSub.publish(this.#sent, message)
  }

  get markup(): string {
    return this.shown.at(-1)?.body.markup ?? ""
  }

  readonly webview: Webview = {
    show: (content) => Effect.sync(() => void this.shown.push(content)),
    messages: Stream.fromPubSub(this.#sent),
    visible: Effect.succeed(true),
    visibility: Stream.never
  }
}

export class EditorDouble {
  /** Kind and name of everything that is currently registered. */
  readonly registered = new Set<string>()
  readonly commands = new Map<string, (...args: ReadonlyArray<unknown>) => Effect.Effect<void>>()
  readonly trees = new Map<string, ShownTree>()
  /** Functions that show pages, by view or kind of panel. */
  readonly webviews = new Map<string, ShowPage>()
  readonly context = new Map<string, unknown>()
  readonly settings = new Map<string, unknown>()
  /** Settings by the folder's URI and the name. */
  readonly folderSettings = new Map<string, unknown>()
  readonly secrets = new Map<string, string>()
  readonly memento = new Map<string, unknown>()
  readonly files = new Map<string, string>()
  /** URIs of symbolic links. */
  readonly links = new Set<string>()
  /** URIs of files that exist but are unreadable. */
  readonly unreadable = new Set<string>()
  readonly log: Array<string> = []
  readonly told: Array<string> = []
  /** Titles of all progress messages, including those that would be too short to appear. */
  readonly waitedFor: Array<string> = []
  status: StatusItem | undefined
  pages: Pages | undefined
  /** Paths of the pages that the editor was told to draw again, in order. */
  readonly redrawn: Array<string> = []
  /**
   * The person's answers to questions in order: labels or texts. Without a further answer, the person presses Escape.
   */
  readonly answers: Array<string> = []
  /** The buttons that the person presses on messages, in order. A message without the next button is closed. */
  readonly presses: Array<string> = []
  /** Whether the person presses the first button of the message with this text. */
  pressesFirst: (message: string) => boolean = () => false
  accounts: Parameters<Editor["Service"]["onAccounts"]>[0] | undefined
  /** Opens a URI of the extension. */
  link: (path: string) => Effect.Effect<void> = () => Effect.void
  /** Text questions that were answered, with their initial values. */
  readonly asked: Array<{
    readonly prompt: string
    readonly step: Step | undefined
    readonly value: string | undefined
  }> = []
  /** All questions that were answered, with their initial values or choices. */
  readonly answered: Array<{
    readonly kind: "choice" | "choices" | "text"
    readonly step: Step | undefined
    readonly before: string
    readonly answer: string
  }> = []
  /** Labels of the last question with several choices. */
  offered: ReadonlyArray<string> = []
  /** Placeholders of all choice questions. */
  readonly placeholders: Array<string> = []
  readonly tools = new Map<string, Parameters<Editor["Service"]["tool"]>[1]>()
  readonly opened: Array<string> = []
  clipboard = ""
  activeText: OpenText | undefined
  /** Whether folders have a path on this machine. */
  isOnDisk = false

  /** Diagnostics by URI: those of checks, and those of typing. */
  readonly leaks = new Map<string, ReadonlyArray<Finding>>()
  readonly typing = new Map<string, ReadonlyArray<Finding>>()
  hiddenSpans: ReadonlyMap<string, ReadonlyArray<Span>> = new Map()
  onFindings: Parameters<Editor["Service"]["onFindings"]>[0] | undefined

  readonly #settingsChanged = Effect.runSync(PubSub.unbounded<string>())
  readonly #typed = Effect.runSync(PubSub.unbounded<OpenText>())
  readonly #running = new Set<Deferred.Deferred<never, Cancelled>>()

  isFocused = true
  readonly #focus = Effect.runSync(PubSub.unbounded<boolean>())

  /** Gives the focus to the window, or removes it. */
  focus(isFocused: boolean): Effect.Effect<void> {
    this.isFocused = isFocused
    return PubSub.publish(this.#focus, isFocused)
  }

  /** Changes the text of an open file, as if the person typed. */
  edit(uri: string, text: string): Effect.Effect<void> {
    this.files.set(uri, text)
    return PubSub.publish(this.#typed, opened(uri, text))
  }

  /** Presses Cancel on all current progress. */
  readonly cancel = Effect.suspend(() =>
    Effect.forEach([...this.#running], (running) => Deferred.fail(running, new Cancelled({})), { discard: true })
  )

  #read(uri: string): Effect.Effect<string, FileFailure> {
    return Effect.suspend(() => {
      if (this.unreadable.has(uri)) {
        return Effect.fail(new FileFailure({ operation: "read", uri, reason: "permission denied" }))
      }
      const text = this.files.get(uri)
      return text === undefined
        ? Effect.fail(new FileFailure({ operation: "read", uri, reason: "there is no such file", isMissing: true }))
        : Effect.succeed(text)
    })
  }

  #list(start: string): ReadonlyArray<FolderEntry> {
    const paths = [...this.files.keys()].flatMap((uri) => (uri.startsWith(start) ? [uri.slice(start.length)] : []))
    const isFolder = new Map(paths.map((path) => [path.split("/", 1)[0] ?? "", path.includes("/")]))
    return Array.from(isFolder, ([name, hasMore]) => ({
      name,
      kind: this.links.has(start + name) ? "link" : hasMore ? "folder" : "file"
    }))
  }

  private register(what: string): Effect.Effect<void, never, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.sync(() => void this.registered.add(what)),
      () => Effect.sync(() => void this.registered.delete(what))
    )
  }

  /** `changed` receives what the person types or chooses, even before Back. */
  private next(changed?: (answer: string) => void): Effect.Effect<string, Cancelled> {
    return Effect.suspend(() => {
      const answer = this.answers.shift()
      if (answer === undefined) return Effect.fail(new Cancelled({}))
      const given = answer.endsWith(back) ? answer.slice(0, -back.length) : answer
      if (given === answer || given !== "") changed?.(given)
      return given === answer ? Effect.succeed(answer) : Effect.fail(new Cancelled({ isBack: true }))
    })
  }

  readonly layer = Layer.succeed(
    Editor,
    Editor.of({
      command: (name, run) =>
        Effect.andThen(
          this.register(`command ${name}`),
          Effect.sync(() => void this.commands.set(name, run))
        ),
      execute: (command, ...args) =>
        Effect.suspend(() => {
          this.told.push(`executed ${command}`)
          return this.commands.get(command.replace("threatExposure.", ""))?.(...args) ?? Effect.void
        }),
      runInTerminal: (title, program, args) =>
        Effect.sync(() => void this.told.push(`terminal ${title}: ${[program, ...args].join(" ")}`)),
      setContext: (key, value) => Effect.sync(() => void this.context.set(key, value)),
      tree: (view, roots) =>
        Effect.map(this.register(`view ${view}`), (): Tree => {
          const shown: ShownTree = {
            state: undefined,
            message: undefined,
            description: undefined,
            badge: undefined,
            refreshes: 0,
            roots
          }
          this.trees.set(view, shown)
          return {
            refresh: () => Effect.sync(() => void shown.refreshes++),
            setMessage: (message) => Effect.sync(() => void (shown.message = message)),
            setDescription: (description) => Effect.sync(() => void (shown.description = description)),
            setBadge: (badge) => Effect.sync(() => void (shown.badge = badge?.value)),
            setState: (state) => Effect.sync(() => void (shown.state = state)),
            visible: Effect.succeed(true),
            becameVisible: Stream.never,
            selection: Effect.succeed([]),
            beside: () => undefined,
            focus: () => Effect.void
          }
        }),
      status: (item) => Effect.sync(() => void (this.status = item)),
      pick: (choices, { placeholder = "", step }) =>
        Effect.flatMap(this.next(), (label) => {
          this.placeholders.push(placeholder)
          this.answered.push({ kind: "choice", step, before: pickedOf(choices), answer: label })
          const choice = choices.find((each) => each.label === label)
          return choice === undefined
            ? Effect.die(new Error(`“${label}” is not among ${choices.map((each) => each.label).join(", ")}`))
            : Effect.succeed(choice.value)
        }),
      pickMany: (choices, { chosen, step }) => {
        const valuesOf = (labels: string) =>
          choices.filter(({ label }) => labels.split("|").includes(label)).map(({ value }) => value)
        return Effect.map(
          this.next((labels) => chosen?.(valuesOf(labels))),
          (labels) => {
            this.offered = choices.map(({ label }) => label)
            this.answered.push({ kind: "choices", step, before: pickedOf(choices), answer: labels })
            return valuesOf(labels)
          }
        )
      },
      search: () => Effect.fail(new Cancelled({})),
      ask: ({ check, prompt = "", step, typed, value }) =>
        Effect.flatMap(this.next(typed), (text) => {
          this.asked.push({ prompt, step, value })
          this.answered.push({ kind: "text", step, before: value ?? "", answer: text })
          const fault = check?.(text)
          return fault === undefined ? Effect.succeed(text) : Effect.die(new Error(fault))
        }),
      notify: (level, message, ...actions) =>
        Effect.sync(() => {
          this.told.push(`${level}: ${message}`)
          if (this.pressesFirst(message)) return Option.fromUndefinedOr(actions[0])
          const pressed = actions.find((action) => action === this.presses[0])
          if (pressed !== undefined) this.presses.shift()
          return Option.fromUndefinedOr(pressed)
        }),
      confirm: (message, detail, action) =>
        Effect.flatMap(this.next(), (answer) => {
          this.told.push(`asked: ${message}`, detail)
          return answer === action ? Effect.void : Effect.fail(new Cancelled({}))
        }),
      progress: Effect.fnUntraced({ self: this }, function* (title, run) {
        this.waitedFor.push(title)
        const cancelled = yield* Deferred.make<never, Cancelled>()
        this.#running.add(cancelled)
        return yield* run(() => Effect.void).pipe(
          Effect.raceFirst(Deferred.await(cancelled)),
          Effect.ensuring(Effect.sync(() => this.#running.delete(cancelled)))
        )
      }),
      pages: (pages) =>
        Effect.map(this.register("pages"), () => {
          this.pages = pages
          return { changed: (path) => Effect.sync(() => void this.redrawn.push(path)) }
        }),
      webview: (name, run) =>
        Effect.andThen(
          this.register(`webview ${name}`),
          Effect.sync(() => void this.webviews.set(name, run))
        ),
      openWebview: (kind, { key }) => Effect.sync(() => void this.opened.push(`${kind} ${key}`)),
      openPage: (path) => Effect.sync(() => void this.opened.push(path)),
      activePage: Effect.sync(() => Option.fromUndefinedOr(this.opened.at(-1))),
      openText: (uri) => Effect.sync(() => void this.opened.push(uri)),
      openCommitted: (uri, commit, { start }) =>
        Effect.sync(() => void this.opened.push(`${uri}:${start.line + 1} at ${commit}`)),
      activeText: Effect.sync(() => Option.fromUndefinedOr(this.activeText)),
      textOf: (uri) => Effect.map(this.#read(uri), (text) => opened(uri, text)),
      typed: Stream.fromPubSub(this.#typed),
      closed: Stream.never,
      findings: (owner) =>
        Effect.as(this.register(`findings ${owner}`), {
          set: (uri, found) => Effect.sync(() => void this[owner].set(uri, found)),
          clear: Effect.sync(() => this[owner].clear())
        }),
      hideSpans: Effect.as(this.register("hidden spans"), (spans) =>
        Effect.sync(() => void (this.hiddenSpans = spans))
      ),
      onFindings: (handlers) =>
        Effect.andThen(
          this.register("hovers and fixes"),
          Effect.sync(() => {
            const before = this.onFindings
            this.onFindings = {
              hover: (uri, at) =>
                Effect.flatMap(handlers.hover(uri, at), (lines) =>
                  lines.length > 0 || before === undefined ? Effect.succeed(lines) : before.hover(uri, at)
                ),
              fixes: (...place) =>
                Effect.map(
                  Effect.all([before?.fixes(...place) ?? Effect.succeed([]), handlers.fixes(...place)]),
                  (all) => all.flat()
                )
            }
          })
        ),
      applyEdits: (edits) =>
        Effect.forEach(
          edits,
          ({ span, text, uri }) => {
            const lines = new Lines(this.files.get(uri) ?? "")
            const before = this.files.get(uri) ?? ""
            return this.edit(
              uri,
              span === undefined
                ? text
                : before.slice(0, lines.offset(span.start)) + text + before.slice(lines.offset(span.end))
            )
          },
          { discard: true }
        ),
      setting: (name, folder) =>
        Effect.sync(() => this.folderSettings.get(`${folder} ${name}`) ?? this.settings.get(name) ?? defaultOf(name)),
      setSetting: (name, value) =>
        Effect.andThen(
          Effect.sync(() => void this.settings.set(name, value)),
          PubSub.publish(this.#settingsChanged, name)
        ),
      settingDefault: (name) => Effect.sync(() => defaultOf(name)),
      settingsChanged: (names) =>
        Stream.fromPubSub(this.#settingsChanged).pipe(
          Stream.filter((name) => names.includes(name)),
          Stream.map(() => undefined)
        ),
      secret: (key) => Effect.sync(() => Option.fromUndefinedOr(this.secrets.get(key))),
      setSecret: (key, value) =>
        Effect.sync(() => {
          if (Option.isSome(value)) this.secrets.set(key, value.value)
          else this.secrets.delete(key)
        }),
      secretsChanged: Stream.never,
      recall: (scope, key) => Effect.sync(() => this.memento.get(`${scope} ${key}`)),
      remember: (scope, key, value) => Effect.sync(() => void this.memento.set(`${scope} ${key}`, value)),
      copy: (text) => Effect.sync(() => void (this.clipboard = text)),
      openInBrowser: (url) => Effect.sync(() => void this.opened.push(url)),
      whereToSave: () => this.next(),
      read: (uri) => this.#read(uri),
      readBelow: (folder, path) => {
        const uri = `${folder.replace(/\/$/u, "")}/${path}`
        return this.links.has(uri)
          ? Effect.fail(new FileFailure({ operation: "read", uri, reason: "a symbolic link" }))
          : Effect.map(this.#read(uri), (text) => new TextEncoder().encode(text))
      },
      write: (uri, content) =>
        Effect.sync(
          () => void this.files.set(uri, typeof content === "string" ? content : new TextDecoder().decode(content))
        ),
      folders: Effect.succeed([{ uri: "file:///orchard", name: "orchard" }]),
      join: (uri, path) => `file://${posix.join(uri.slice("file://".length), path)}`,
      fsPath: (uri) => (this.isOnDisk ? Option.some(uri.slice("file://".length)) : Option.none()),
      fileUri: (path) => `file://${path}`,
      list: (folder) => Effect.sync(() => this.#list(`${folder}/`)),
      focused: Effect.sync(() => this.isFocused),
      focusChanged: Stream.fromPubSub(this.#focus),
      onAccounts: (handlers) =>
        Effect.andThen(
          this.register("accounts"),
          Effect.sync(() => void (this.accounts = handlers))
        ),
      onUri: (run) =>
        Effect.andThen(
          this.register("uri handler"),
          Effect.sync(() => void (this.link = run))
        ),
      tool: (name, handlers) =>
        Effect.andThen(
          this.register(`tool ${name}`),
          Effect.sync(() => void this.tools.set(name, handlers))
        ),
      log: (level, line) => Effect.sync(() => void this.log.push(`${level}: ${line}`)),
      showLog: Effect.void
    })
  )
}
