/** Runs leak checks and keeps the last findings, whose places follow edits of the files. */
import type { Candidate } from "@threat-exposure/detect/Candidate"
import type { Plan } from "@threat-exposure/leak-check/search/Plan"
import type { Leak, Report } from "@threat-exposure/leak-check/Report"
import { Clock, Context, DateTime, Effect, Layer, Option, Predicate, PubSub, Redacted, Stream } from "effect"
import { keptKey } from "../connection/Connection.ts"
import { type BoundConnection, Connections } from "../connection/Connections.ts"
import { Profiles } from "../connection/Profiles.ts"
import { Cancelled, Editor, type OpenText, textIfAny } from "../editor/Editor.ts"
import { number, t } from "../words/Localisation.ts"
import { type Failure, NotPossible, SignedOut } from "../editor/Problem.ts"
import { Settings } from "../editor/Settings.ts"
import type { Checked, CheckedRepository, LeakFinding, LeakPlace, ReplacedLeak } from "./LeakFinding.ts"
import { planText, plannedText } from "./PlanText.ts"
import { absentIn, goneSince } from "./ReplacedLeaks.ts"
import { Detection } from "../detection/Detection.ts"
import { Lines } from "../detection/Lines.ts"
import { repositoryOf } from "../detection/Repository.ts"
import { fileName, isInside } from "../editor/Uri.ts"
import { type Folder, type Scope, titleOf } from "./CheckScope.ts"
import { LeakEngine } from "./LeakEngine.ts"
import { makeRepositoryRules } from "./RepositoryRules.ts"
import { stoppable } from "./StoppableSearch.ts"
import { ofFile, ofSelection, type Scanned, throughEditor, noRules, type Rules } from "./Scans.ts"
import { followed, type LeakOccurrence, occurrenceOf } from "./LeakOccurrence.ts"
import * as leakSettings from "./LeakSettings.ts"
import * as connectionSettings from "../connection/ConnectionSettings.ts"

export class LeakChecks extends Context.Service<
  LeakChecks,
  {
    /**
     * Scans, shows the plan, asks once per profile, and searches. If it is cancelled during the searches, it returns
     * what it has found so far.
     */
    readonly check: (scope: Scope) => Effect.Effect<Checked, Failure | Cancelled>
    /** The open folder that a file or folder is in, the innermost one. */
    readonly folderOf: (uri: string) => Effect.Effect<Folder | undefined>
    /** The rules of the repository that a file is in. */
    readonly rulesOf: (uri: string) => Effect.Effect<Rules>
    readonly last: () => Checked | undefined
    readonly clear: Effect.Effect<void>
    /** The places of leaks by file; the same list as long as nothing changed there. */
    readonly occurrences: () => ReadonlyMap<string, ReadonlyArray<LeakOccurrence>>
    /** The occurrence at the place that the report names, at its current position. */
    readonly occurrenceAt: (uri: unknown, line: unknown, column: unknown) => LeakOccurrence | undefined
    readonly finding: (fingerprint: unknown) => LeakFinding | undefined
    /** The leaks of the last check, and of the one before it of the same files, whose value is no longer in the code. */
    readonly replaced: () => ReadonlyArray<ReplacedLeak>
    /** Whether the service is asked to close the leak. */
    readonly isClosing: (fingerprint: string) => boolean
    readonly setClosing: (fingerprint: string, isClosing: boolean) => Effect.Effect<void>
    /** Writes an entry into the ignore file, and evaluates the findings of the last check again. */
    readonly ignore: (
      finding: LeakFinding & { readonly repository: CheckedRepository },
      reason: string,
      days: number
    ) => Effect.Effect<void, Failure>
    /** Follows the values of a file that was edited. */
    readonly follow: (open: OpenText) => Effect.Effect<void>
    /** After any of it has changed. */
    readonly changes: Stream.Stream<void>
  }
>()("threat-exposure/leaks/LeakChecks") {
  static readonly layer = Layer.effect(
    LeakChecks,
    Effect.gen(function* () {
      const editor = yield* Editor
      const connections = yield* Connections
      const profiles = yield* Profiles
      const settings = yield* Settings
      const detection = yield* Detection
      const { folderScans, load } = yield* LeakEngine
      // One pending notice is enough: a subscriber reads the present state.
      const changes = yield* PubSub.sliding<void>(1)
      const notify = PubSub.publish(changes, undefined)
      let last: Checked | undefined
      /** Salts the fingerprints of the last check. */
      let salt = ""
      let occurrences: ReadonlyMap<string, ReadonlyArray<LeakOccurrence>> = new Map()
      /** The leaks of the check before the last one that the last one no longer found. */
      let gone: ReadonlyArray<ReplacedLeak> = []
      const closing = new Set<string>()

      const folderOf = Effect.fnUntraced(function* (uri: string) {
        const folders = yield* editor.folders
        return folders.filter((folder) => isInside(uri, folder.uri)).toSorted((a, b) => b.uri.length - a.uri.length)[0]
      })

      const repositoryAt = (folder: string) => Effect.provideService(repositoryOf(folder), Editor, editor)

      const rulesIn = yield* makeRepositoryRules

      const scan = Effect.fnUntraced(function* (
        scope: Scope,
        repository: CheckedRepository | undefined
      ): Effect.fn.Return<Scanned, Failure> {
        const ofRepository = repository === undefined ? Effect.succeed(noRules) : rulesIn(repository.root)
        if ("open" in scope) {
          const detector = yield* detection.load
          const rules = yield* ofRepository
          return scope._tag === "Selection"
            ? { candidates: ofSelection(detector, scope.open, rules), skipped: rules.skipped, gaps: [] }
            : ofFile(detector, scope.open, rules)
        }
        const root = editor.fsPath(scope.folder.uri)
        const failed = ({ message }: { readonly message: string }) => new NotPossible({ message })
        if (Option.isSome(folderScans) && Option.isSome(root)) {
          return yield* scope._tag === "Changes"
            ? folderScans.value
                .changes(root.value, yield* settings.get(leakSettings.baseBranch, scope.folder.uri))
                .pipe(Effect.mapError(failed))
            : folderScans.value.workspace(root.value, scope.below ?? "").pipe(Effect.mapError(failed))
        }
        if (scope._tag === "Changes") {
          return yield* new NotPossible({
            message: t(
              "Changes cannot be checked here, because git does not run in a browser. Check the file or the workspace instead."
            )
          })
        }
        const rules = yield* ofRepository
        return yield* throughEditor(yield* detection.load, scope.folder.uri, rules, scope.below ?? "").pipe(
          Effect.provideService(Editor, editor)
        )
      })

      /** For an open file, its own repository, which may be one of several in the open folder. */
      const checkedRepository = Effect.fnUntraced(function* (
        scope: Scope
      ): Effect.fn.Return<CheckedRepository | undefined> {
        const folder = "folder" in scope ? scope.folder : yield* folderOf(scope.open.uri)
        if (folder === undefined) return undefined
        const found = yield* repositoryAt("folder" in scope ? folder.uri : editor.join(scope.open.uri, ".."))
        const { repositoryNameIn } = yield* load
        const root = found?.root ?? folder.uri
        const remote = found === undefined ? undefined : repositoryNameIn(found.config)
        const name = remote ?? fileName(root).toLowerCase()
        return { folder: folder.uri, root, name, hasRemote: remote !== undefined }
      })

      const ignoreFile = Effect.fnUntraced(function* ({
        folder,
        root
      }: CheckedRepository): Effect.fn.Return<string, NotPossible> {
        const name = yield* settings.get(leakSettings.ignoreFile, folder)
        const { pathInside } = yield* load
        const path = pathInside(name)
        if (path === undefined) {
          return yield* new NotPossible({
            message: t("The setting leakCheck.ignoreFile is {0}, which leads out of the repository: correct it.", name)
          })
        }
        return editor.join(root, path)
      })

      const ignoreOf = Effect.fnUntraced(function* (repository: CheckedRepository | undefined) {
        const { noIgnoreFile, parseIgnoreFile } = yield* load
        if (repository === undefined) return noIgnoreFile
        const uri = yield* ignoreFile(repository)
        const name = yield* settings.get(leakSettings.ignoreFile, repository.folder)
        const text = (yield* textIfAny(editor.read(uri))) ?? ""
        return yield* parseIgnoreFile(text, name).pipe(Effect.mapError(({ message }) => new NotPossible({ message })))
      })

      /** The values that earlier checks of this profile found clean: keyed hashes, in the editor's own storage. */
      const cache = Effect.gen(function* () {
        const { connection, secret } = yield* profiles.current
        const key = keptKey("leakCheck.clean", connection.profile)
        const { cleanCache } = yield* load
        return cleanCache(
          {
            read: Effect.map(editor.recall("everywhere", key), (value) =>
              Predicate.isString(value) ? value : undefined
            ),
            write: (content) => editor.remember("everywhere", key, content)
          },
          secret
        )
      })

      const planOf = Effect.fnUntraced(function* (
        scope: Scope,
        scanned: Scanned,
        repository: CheckedRepository | undefined,
        { work }: Pick<BoundConnection, "work">
      ) {
        const domains = "folder" in scope ? yield* settings.get(leakSettings.domains, scope.folder.uri) : []
        const engine = yield* load
        const usual = engine.defaults(yield* DateTime.now)
        const searchesPerSecond = yield* settings.get(connectionSettings.searchesPerSecond)
        return yield* work(
          engine.plan({
            repository: repository?.name ?? "no-folder",
            settings: {
              ...usual,
              minSeverity: yield* settings.get(leakSettings.minSeverity),
              maxSearches: yield* settings.get(leakSettings.maxSearches),
              // A selection is searched even if it does not look like a secret.
              minConfidence: scope._tag === "Selection" ? 0 : usual.minConfidence,
              searchesPerSecond
            },
            ...(scope._tag === "Workspace" ? { candidates: scanned.candidates } : { added: scanned.candidates }),
            domains: domains.flatMap((domain) => engine.domainOf(domain) ?? []),
            ignore: yield* ignoreOf(repository),
            skipped: scanned.skipped,
            gaps: scanned.gaps
          })
        )
      })

      const consent = Effect.fnUntraced(function* (plan: Plan) {
        const connection = yield* profiles.now
        if (connection._tag !== "SignedIn") return yield* new SignedOut({ isExpired: connection._tag === "Expired" })
        const { name, baseUrl } = connection.profile
        const key = keptKey("leakCheck.consent", connection.profile)
        if ((yield* editor.recall("everywhere", key)) === baseUrl) return
        yield* editor.confirm(
          t("Search for leaks? {0}", planText(plan)),
          [
            plannedText(plan),
            t(
              "The values themselves are sent to {0}: for each, one search of credentials and one search of events. Nothing else in your files is sent, and nothing is sent elsewhere. You are asked once for the profile “{1}”; later checks show their cost while they run.",
              baseUrl,
              name
            )
          ].join("\n\n"),
          t("Search")
        )
        yield* editor.remember("everywhere", key, baseUrl)
      })

      const check = Effect.fnUntraced(function* (scope: Scope): Effect.fn.Return<Checked, Failure | Cancelled> {
        const connection = yield* profiles.now
        if (connection._tag !== "SignedIn") return yield* new SignedOut({ isExpired: connection._tag === "Expired" })
        const bound = yield* connections.asNow
        const repository = yield* checkedRepository(scope)
        const scanning = scan(scope, repository)
        const scanned =
          "folder" in scope ? yield* editor.progress(t("Looking for secrets"), () => scanning) : yield* scanning
        const engine = yield* load
        const known = Layer.merge(yield* cache, engine.scrypt)
        const plan = yield* planOf(scope, scanned, repository, bound).pipe(Effect.provide(known))
        if (plan.searches.length > 0) yield* consent(plan)

        const publish = Effect.fnUntraced(function* (report: Report) {
          const rows = report.leaks.map((leak): LeakFinding => ({
            leak,
            provider: leak.subject.type === "value" ? engine.providerOf(leak.subject)?.name : undefined,
            repository,
            places: placesOf(leak, scope)
          }))
          const values = new Set(scanned.candidates.map(({ value }) => Redacted.value(value)))
          gone = goneSince({ last, occurrences, salt }, { report, title: titleOf(scope), values })
          last = {
            title: titleOf(scope),
            report,
            rows,
            gaps: engine.inWords(report, report.gaps),
            notices: engine.inWords(report, report.notices)
          }
          salt = report.repository
          occurrences = yield* occurrencesOf(rows, scanned.candidates)
          yield* keepLast
          yield* notify
          return last
        })
        const search = (until: Effect.Effect<void>, say: (message: string, percent: number) => Effect.Effect<void>) =>
          bound
            .workUntilEnd((ended) =>
              engine.run(plan, {
                until: Effect.raceFirst(until, ended),
                onProgress: ({ searched, planned, leaked }) =>
                  say(
                    t("{0} of {1} searches, {2} leaked", number(searched), number(planned), number(leaked)),
                    (searched / Math.max(1, planned)) * 100
                  )
              })
            )
            .pipe(Effect.provide(known))
        return yield* stoppable(editor, t("Searching for leaks: {0}", planText(plan)), search).pipe(
          Effect.catchTag("SearchesRefused", ({ refusal, report }) =>
            Effect.andThen(publish(report), Effect.fail(refusal))
          ),
          Effect.flatMap(publish)
        )
      })

      const keepLast = Effect.gen(function* () {
        const kept = last === undefined ? undefined : (yield* load).keep(last, salt)
        yield* editor.remember("here", keptLast, kept)
      })

      /** The findings first, then their places: a value is known again by its fingerprint, wherever it is in its file by now. */
      const restoreLast = Effect.gen(function* () {
        const kept = yield* editor.recall("here", keptLast)
        if (kept === undefined) return
        const engine = yield* load
        const restored = engine.restore(kept)
        if (restored === undefined || last !== undefined) return
        const { checked } = restored
        last = checked
        salt = restored.salt
        yield* notify
        const found = new Map<string, ReadonlyArray<LeakOccurrence>>()
        for (const [uri, places] of placesByFile(checked.rows)) {
          const open = yield* Effect.option(editor.textOf(uri))
          if (Option.isNone(open)) continue
          const rules = new Set(
            places.flatMap(({ row: { leak } }) =>
              leak.subject.type === "value" ? leak.subject.locations.map(({ rule }) => rule) : []
            )
          )
          const { candidates } = ofFile(yield* detection.load, open.value, yield* rulesOf(uri))
          const lines = new Lines(open.value.text)
          const left = [...places]
          const here: Array<LeakOccurrence> = []
          for (const candidate of candidates.filter(({ rule }) => rules.has(rule)).slice(0, maxFingerprints)) {
            const name = yield* Effect.provide(engine.fingerprint(candidate.value, salt), engine.scrypt)
            const at = left.findIndex(({ row }) => row.leak.fingerprint === name)
            const [match] = at === -1 ? [] : left.splice(at, 1)
            if (match !== undefined) here.push(...[occurrenceOf(match.row, match.place, candidate, lines) ?? []].flat())
          }
          found.set(uri, here)
        }
        if (last !== checked) return
        occurrences = found
        yield* notify
      })

      const placesOf = ({ subject }: Leak, scope: Scope): ReadonlyArray<LeakPlace> =>
        subject.type === "domain"
          ? []
          : subject.locations.map(({ path, line, column, removed }) => {
              const uri = "open" in scope ? scope.open.uri : editor.join(scope.folder.uri, path)
              return { uri, path, line, column, isRemoved: removed }
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
          // The file may be one that a later commit removed.
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

      const rulesOf = Effect.fnUntraced(function* (uri: string) {
        const folder = yield* folderOf(uri)
        if (folder === undefined) return noRules
        return yield* rulesIn((yield* repositoryAt(editor.join(uri, "..")))?.root ?? folder.uri)
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

      // Not awaited: the views are drawn meanwhile.
      yield* Effect.forkScoped(restoreLast)

      return LeakChecks.of({
        check,
        folderOf,
        rulesOf,
        last: () => last,
        clear: Effect.suspend(() => {
          last = undefined
          gone = []
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
        replaced: () => [...absentIn(last, occurrences), ...gone],
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
            const after = before.map((occurrence) => followed(occurrence, lines))
            if (after.every((occurrence, index) => occurrence === before[index])) return
            occurrences = new Map([...occurrences, [open.uri, after]])
            yield* notify
          }),
        changes: Stream.fromPubSub(changes)
      })
    })
  )
}

/** The key under which the folder's storage has the last check. */
const keptLast = "leaks.last"

/** A fingerprint takes 10 ms. */
const maxFingerprints = 50

const placesByFile = (rows: ReadonlyArray<LeakFinding>) =>
  Map.groupBy(
    rows.flatMap((row) => row.places.map((place) => ({ row, place }))),
    ({ place }) => place.uri
  )
