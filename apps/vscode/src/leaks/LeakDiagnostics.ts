/** Diagnostics of leaks in files, with their hovers and quick fixes. */
import type { Leak } from "@threat-exposure/leak-check/Report"
import { Effect, Layer, Stream } from "effect"
import { Editor, type Finding, type Fix, type HoverLine } from "../editor/Editor.ts"
import { t } from "../words/Localisation.ts"
import { referenceTo } from "./closing/EnvReference.ts"
import { LeakChecks } from "./check/LeakChecks.ts"
import { LeakEngine } from "./check/LeakEngine.ts"
import { evidence, evidenceText, findingSeverity, nameOfEvent, nameOfLeak } from "./LeakFinding.ts"
import { type LeakOccurrence, overlaps } from "./LeakOccurrence.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
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
      Effect.forkScoped({ startImmediately: true })
    )
    // The last check may have been restored before.
    yield* draw
    yield* editor.typed.pipe(Stream.runForEach(checks.follow), Effect.forkScoped)

    const occurrencesIn = (uri: string) => (checks.occurrences().get(uri) ?? []).filter(({ isPresent }) => isPresent)
    yield* editor.onFindings({
      hover: (uri, at) =>
        Effect.gen(function* () {
          // The position over a hidden value is that of the character before it.
          const end = { line: at.line, character: at.character + 1 }
          const here = occurrencesIn(uri).filter(({ span }) => overlaps(span, { start: at, end }))
          if (here.length === 0) return []
          const { adviceFor } = yield* load
          // The diagnostic in the same hover already shows the first line.
          return here.flatMap(({ row: { leak } }) =>
            hoverLines(leak)
              .slice(1)
              .concat(adviceLines(adviceFor(leak)))
          )
        }),
      fixes: (uri, span, languageId) =>
        Effect.sync(() =>
          occurrencesIn(uri)
            .filter((occurrence) => overlaps(occurrence.span, span))
            .flatMap((occurrence) => fixesOf(occurrence, languageId))
        )
    })
  })
)

const hoverLines = (leak: Leak): ReadonlyArray<HoverLine> => [
  ...evidence(leak).map(({ event, text }): HoverLine =>
    event === undefined
      ? { text }
      : { text, command: { name: "events.openPage", title: t("Open Event"), args: [event] } }
  ),
  {
    text: t("{0}: {1}", t("Severity"), t(leak.severity)),
    command: { name: "leaks.copyFingerprint", title: t("Copy Fingerprint"), args: [leak.fingerprint] }
  }
]

const adviceLines = (steps: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<HoverLine> => [
  { text: t("{0}:", t("What to do")) },
  ...steps.map((step, index) => ({ text: `${index + 1}. ${step.map((sentence) => t(sentence)).join(" ")}` }))
]

const findingOf = ({ place, row, span }: LeakOccurrence): Finding => ({
  uri: place.uri,
  span,
  message: t("{0} has leaked: {1}.", nameOfLeak(row, place.path), evidenceText(row.leak)),
  severity: findingSeverity(row.leak),
  code: row.leak.fingerprint
})

const fixesOf = ({ place, row: { leak, repository } }: LeakOccurrence, languageId: string): ReadonlyArray<Fix> => [
  ...leak.events.slice(0, 3).map((event): Fix => {
    const name = t("Open the event ({0})", nameOfEvent(event))
    return { title: name, command: { name: "events.openPage", title: name, args: [event.uid] } }
  }),
  ...(repository === undefined || referenceTo("X", { uri: place.uri, languageId }) === undefined
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
    title: t("Copy rotation steps"),
    command: { name: "leaks.copySteps", title: t("Copy rotation steps"), args: [leak.fingerprint] },
    preferred: true
  },
  ...(leak.ignored === null && repository !== undefined
    ? [
        {
          title: t("Ignore with a reason…"),
          command: { name: "leaks.ignore" as const, title: t("Ignore with a reason…"), args: [leak.fingerprint] }
        }
      ]
    : [])
]
