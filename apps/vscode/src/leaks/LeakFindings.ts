/** What a check found, where it stands in files, and what can be done about each. */
import { Clock, DateTime, Effect, Layer, Option, Predicate, Redacted, Stream } from "effect"
import { filled } from "../Checks.ts"
import { Commands } from "../Commands.ts"
import { Editor, type Finding, type Fix, type Position, type Span } from "../Editor.ts"
import { nameOfType } from "../events/EventFilter.ts"
import { t } from "../Localisation.ts"
import { Settings } from "../Settings.ts"
import { LeakChecks, type Spot } from "./LeakChecks.ts"
import { LeakEngine } from "./LeakEngine.ts"
import { evidenceLines, findingSeverity, nameOfLeak } from "./LeakRow.ts"
import { namesVariable, reference, variableName, withIgnoredEnv, withIgnoreEntry, withVariable } from "./Rewriting.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const settings = yield* Settings
    const checks = yield* LeakChecks
    const { load } = yield* LeakEngine

    const found = yield* editor.findings("leaks")
    const draw = Effect.gen(function* () {
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
          check: filled
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
        const { adviceFor } = yield* load
        yield* editor.copy(
          adviceFor(row.leak)
            .map((step, index) => `${index + 1}. ${step.map((sentence) => t(sentence)).join(" ")}`)
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
            : // The problem above it says the first line.
              Option.some(spots.flatMap(({ row }) => evidenceLines(row.leak).slice(1)).join("\n\n"))
        }),
      fixes: (uri, span) =>
        Effect.sync(() =>
          checks
            .spots(uri)
            .filter((spot) => holds(spot.span, span.start) || holds(span, spot.span.start))
            .flatMap(fixesOf)
        )
    })
  })
)

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
