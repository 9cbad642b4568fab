/** What a check found, where it stands in files, and what can be done about each. */
import { Clock, DateTime, Effect, Layer, Option, Predicate, Redacted, Stream } from "effect"
import { filled } from "../editor/Validation.ts"
import { Commands, ofKind } from "../editor/Commands.ts"
import { Editor, type Finding, type Fix, type Position, type Span } from "../editor/Editor.ts"
import { t } from "../words/Localisation.ts"
import { NotPossible } from "../editor/Problem.ts"
import { LeakChecks } from "./LeakChecks.ts"
import { LeakEngine } from "./LeakEngine.ts"
import { evidenceLines, evidenceText, findingSeverity, nameOfLeak } from "./LeakFinding.ts"
import { Lines } from "../detection/Lines.ts"
import { followed, isEncoded, type LeakOccurrence } from "./LeakOccurrence.ts"
import {
  namesVariable,
  reference,
  referenceIn,
  variableName,
  withIgnoredEnv,
  withIgnoreEntry,
  withVariable
} from "./Rewriting.ts"
import { LeakSubject } from "./LeakTree.ts"
import { nameOfType } from "../words/TypeNames.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const checks = yield* LeakChecks
    const { load } = yield* LeakEngine

    const found = yield* editor.findings("leaks")
    let drawn: ReadonlyMap<string, ReadonlyArray<LeakOccurrence>> = new Map()
    const draw = Effect.gen(function* () {
      const before = drawn
      drawn = checks.occurrences()
      for (const uri of new Set([...before.keys(), ...drawn.keys()])) {
        const occurrences = drawn.get(uri) ?? []
        if (occurrences !== before.get(uri))
          yield* found.set(uri, occurrences.filter(({ isPresent }) => isPresent).map(findingOf))
      }
    })
    yield* checks.changes.pipe(
      Stream.runForEach(() => draw),
      Effect.forkScoped
    )
    yield* editor.typed.pipe(Stream.runForEach(checks.follow), Effect.forkScoped)

    const occurrencesIn = (uri: string) => (checks.occurrences().get(uri) ?? []).filter(({ isPresent }) => isPresent)
    /** The place that the report names, wherever it stands by now. */
    const occurrenceAt = (uri: unknown, line: unknown, column: unknown): LeakOccurrence | undefined =>
      Predicate.isString(uri)
        ? checks
            .occurrences()
            .get(uri)
            ?.find(({ place }) => place.line === line && place.column === column)
        : undefined
    const findingWith = (fingerprint: unknown) =>
      checks.last()?.rows.find(({ leak }) => leak.fingerprint === fingerprint)

    yield* commands.on("leaks.goTo", ({ args: [uri, line, column] }) => {
      if (!Predicate.isString(uri) || !Predicate.isNumber(line) || !Predicate.isNumber(column)) return Effect.void
      const at: Position = { line: line - 1, character: column - 1 }
      return editor.openText(uri, occurrenceAt(uri, line, column)?.span ?? { start: at, end: at })
    })

    yield* commands.on(
      "leaks.ignore",
      Effect.fnUntraced(function* ({ subjects, args: [given] }) {
        const row = ofKind(subjects, LeakSubject)[0]?.finding ?? findingWith(given)
        if (row === undefined) return
        const { folder } = row
        if (folder === undefined) return yield* new NotPossible({ message: outsideOfFolders() })
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
        const uri = yield* checks.ignoreFile(folder)
        const before = yield* editor.read(uri).pipe(Effect.orElseSucceed(() => ""))
        const written = withIgnoreEntry(before, { fingerprint: row.leak.fingerprint, reason: reason.trim(), expires })
        if ("fault" in written) return yield* new NotPossible({ message: written.fault })
        yield* editor.write(uri, written.text)
        yield* checks.ignored(row.leak.fingerprint, reason.trim(), expires)
      })
    )

    yield* commands.on(
      "leaks.copySteps",
      Effect.fnUntraced(function* ({ subjects, args: [given] }) {
        const row = ofKind(subjects, LeakSubject)[0]?.finding ?? findingWith(given)
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
      Effect.fnUntraced(function* ({ args: [uri, line, column] }) {
        const occurrence = occurrenceAt(uri, line, column)
        if (occurrence === undefined) return
        const { folder } = occurrence.row
        if (folder === undefined) return yield* new NotPossible({ message: outsideOfFolders() })
        if (isEncoded(occurrence)) {
          return yield* new NotPossible({ message: t("The value is encoded here: move it to .env by hand.") })
        }
        const { languageId, text } = yield* editor.textOf(occurrence.place.uri)
        const envUri = editor.join(folder, ".env")
        const env = yield* editor.read(envUri).pipe(Effect.orElseSucceed(() => ""))
        const before = new Lines(text).line(occurrence.span.start.line).slice(0, occurrence.span.start.character)
        const answer = yield* editor.ask({
          title: t("Move to .env"),
          prompt: t("Name of the variable. The value has leaked all the same: rotate it."),
          value: variableName(before),
          check: (text) =>
            !/^[A-Za-z_]\w*$/u.test(text.trim())
              ? t("A name has letters, digits and underscores only")
              : namesVariable(env, text.trim())
                ? t("There is a variable of this name in .env already")
                : undefined
        })
        const name = answer.trim()
        // The file may have been edited while the name was thought of.
        const open = yield* editor.textOf(occurrence.place.uri)
        const now = followed(occurrence, new Lines(open.text))
        if (!now.isPresent) return yield* new NotPossible({ message: t("The value is no longer in the file.") })
        const change = referenceIn(open.text, now.span, reference(languageId, name))
        yield* editor.write(envUri, withVariable(env, name, Redacted.value(occurrence.value)))
        const gitignoreUri = editor.join(folder, ".gitignore")
        const gitignore = withIgnoredEnv(yield* editor.read(gitignoreUri).pipe(Effect.orElseSucceed(() => "")))
        if (gitignore !== undefined) yield* editor.write(gitignoreUri, gitignore)
        if (change !== undefined) yield* editor.replace(occurrence.place.uri, change.span, change.text)
        yield* Effect.forkDetach(
          change === undefined
            ? editor.notify(
                "warning",
                t(
                  "{0} is in .env now, which git ignores. Here its value is part of a longer text: put {1} in its place yourself. Rotate it: it has leaked.",
                  name,
                  reference(languageId, name).text
                )
              )
            : editor.notify("info", t("{0} is in .env now, which git ignores. Rotate it: it has leaked.", name))
        )
      })
    )

    yield* editor.onFindings({
      hover: (uri, at) =>
        Effect.sync(() => {
          // The problem above it says the first line.
          const lines = occurrencesIn(uri).flatMap(({ row, span }) =>
            holds(span, at) ? evidenceLines(row.leak).slice(1) : []
          )
          return lines.length === 0 ? Option.none() : Option.some(lines.join("\n\n"))
        }),
      fixes: (uri, span) =>
        Effect.sync(() =>
          occurrencesIn(uri)
            .filter((occurrence) => holds(occurrence.span, span.start) || holds(span, occurrence.span.start))
            .flatMap(fixesOf)
        )
    })
  })
)

const outsideOfFolders = () => t("The file is in no open folder: open its folder first.")

const findingOf = ({ place, row, span }: LeakOccurrence): Finding => ({
  uri: place.uri,
  span,
  message: t("{0} has leaked: {1}.", nameOfLeak(row), evidenceText(row.leak)),
  severity: findingSeverity(row.leak),
  code: row.leak.fingerprint
})

const fixesOf = ({ place, row: { folder, leak } }: LeakOccurrence): ReadonlyArray<Fix> => [
  ...leak.events.slice(0, 3).map(({ uid, title, type }): Fix => {
    const name = t("Open the event ({0})", title ?? nameOfType(type))
    return { title: name, command: { name: "events.openPage", title: name, args: [uid] } }
  }),
  ...(folder === undefined
    ? []
    : [
        {
          title: t("Move to .env and reference it"),
          command: {
            name: "leaks.moveToEnv" as const,
            title: t("Move to .env"),
            args: [place.uri, place.line, place.column]
          }
        }
      ]),
  {
    title: t("Copy steps to rotate"),
    command: { name: "leaks.copySteps", title: t("Copy steps to rotate"), args: [leak.fingerprint] },
    preferred: true
  },
  ...(leak.ignored === null && folder !== undefined
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
