/** The Leak Check view, and the commands that run checks. */
import { Effect, Layer, Option, Predicate, Schema, Stream } from "effect"
import { Commands } from "../editor/Commands.ts"
import { Editor, type Tree } from "../editor/Editor.ts"
import { count, t } from "../words/Localisation.ts"
import { NotPossible } from "../editor/Problem.ts"
import { recall } from "../editor/Memento.ts"
import { fileName, isInside, pathBelow } from "../editor/Uri.ts"
import type { Scope } from "./check/CheckScope.ts"
import { LeakChecks } from "./check/LeakChecks.ts"
import { type LeakFinding, nameOfLeak, outsideOfFolders } from "./LeakFinding.ts"
import { type Closing, type Grouping, groupings, leakNodes, restNodes, verdictText } from "./LeakTree.ts"

/** Maximum number of simultaneous messages: more would hide each other. */
const maxOffers = 3

const groupingNames: Readonly<Record<Grouping, string>> = { file: "File", secret: "Secret", severity: "Severity" }

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const checks = yield* LeakChecks
    let grouping: Grouping = yield* recall("here", "leaks.grouping", Schema.Literals(groupings), "file")

    const closingOf = (fingerprint: string): Closing =>
      checks.isClosing(fingerprint)
        ? "closing"
        : checks.replaced().some(({ finding }) => finding.leak.fingerprint === fingerprint)
          ? "replaced"
          : "present"
    /** Leaks of the previous check that the last one no longer found. */
    const gone = (): ReadonlyArray<LeakFinding> => {
      const found = new Set(checks.last()?.rows.map(({ leak }) => leak.fingerprint))
      return checks.replaced().flatMap(({ finding }) => (found.has(finding.leak.fingerprint) ? [] : [finding]))
    }
    const rows = () => [...(checks.last()?.rows ?? []), ...gone()]
    /** The state that rows depend on. Not the positions: rows only show whether a value is still in the code. */
    const drawing = () => ({
      last: checks.last(),
      closing: rows()
        .map(({ leak }) => closingOf(leak.fingerprint))
        .join()
    })

    const roots = Effect.gen(function* () {
      const last = checks.last()
      yield* editor.setContext("leaks.checked", last !== undefined)
      yield* tree.setState(last === undefined ? "empty" : "ready")
      yield* tree.setDescription(last?.title)
      yield* tree.setMessage(last === undefined ? undefined : verdictText(last.report))
      if (last === undefined) return []
      return [...leakNodes(rows(), grouping, closingOf), ...restNodes(last)]
    })
    const tree: Tree = yield* editor.tree(
      "leaks",
      Effect.suspend(() => roots)
    )
    let drawn = drawing()
    yield* checks.changes.pipe(
      Stream.runForEach(() => {
        const before = drawn
        drawn = drawing()
        return before.last === drawn.last && before.closing === drawn.closing ? Effect.void : tree.refresh()
      }),
      Effect.forkScoped({ startImmediately: true })
    )

    const check = Effect.fnUntraced(function* (scope: Scope) {
      const before = checks.last()
      // A check that fails halfway may have findings.
      const focus = Effect.suspend(() =>
        checks.last() === before ? Effect.void : editor.execute("threatExposure.leaks.focus")
      )
      const { report } = yield* Effect.ensuring(checks.check(scope), focus)
      yield* offerClosing
      if (report.verdict === "leaked") return
      yield* Effect.forkDetach(editor.notify(report.verdict === "clean" ? "info" : "warning", verdictText(report)))
    })

    /** Offers to close leaks of the previous check that the last one no longer found. */
    const offerClosing = Effect.suspend(() => {
      const close = (finding: LeakFinding) => editor.execute("threatExposure.leaks.close", finding.leak.fingerprint)
      const offer = <E>(message: string, then: Effect.Effect<void, E>) =>
        editor.notify("info", message, t("Close Leak…")).pipe(
          Effect.flatMap((answer) => (Option.isNone(answer) ? Effect.void : then)),
          Effect.ignore,
          Effect.forkDetach
        )
      const absent = gone()
      const offers = absent
        .slice(0, maxOffers)
        .map((finding) => offer(t("{0} is no longer in the code.", nameOfLeak(finding)), close(finding)))
      const others = absent.slice(maxOffers).map((finding) => ({ label: nameOfLeak(finding), value: finding }))
      if (others.length > 0) {
        const message = count(
          others.length,
          "{0} other leak is no longer in the code.",
          "{0} other leaks are no longer in the code."
        )
        offers.push(offer(message, Effect.flatMap(editor.pick(others, { title: t("Close Leak") }), close)))
      }
      return Effect.all(offers, { discard: true })
    })

    const activeText = Effect.flatMap(
      editor.activeText,
      Option.match({
        onNone: () =>
          Effect.fail(
            new NotPossible({
              message: t("Open a text file first. Extensions cannot read files over 50 MB.")
            })
          ),
        onSome: Effect.succeed
      })
    )

    yield* commands.on("checkSelection", () => Effect.flatMap(activeText, (open) => check({ _tag: "Selection", open })))
    yield* commands.on(
      "checkFile",
      Effect.fnUntraced(function* ({ args: [uri] }) {
        // The explorer passes the chosen file, a quick fix its URI.
        const open = isUri(uri) || Predicate.isString(uri) ? yield* editor.textOf(uri.toString()) : yield* activeText
        yield* check({ _tag: "File", open })
      })
    )
    const inFolder = Effect.fnUntraced(function* (_tag: "Changes" | "Workspace", repository?: string) {
      const folders = repository === undefined ? yield* editor.folders : yield* foldersOf(repository)
      const [only] = folders
      if (only === undefined) return yield* new NotPossible({ message: t("Open a folder first.") })
      const folder =
        folders.length === 1
          ? only
          : yield* editor.pick(
              folders.map((each) => ({ label: each.name, value: each })),
              { title: t("Which folder?") }
            )
      yield* check({ _tag, folder })
    })
    /** The open folders in a repository; the repository itself if it is nested in an open folder. */
    const foldersOf = Effect.fnUntraced(function* (repository: string) {
      const inside = (yield* editor.folders).filter(({ uri }) => isInside(uri, repository))
      if (inside.length > 0 || (yield* checks.folderOf(repository)) === undefined) return inside
      return [{ uri: repository, name: fileName(repository) }]
    })
    // The title menu of Source Control passes the repository.
    yield* commands.on("checkChanges", ({ args: [given] }) =>
      inFolder(
        "Changes",
        Predicate.hasProperty(given, "rootUri") && isUri(given.rootUri) ? given.rootUri.toString() : undefined
      )
    )
    yield* commands.on("checkWorkspace", () => inFolder("Workspace"))
    yield* commands.on(
      "checkFolder",
      Effect.fnUntraced(function* ({ args: [given] }) {
        if (!isUri(given)) return
        const uri = given.toString()
        const folder = yield* checks.folderOf(uri)
        if (folder === undefined) return yield* new NotPossible({ message: outsideOfFolders() })
        yield* check({ _tag: "Workspace", folder, below: pathBelow(folder.uri, uri) })
      })
    )
    yield* commands.on("leaks.clear", () => checks.clear)
    yield* commands.on(
      "leaks.groupBy",
      Effect.fnUntraced(function* () {
        grouping = yield* editor.pick(
          groupings.map((name) => ({ label: t(groupingNames[name]), picked: name === grouping, value: name })),
          { title: t("Group Findings By") }
        )
        yield* editor.remember("here", "leaks.grouping", grouping)
        yield* tree.refresh()
      })
    )
  })
)

const isUri = (value: unknown): value is { toString(): string } =>
  Predicate.hasProperty(value, "scheme") && Predicate.hasProperty(value, "path")
