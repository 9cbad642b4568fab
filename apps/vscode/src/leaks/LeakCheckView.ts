/** The Leak Check view, the findings where they stand in files, and what can be done about each. */
import type { Report, Subject as Asked } from "@threat-exposure/leak-check/Report"
import { Clock, DateTime, Effect, Layer, Option, Predicate, Redacted, Schema, Stream } from "effect"
import { Commands } from "../Commands.ts"
import { Editor, type Finding, type Fix, type OpenText, type Position, type Span, type Tree } from "../Editor.ts"
import { nameOfType } from "../events/EventFilter.ts"
import { count, t } from "../Localisation.ts"
import { NotPossible } from "../Problem.ts"
import { Settings } from "../Settings.ts"
import { TreeNode } from "../tree/TreeNode.ts"
import { LeakChecks, type Scope, type Spot } from "./LeakChecks.ts"
import {
  evidenceLines,
  evidenceText,
  findingSeverity,
  leakIcon,
  type LeakRow,
  nameOfKind,
  nameOfLeak
} from "./LeakRow.ts"
import { LeakEngine } from "./LeakEngine.ts"
import { namesVariable, reference, variableName, withIgnoredEnv, withIgnoreEntry, withVariable } from "./Rewriting.ts"
import { spanOf } from "./Scans.ts"

const groupings = ["file", "secret", "severity"] as const
type Grouping = (typeof groupings)[number]
const groupingNames: Readonly<Record<Grouping, string>> = { file: "File", secret: "Secret", severity: "Severity" }

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const settings = yield* Settings
    const checks = yield* LeakChecks
    let grouping: Grouping = Option.getOrElse(
      Schema.decodeUnknownOption(Schema.Literals(groupings))(yield* editor.stored("here", "leaks.grouping")),
      (): Grouping => "file"
    )

    const roots = Effect.gen(function* () {
      const last = checks.last()
      yield* editor.setContext("leaks.checked", last !== undefined)
      yield* tree.setState(last === undefined ? "empty" : "ready")
      yield* tree.setDescription(last?.title)
      yield* tree.setMessage(last === undefined ? undefined : verdictText(last.report))
      if (last === undefined) return []
      return [...leakNodes(last.rows, grouping), ...restNodes(last.report)]
    })
    const tree: Tree = yield* editor.tree(
      "leaks",
      Effect.suspend(() => roots)
    )
    const { load } = yield* LeakEngine

    const found = yield* editor.findings("leaks")
    const draw = Effect.gen(function* () {
      yield* tree.refresh()
      yield* found.clear
      yield* Effect.forEach(checks.allSpots(), ([uri, spots]) => found.set(uri, spots.map(findingOf)), {
        discard: true
      })
    })
    yield* checks.changes.pipe(
      Stream.runForEach(() => draw),
      Effect.forkScoped
    )
    yield* editor.typed.pipe(Stream.runForEach(checks.follow), Effect.forkScoped)

    const check = Effect.fnUntraced(function* (scope: Scope) {
      const before = checks.last()
      // A check that fails in its middle has found something too.
      const focus = Effect.suspend(() =>
        checks.last() === before ? Effect.void : editor.execute("threatExposure.leaks.focus")
      )
      const { report } = yield* Effect.ensuring(checks.check(scope), focus)
      if (report.verdict === "leaked") return
      yield* Effect.forkDetach(editor.notify(report.verdict === "clean" ? "info" : "warning", verdictText(report)))
    })

    const activeText = Effect.flatMap(
      editor.activeText,
      Option.match({
        onNone: () => Effect.fail(new NotPossible({ message: t("Open a file first.") })),
        onSome: Effect.succeed
      })
    )

    yield* commands.on("checkSelection", () => Effect.flatMap(activeText, (open) => check({ _tag: "Selection", open })))
    yield* commands.on(
      "checkFile",
      Effect.fnUntraced(function* ({ args: [uri] }) {
        // The explorer passes the file that was chosen there.
        const open = isUri(uri) ? yield* editor.textOf(uri.toString()) : yield* activeText
        yield* check({ _tag: "File", open })
      })
    )
    const inFolder = Effect.fnUntraced(function* (_tag: "Changes" | "Workspace") {
      const folders = yield* editor.folders
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
    yield* commands.on("checkChanges", () => inFolder("Changes"))
    yield* commands.on("checkWorkspace", () => inFolder("Workspace"))
    yield* commands.on("leaks.clear", () => checks.clear)
    yield* commands.on(
      "leaks.groupBy",
      Effect.fnUntraced(function* () {
        grouping = yield* editor.pick(
          groupings.map((name) => ({ label: t(groupingNames[name]), picked: name === grouping, value: name })),
          { title: t("Group Findings By") }
        )
        yield* editor.store("here", "leaks.grouping", grouping)
        yield* tree.refresh()
      })
    )

    const rowOf = (fingerprint: unknown) => checks.last()?.rows.find(({ leak }) => leak.fingerprint === fingerprint)

    yield* commands.on("leaks.goTo", ({ args: [uri, line, column] }) => {
      if (!Predicate.isString(uri) || !Predicate.isNumber(line) || !Predicate.isNumber(column)) return Effect.void
      const at: Position = { line: line - 1, character: column - 1 }
      const spot = checks
        .spots(uri)
        .find(({ span }) => span.start.line === at.line && span.start.character === at.character)
      return editor.openText(uri, spot?.span ?? { start: at, end: at })
    })

    yield* commands.on(
      "leaks.ignore",
      Effect.fnUntraced(function* ({ subjects: [subject], args: [given] }) {
        const row = subject?._tag === "Leak" ? subject.leak : rowOf(given)
        if (row?.folder === undefined) return
        const title = t("Ignore {0}", nameOfLeak(row))
        const reason = yield* editor.ask({
          title,
          prompt: t("Why can it be ignored? Others read this in the ignore file."),
          check: (text) => (text.trim() === "" ? t("This cannot be empty") : undefined)
        })
        const today = DateTime.makeUnsafe(yield* Clock.currentTimeMillis)
        const days = yield* editor.pick(
          [30, 90, 180, 365].map((count) => ({ label: t("For {0} days", count), picked: count === 90, value: count })),
          { title, placeholder: t("After that it counts again") }
        )
        const expires = DateTime.formatIso(DateTime.add(today, { days })).slice(0, 10)
        const name = yield* settings.get("leakCheck.ignoreFile")
        const uri = editor.join(row.folder, name)
        const before = yield* editor.read(uri).pipe(Effect.orElseSucceed(() => ""))
        const written = withIgnoreEntry(before, { fingerprint: row.leak.fingerprint, reason: reason.trim(), expires })
        if ("fault" in written) {
          yield* Effect.forkDetach(editor.notify("error", written.fault))
          return
        }
        yield* editor.write(uri, written.text)
        yield* checks.ignored(row.leak.fingerprint, reason.trim(), expires)
      })
    )

    yield* commands.on(
      "leaks.copySteps",
      Effect.fnUntraced(function* ({ subjects: [subject], args: [given] }) {
        const row = subject?._tag === "Leak" ? subject.leak : rowOf(given)
        if (row === undefined) return
        const { stepsFor } = yield* load
        yield* editor.copy(
          stepsFor(row.leak)
            .map((step, index) => `${index + 1}. ${t(step)}`)
            .join("\n")
        )
        yield* Effect.forkDetach(editor.notify("info", t("The steps are in the clipboard.")))
      })
    )

    yield* commands.on(
      "leaks.moveToEnv",
      Effect.fnUntraced(function* ({ args: [uri, line, character] }) {
        if (!Predicate.isString(uri)) return
        const spot = checks
          .spots(uri)
          .find(({ span }) => span.start.line === line && span.start.character === character)
        const folder = spot?.row.folder
        if (spot === undefined || folder === undefined) return
        const open = yield* editor.textOf(uri)
        const lineText = open.text.split("\n")[spot.span.start.line] ?? ""
        const envUri = editor.join(folder, ".env")
        const env = yield* editor.read(envUri).pipe(Effect.orElseSucceed(() => ""))
        const name = yield* editor.ask({
          title: t("Move to .env"),
          prompt: t("Name of the variable. The value has leaked all the same: rotate it."),
          value: variableName(lineText.slice(0, spot.span.start.character)),
          check: (text) =>
            !/^[A-Za-z_]\w*$/u.test(text.trim())
              ? t("A name has letters, digits and underscores only")
              : namesVariable(env, text.trim())
                ? t("There is a variable of this name in .env already")
                : undefined
        })
        const { text, replacesQuotes } = reference(open.languageId, name.trim())
        yield* editor.write(envUri, withVariable(env, name.trim(), Redacted.value(spot.value)))
        const gitignoreUri = editor.join(folder, ".gitignore")
        const gitignore = withIgnoredEnv(yield* editor.read(gitignoreUri).pipe(Effect.orElseSucceed(() => "")))
        if (gitignore !== undefined) yield* editor.write(gitignoreUri, gitignore)
        yield* editor.replace(uri, replacesQuotes ? withQuotes(lineText, spot.span) : spot.span, text)
        yield* Effect.forkDetach(
          editor.notify("info", t("{0} is in .env now, which git ignores. Rotate it: it has leaked.", name.trim()))
        )
      })
    )

    yield* editor.onFindings({
      hover: (uri, at) =>
        Effect.sync(() => {
          const spots = checks.spots(uri).filter(({ span }) => holds(span, at))
          return spots.length === 0
            ? Option.none()
            : Option.some(spots.flatMap(({ row }) => evidenceLines(row.leak)).join("\n\n"))
        }),
      fixes: (uri, span) =>
        Effect.sync(() =>
          checks
            .spots(uri)
            .filter((spot) => holds(spot.span, span.start) || holds(span, spot.span.start))
            .flatMap(fixesOf)
        )
    })

    // As one types: on this machine alone, nothing is searched.
    const typing = yield* editor.findings("typing")
    const mark = Effect.fnUntraced(function* ({ uri, path, text }: OpenText) {
      const candidates = text.length < largestTyped ? (yield* load).candidatesIn(text, { path }) : []
      yield* typing.set(
        uri,
        candidates.map((candidate): Finding => ({
          uri,
          span: spanOf(text, candidate),
          message: t("This looks like a secret ({0}). It was not searched for leaks.", nameOfKind(candidate.kind)),
          severity: "information",
          code: candidate.rule
        }))
      )
    })
    const typed = Stream.merge(
      Stream.map(editor.typed, (open) => ({ uri: open.uri, open })),
      Stream.map(editor.closed, (uri) => ({ uri, open: undefined }))
    ).pipe(
      Stream.groupByKey(({ uri }) => uri),
      Stream.flatMap(([, changes]) => Stream.debounce(changes, "400 millis"), { concurrency: "unbounded" }),
      Stream.mapEffect(({ uri, open }) => (open === undefined ? typing.set(uri, []) : mark(open)))
    )
    yield* Stream.concat(Stream.make(undefined), settings.changesOf("leakCheck.asYouType")).pipe(
      Stream.mapEffect(() => settings.get("leakCheck.asYouType")),
      Stream.changes,
      Stream.switchMap((isOn) => (isOn ? typed : Stream.fromEffect(typing.clear))),
      Stream.runDrain,
      Effect.forkScoped
    )
  })
)

/** A longer file is not read again at every key. */
const largestTyped = 500_000

const isUri = (value: unknown): value is { toString(): string } =>
  Predicate.hasProperty(value, "scheme") && Predicate.hasProperty(value, "path")

const findingOf = ({ row, span, uri }: Spot): Finding => ({
  uri,
  span,
  message: `${nameOfLeak(row)}: ${evidenceLines(row.leak)[0] ?? ""}`,
  severity: findingSeverity(row.leak),
  code: row.leak.fingerprint
})

const fixesOf = ({ row: { leak }, uri, span }: Spot): ReadonlyArray<Fix> => [
  ...leak.events.slice(0, 3).map(({ uid, type }): Fix => {
    const title = t("Open the event ({0})", nameOfType(type))
    return { title, command: { name: "events.openPage", title, args: [uid] } }
  }),
  {
    title: t("Move to .env and reference it"),
    command: {
      name: "leaks.moveToEnv",
      title: t("Move to .env"),
      args: [uri, span.start.line, span.start.character]
    }
  },
  {
    title: t("Copy steps to rotate"),
    command: { name: "leaks.copySteps", title: t("Copy steps to rotate"), args: [leak.fingerprint] },
    preferred: true
  },
  ...(leak.ignored === null
    ? [
        {
          title: t("Ignore with a reason…"),
          command: { name: "leaks.ignore" as const, title: t("Ignore with a reason…"), args: [leak.fingerprint] }
        }
      ]
    : [])
]

const holds = ({ start, end }: Span, at: Position) =>
  (start.line < at.line || (start.line === at.line && start.character <= at.character)) &&
  (at.line < end.line || (at.line === end.line && at.character <= end.character))

/** The span with the quotes around it, where it has a pair. */
const withQuotes = (line: string, span: Span): Span => {
  const before = line[span.start.character - 1]
  const isQuoted =
    span.start.line === span.end.line &&
    before !== undefined &&
    `"'\``.includes(before) &&
    line[span.end.character] === before
  return isQuoted
    ? {
        start: { line: span.start.line, character: span.start.character - 1 },
        end: { line: span.end.line, character: span.end.character + 1 }
      }
    : span
}

/** Never "clean" where something was left unsearched. */
export const verdictText = (report: Report): string => {
  const leaks = report.leaks.filter(({ counts }) => counts).length
  const searches = count(report.searches, "{0} search.", "{0} searches.")
  switch (report.verdict) {
    case "leaked":
      return [t("{0} leaked.", leaks), searches, leftText(report)].filter((part) => part !== "").join(" ")
    case "clean":
      return report.searches === 0 && report.planned.knownClean === 0
        ? t("Nothing here looks like a secret, so nothing was searched.")
        : `${t("No leak found.")} ${searches}`
    case "incomplete":
      return `${t("No leak found so far, but not everything was searched.")} ${searches} ${leftText(report)}`.trim()
    case "skipped":
      return t("Nothing was searched.")
  }
}

const leftText = (report: Report) =>
  report.unsearched.length === 0 ? "" : t("{0} left unsearched.", report.unsearched.length)

const leakNodes = (rows: ReadonlyArray<LeakRow>, grouping: Grouping): ReadonlyArray<TreeNode> => {
  if (grouping === "secret") return rows.map((row) => leakNode("leaks", row))
  const keys = (row: LeakRow) =>
    grouping === "severity"
      ? [row.leak.severity]
      : row.places.length === 0
        ? [""]
        : [...new Set(row.places.map(({ path }) => path))]
  const groups = Map.groupBy(
    rows.flatMap((row) => keys(row).map((key) => ({ key, row }))),
    ({ key }) => key
  )
  return [...groups].map(
    ([key, members]) =>
      new TreeNode(
        {
          id: `leaks:${grouping}:${key}`,
          label: key === "" ? t("Not in a file") : grouping === "severity" ? t(key) : key,
          description: String(members.length),
          icon: { id: grouping === "severity" ? "warning" : key === "" ? "globe" : "file" },
          state: "open"
        },
        { _tag: "Plain" },
        Effect.sync(() =>
          (grouping === "file" ? inOrder(members, key) : members).map(({ row }) =>
            leakNode(`leaks:${grouping}:${key}`, row, grouping === "file" ? key : undefined)
          )
        )
      )
  )
}

/** As they stand in the file. */
const inOrder = <A extends { readonly row: LeakRow }>(members: ReadonlyArray<A>, path: string): ReadonlyArray<A> => {
  const line = ({ row }: A) => row.places.find((place) => place.path === path)?.line ?? 0
  return members.toSorted((a, b) => line(a) - line(b))
}

const leakNode = (owner: string, row: LeakRow, path?: string): TreeNode => {
  const { leak } = row
  const places = path === undefined ? row.places : row.places.filter((place) => place.path === path)
  const [first] = places
  const place =
    first === undefined ? undefined : path === undefined ? `${first.path}:${first.line}` : t("line {0}", first.line)
  const [severity, name] = [t(leak.severity), nameOfLeak(row)]
  return new TreeNode(
    {
      id: `${owner}/${leak.fingerprint}`,
      label: name,
      description: [place, evidenceText(leak), leak.ignored === null ? undefined : t("ignored")]
        .filter((part) => part !== undefined)
        .join(" · "),
      tooltip: [name, severity, ...evidenceLines(leak)].join("\n"),
      icon: leakIcon(leak),
      state: places.length > 1 ? "closed" : "leaf",
      kinds: ["leak", ...(leak.ignored === null ? ["counted"] : [])],
      accessibleLabel: `${severity}, ${name}, ${evidenceText(leak)}`,
      ...(first === undefined
        ? {}
        : {
            command: {
              name: "leaks.goTo" as const,
              title: t("Go to Finding"),
              args: [first.uri, first.line, first.column]
            }
          })
    },
    { _tag: "Leak", leak: row },
    Effect.sync(() =>
      places.map(
        ({ uri, path, line, column }) =>
          new TreeNode(
            {
              id: `${owner}/${leak.fingerprint}/${path}:${line}:${column}`,
              label: `${path}:${line}`,
              icon: { id: "location" },
              state: "leaf",
              command: { name: "leaks.goTo", title: t("Go to Finding"), args: [uri, line, column] }
            },
            { _tag: "Plain" }
          )
      )
    )
  )
}

const reasons: Readonly<Record<string, string>> = {
  "max-searches": "over the budget of searches",
  quota: "the quota is spent",
  deadline: "the time was up",
  error: "the service failed",
  skipped: "skipped"
}

const restNodes = (report: Report): ReadonlyArray<TreeNode> => [
  ...group(
    "unsearched",
    t("Left unsearched"),
    "circle-slash",
    report.unsearched.map(({ subject, reason, detail }) => ({
      label: nameOfAsked(subject),
      description: t(reasons[reason] ?? reason),
      tooltip: detail
    }))
  ),
  ...group(
    "gaps",
    t("Could not be read"),
    "warning",
    report.gaps.map((gap) => ({ label: gap, description: "", tooltip: gap }))
  ),
  ...group(
    "expired",
    t("Entries of the ignore file that no longer apply"),
    "history",
    report.ignore
      .filter(({ state }) => state === "expired")
      .map(({ reason, expires }) => ({ label: reason, description: t("expired {0}", expires), tooltip: reason }))
  )
]

const nameOfAsked = (subject: Asked): string =>
  subject.type === "domain"
    ? subject.domain
    : [
        subject.names[0] ?? nameOfKind(subject.kind),
        ...subject.locations.slice(0, 1).map(({ path, line }) => `${path}:${line}`)
      ].join(" · ")

const group = (
  key: string,
  label: string,
  icon: string,
  rows: ReadonlyArray<{ readonly label: string; readonly description: string; readonly tooltip: string }>
): ReadonlyArray<TreeNode> =>
  rows.length === 0
    ? []
    : [
        new TreeNode(
          { id: `leaks:${key}`, label, description: String(rows.length), icon: { id: icon }, state: "closed" },
          { _tag: "Plain" },
          Effect.sync(() =>
            rows.map(
              (row, index) =>
                new TreeNode(
                  { id: `leaks:${key}/${index}`, ...row, icon: { id: "circle-small" }, state: "leaf" },
                  { _tag: "Plain" }
                )
            )
          )
        )
      ]
