/** Runs leak checks and holds the findings of the last one, whose positions follow edits of the files. */
import { isElsewhere } from "@threat-exposure/detect/git/BesideFiles"
import type { Candidate } from "@threat-exposure/detect/Candidate"
import type { Leak } from "@threat-exposure/leak-check/Report"
import { Clock, Context, DateTime, Effect, Layer, Option, Predicate, PubSub, Redacted, Stream } from "effect"
import { type Cancelled, Editor, type OpenText, textIfAny } from "../../editor/Editor.ts"
import { t } from "../../words/Localisation.ts"
import { type Failure, NotPossible } from "../../editor/Problem.ts"
import type { Checked, CheckedRepository, LeakFinding, LeakPlace, ReplacedLeak } from "../LeakFinding.ts"
import { absentIn, goneSince } from "../closing/ReplacedLeaks.ts"
import { Detection } from "../../detection/Detection.ts"
import { Lines } from "../../detection/Lines.ts"
import { fileName } from "../../editor/Uri.ts"
import { type Folder, type Scope, titleOf } from "./CheckScope.ts"
import { makeCheckedRepositories } from "./CheckedRepositories.ts"
import { LeakEngine } from "./LeakEngine.ts"
import { ofFile, type Rules } from "./Scans.ts"
import { type FoundLeaks, makeLeakSearch } from "./LeakSearch.ts"
import { followEdit, type LeakOccurrence, occurrenceOf } from "../LeakOccurrence.ts"

export class LeakChecks extends Context.Service<
  LeakChecks,
  {
    /**
     * Scans, shows the plan, asks for consent once per profile, and searches. If cancelled during the searches, returns
     * the findings so far.
     */
    readonly check: (scope: Scope) => Effect.Effect<Checked, Failure | Cancelled>
    /** The innermost open folder that contains the file or folder. */
    readonly folderOf: (uri: string) => Effect.Effect<Folder | undefined>
    /** Rules of the repository that contains the file. */
    readonly rulesOf: (uri: string) => Effect.Effect<Rules>
    readonly last: () => Checked | undefined
    readonly clear: Effect.Effect<void>
    /** Occurrences of leaks by file. The list of a file stays the same object until it changes. */
    readonly occurrences: () => ReadonlyMap<string, ReadonlyArray<LeakOccurrence>>
    /** The occurrence that the report placed here, with its current position. */
    readonly occurrenceAt: (uri: unknown, line: unknown, column: unknown) => LeakOccurrence | undefined
    readonly finding: (fingerprint: unknown) => LeakFinding | undefined
    /**
     * Leaks whose value is no longer in the code: those of the last check, and those that only the previous check of
     * the same files found.
     */
    readonly replaced: () => ReadonlyArray<ReplacedLeak>
    /** Whether the leak is being closed at the service. */
    readonly isClosing: (fingerprint: string) => boolean
    readonly setClosing: (fingerprint: string, isClosing: boolean) => Effect.Effect<void>
    /** Adds an entry to the ignore file, and applies it to the findings of the last check. */
    readonly ignore: (
      finding: LeakFinding & { readonly repository: CheckedRepository },
      reason: string,
      days: number
    ) => Effect.Effect<void, Failure>
    /** Updates the occurrences in an edited file. */
    readonly follow: (open: OpenText) => Effect.Effect<void>
    /** Emits after any change of this state. */
    readonly changes: Stream.Stream<void>
  }
>()("threat-exposure/leaks/check/LeakChecks") {
  static readonly layer = Layer.effect(
    LeakChecks,
    Effect.gen(function* () {
      const editor = yield* Editor
      const detection = yield* Detection
      const { load } = yield* LeakEngine
      const repositories = yield* makeCheckedRepositories
      const { folderOf, ignoreFile, rulesOf } = repositories
      const searchLeaks = yield* makeLeakSearch(repositories)
      // Capacity 1 is enough: subscribers read the current state.
      const changes = yield* PubSub.sliding<void>(1)
      const notify = PubSub.publish(changes, undefined)
      let last: Checked | undefined
      /** Salt of the fingerprints of the last check. */
      let salt = ""
      let occurrences: ReadonlyMap<string, ReadonlyArray<LeakOccurrence>> = new Map()
      /** Places without their value when the last check was restored after a reload. */
      let vacant: ReadonlySet<LeakPlace> = new Set()
      /** Leaks of the previous check that the last one no longer found. */
      let gone: ReadonlyArray<ReplacedLeak> = []
      const closing = new Set<string>()

      const publish = Effect.fnUntraced(function* (
        scope: Scope,
        { candidates, profile, report, repository }: FoundLeaks
      ) {
        const engine = yield* load
        const rows = report.leaks.map((leak): LeakFinding => ({
          leak,
          provider: leak.subject.type === "value" ? engine.providerOf(leak.subject)?.name : undefined,
          repository,
          profile,
          places: placesOf(leak, scope)
        }))
        const values = new Set(candidates.map(({ value }) => Redacted.value(value)))
        gone = goneSince({ last, occurrences, salt }, { report, title: titleOf(scope), values })
        last = {
          title: titleOf(scope),
          report,
          rows,
          gaps: engine.inWords(report, report.gaps),
          notices: engine.inWords(report, report.notices)
        }
        salt = report.repository
        occurrences = yield* occurrencesOf(rows, candidates)
        vacant = new Set()
        yield* keepLast
        yield* notify
        return last
      })

      const keepLast = Effect.gen(function* () {
        const kept =
          last === undefined
            ? undefined
            : (yield* load).keep(
                last,
                salt,
                gone.map(({ finding }) => finding)
              )
        yield* editor.remember("here", keptLast, kept)
      })

      /**
       * Restores the findings first, then their occurrences. A fingerprint identifies a value again, even if it has
       * moved within its file.
       */
      const restoreLast = Effect.gen(function* () {
        const kept = yield* editor.recall("here", keptLast)
        if (kept === undefined) return
        const engine = yield* load
        const restored = engine.restore(kept)
        if (restored === undefined || last !== undefined) return
        const { checked } = restored
        last = checked
        salt = restored.salt
        gone = restored.gone.map((finding) => ({ finding, value: undefined }))
        yield* notify
        const found = new Map<string, ReadonlyArray<LeakOccurrence>>()
        const without = new Set<LeakPlace>()
        for (const [uri, places] of placesByFile(checked.rows)) {
          const open = yield* Effect.option(editor.textOf(uri))
          if (Option.isNone(open)) continue
          const rules = new Set(
            places.flatMap(({ row: { leak } }) =>
              leak.subject.type === "value" ? leak.subject.locations.map(({ rule }) => rule) : []
            )
          )
          const scan = ofFile(yield* detection.load, open.value, yield* rulesOf(uri))
          const candidates = scan.candidates.filter(({ rule }) => rules.has(rule))
          const lines = new Lines(open.value.text)
          const left = [...places]
          const here: Array<LeakOccurrence> = []
          for (const candidate of candidates.slice(0, maxFingerprints)) {
            const name = yield* Effect.provide(engine.fingerprint(candidate.value, salt), engine.scrypt)
            const at = left.findIndex(({ row }) => row.leak.fingerprint === name)
            const [match] = at === -1 ? [] : left.splice(at, 1)
            if (match !== undefined) here.push(...[occurrenceOf(match.row, match.place, candidate, lines) ?? []].flat())
          }
          found.set(uri, here)
          if (candidates.length > maxFingerprints) continue
          for (const { place } of left) if (place.isRemoved !== true) without.add(place)
        }
        if (last !== checked) return
        occurrences = found
        vacant = without
        yield* notify
      })

      const placesOf = ({ subject }: Leak, scope: Scope): ReadonlyArray<LeakPlace> =>
        subject.type === "domain"
          ? []
          : subject.locations.map((place) => {
              const { column, commit, line, path } = place
              const uri = "open" in scope ? scope.open.uri : editor.join(scope.folder.uri, path)
              return { uri, path, line, column, isRemoved: isElsewhere(place), ...(commit === null ? {} : { commit }) }
            })

      const occurrencesOf = Effect.fnUntraced(function* (
        rows: ReadonlyArray<LeakFinding>,
        candidates: ReadonlyArray<Candidate>
      ) {
        const keyOf = ({ column, line, path }: Pick<LeakPlace, "column" | "line" | "path">) =>
          `${path}:${line}:${column}`
        const byPlace = new Map(candidates.map((candidate) => [keyOf(candidate.location), candidate]))
        const found = new Map<string, ReadonlyArray<LeakOccurrence>>()
        for (const [uri, places] of placesByFile(rows)) {
          // The file may be missing, because a later commit removed it.
          const open = yield* Effect.option(editor.textOf(uri))
          if (Option.isNone(open)) continue
          const lines = new Lines(open.value.text)
          found.set(
            uri,
            places.flatMap(({ row, place }) => {
              const candidate = byPlace.get(keyOf(place))
              return candidate === undefined ? [] : (occurrenceOf(row, place, candidate, lines) ?? [])
            })
          )
        }
        return found
      })

      const markIgnored = (fingerprint: string, reason: string, expires: string) =>
        Effect.suspend(() => {
          gone = gone.filter(({ finding }) => finding.leak.fingerprint !== fingerprint)
          if (last === undefined) return notify
          const ignored = { reason, expires, by: null }
          const rows = last.rows.map((row) =>
            row.leak.fingerprint === fingerprint
              ? { ...row, leak: { ...row.leak, ignored, counts: false, notCountedReason: reason } }
              : row
          )
          const byLeak = new Map(rows.map((row) => [row.leak.fingerprint, row]))
          const leaks = rows.map(({ leak }) => leak)
          const isLeaked = leaks.some(({ counts }) => counts)
          const isWhole = last.report.unsearched.length === 0 && last.report.gaps.length === 0
          const verdict = isLeaked ? "leaked" : isWhole ? "clean" : "incomplete"
          last = { ...last, rows, report: { ...last.report, leaks, verdict } }
          occurrences = new Map(
            [...occurrences].map(([uri, list]) => [
              uri,
              list.map((occurrence) => ({
                ...occurrence,
                row: byLeak.get(occurrence.row.leak.fingerprint) ?? occurrence.row
              }))
            ])
          )
          return Effect.andThen(keepLast, notify)
        })

      // Runs in the background, so that the views are drawn meanwhile.
      yield* Effect.forkScoped(restoreLast)

      return LeakChecks.of({
        check: (scope) => searchLeaks(scope, (found) => publish(scope, found)),
        folderOf,
        rulesOf,
        last: () => last,
        clear: Effect.suspend(() => {
          last = undefined
          gone = []
          vacant = new Set()
          occurrences = new Map()
          return Effect.andThen(keepLast, notify)
        }),
        ignore: Effect.fnUntraced(function* ({ leak, repository }, reason, days) {
          const today = DateTime.makeUnsafe(yield* Clock.currentTimeMillis)
          const expires = DateTime.formatIso(DateTime.add(today, { days })).slice(0, 10)
          const uri = yield* ignoreFile(repository)
          const before = (yield* textIfAny(editor.read(uri))) ?? ""
          const { withIgnoreEntry } = yield* load
          const entry = { fingerprint: leak.fingerprint, reason, expires }
          const written = yield* withIgnoreEntry(before, entry, fileName(uri)).pipe(
            Effect.mapError(({ message }) => new NotPossible({ message }))
          )
          if (written === undefined) {
            return yield* new NotPossible({
              message: t(
                "The ignore file cannot be edited automatically in its present form. Write its entries one below the other."
              )
            })
          }
          yield* editor.write(uri, written)
          yield* markIgnored(leak.fingerprint, reason, expires)
        }),
        replaced: () => [...absentIn(last, occurrences, vacant), ...gone],
        isClosing: (fingerprint) => closing.has(fingerprint),
        setClosing: (fingerprint, isClosing) =>
          Effect.suspend(() => {
            if (isClosing) closing.add(fingerprint)
            else closing.delete(fingerprint)
            return notify
          }),
        occurrences: () => occurrences,
        occurrenceAt: (uri, line, column) =>
          Predicate.isString(uri)
            ? occurrences.get(uri)?.find(({ place }) => place.line === line && place.column === column)
            : undefined,
        finding: (fingerprint) => last?.rows.find(({ leak }) => leak.fingerprint === fingerprint),
        follow: (open) =>
          Effect.gen(function* () {
            if (!occurrences.has(open.uri)) return
            const before = occurrences.get(open.uri) ?? []
            const lines = new Lines(open.text)
            const after = before.map((occurrence) => followEdit(occurrence, lines))
            if (after.every((occurrence, index) => occurrence === before[index])) return
            occurrences = new Map([...occurrences, [open.uri, after]])
            yield* notify
          }),
        changes: Stream.fromPubSub(changes)
      })
    })
  )
}

/** Storage key of the last check. */
const keptLast = "leaks.last"

/** Maximum number of fingerprints per file, because each takes 10 ms. */
const maxFingerprints = 50

const placesByFile = (rows: ReadonlyArray<LeakFinding>) =>
  Map.groupBy(
    rows.flatMap((row) => row.places.map((place) => ({ row, place }))),
    ({ place }) => place.uri
  )
