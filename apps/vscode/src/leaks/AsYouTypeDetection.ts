/** Detection as one types: on this machine alone, nothing is searched. */
import { Effect, Layer, Stream } from "effect"
import { Editor, type Finding, type OpenText } from "../editor/Editor.ts"
import { t } from "../words/Localisation.ts"
import { Settings } from "../editor/Settings.ts"
import { LeakChecks } from "./LeakChecks.ts"
import { Detection } from "../detection/Detection.ts"
import { sameSpan } from "./LeakOccurrence.ts"
import { spanOf } from "../detection/Lines.ts"
import { nameOfKind } from "./LeakFinding.ts"
import * as leakSettings from "./LeakSettings.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const settings = yield* Settings
    const checks = yield* LeakChecks
    const detection = yield* Detection

    const typing = yield* editor.findings("typing")
    const found = new Map<string, ReadonlyArray<Finding>>()
    /** Where a check has found a leak, its own mark says more. */
    const show = Effect.fnUntraced(function* (uri: string) {
      const leaks = (checks.occurrences().get(uri) ?? []).filter(({ isPresent }) => isPresent)
      yield* typing.set(
        uri,
        (found.get(uri) ?? []).filter(({ span }) => !leaks.some((leak) => sameSpan(leak.span, span)))
      )
    })
    yield* checks.changes.pipe(
      Stream.runForEach(() => Effect.forEach(found.keys(), show, { discard: true })),
      Effect.forkScoped
    )
    const mark = Effect.fnUntraced(function* ({ uri, path, text }: OpenText) {
      const { gitleaks } = yield* checks.rulesOf(uri)
      const candidates =
        text.length < largestTyped ? (yield* detection.load).candidatesIn(text, { path }, { gitleaks }) : []
      found.set(
        uri,
        candidates.map((candidate): Finding => ({
          uri,
          span: spanOf(candidate.location),
          message: t(
            "This looks like a secret ({0}). Check the file to learn whether it has leaked.",
            nameOfKind(candidate.kind)
          ),
          severity: "information",
          code: candidate.rule
        }))
      )
      yield* show(uri)
    })
    const forget = (uri: string) =>
      Effect.andThen(
        Effect.sync(() => found.delete(uri)),
        typing.set(uri, [])
      )
    const typed = Stream.merge(
      Stream.map(editor.typed, (open) => ({ uri: open.uri, open })),
      Stream.map(editor.closed, (uri) => ({ uri, open: undefined }))
    ).pipe(
      Stream.groupByKey(({ uri }) => uri),
      Stream.flatMap(([, changes]) => Stream.debounce(changes, "400 millis"), { concurrency: "unbounded" }),
      Stream.mapEffect(({ uri, open }) => (open === undefined ? forget(uri) : mark(open)))
    )
    yield* Stream.concat(Stream.make(undefined), settings.changesOf(leakSettings.asYouType)).pipe(
      Stream.mapEffect(() => settings.get(leakSettings.asYouType)),
      Stream.changes,
      Stream.switchMap((isOn) =>
        isOn
          ? typed
          : Stream.fromEffect(
              Effect.andThen(
                typing.clear,
                Effect.sync(() => found.clear())
              )
            )
      ),
      Stream.runDrain,
      Effect.forkScoped
    )
  })
)

/** A longer file is not read again at every key. */
const largestTyped = 500_000
