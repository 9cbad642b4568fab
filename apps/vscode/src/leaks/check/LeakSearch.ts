/** Runs a check from its scope to its report: scans a file, a folder or a change, and searches for the candidates. */
import type { Candidate } from "@threat-exposure/detect/Candidate"
import type { Report } from "@threat-exposure/leak-check/Report"
import type { Plan } from "@threat-exposure/leak-check/search/Plan"
import { DateTime, Deferred, Effect, Fiber, Layer, Option, Predicate } from "effect"
import { keptKey } from "../../connection/Connection.ts"
import { type BoundConnection, Connections } from "../../connection/Connections.ts"
import * as connectionSettings from "../../connection/ConnectionSettings.ts"
import { Profiles } from "../../connection/Profiles.ts"
import { Detection } from "../../detection/Detection.ts"
import { Cancelled, Editor, textIfAny } from "../../editor/Editor.ts"
import { type Failure, NotPossible } from "../../editor/Problem.ts"
import { Settings } from "../../editor/Settings.ts"
import { number, t } from "../../words/Localisation.ts"
import type { CheckedRepositories } from "./CheckedRepositories.ts"
import type { Scope } from "./CheckScope.ts"
import { LeakEngine } from "./LeakEngine.ts"
import type { CheckedRepository } from "../LeakFinding.ts"
import * as leakSettings from "./LeakSettings.ts"
import { plannedText, planText } from "./PlanText.ts"
import { noRules, ofFile, ofSelection, type Scanned, throughEditor } from "./Scans.ts"

export interface FoundLeaks {
  readonly repository: CheckedRepository | undefined
  readonly candidates: ReadonlyArray<Candidate>
  readonly profile: string
  readonly report: Report
}

/** Scans, shows the plan, asks for consent once per profile, and searches. */
export const makeLeakSearch = Effect.fnUntraced(function* ({ ignoreFile, repositoryOf, rulesIn }: CheckedRepositories) {
  const editor = yield* Editor
  const connections = yield* Connections
  const profiles = yield* Profiles
  const settings = yield* Settings
  const detection = yield* Detection
  const { folderScans, load } = yield* LeakEngine

  const scan = Effect.fnUntraced(function* (
    scope: Scope,
    repository: CheckedRepository | undefined
  ): Effect.fn.Return<Scanned, Failure> {
    const ofRepository = repository === undefined ? Effect.succeed(noRules) : rulesIn(repository)
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
      const include = yield* settings.get(leakSettings.include, scope.folder.uri)
      return yield* scope._tag === "Changes"
        ? folderScans.value
            .changes(root.value, yield* settings.get(leakSettings.baseBranch, scope.folder.uri), include)
            .pipe(Effect.mapError(failed))
        : folderScans.value.workspace(root.value, scope.below ?? "", include).pipe(Effect.mapError(failed))
    }
    if (scope._tag === "Changes") {
      return yield* new NotPossible({
        message: t(
          "Changes cannot be checked here, because git needs a folder on a disk. Check the file or the workspace instead."
        )
      })
    }
    const rules = yield* ofRepository
    return yield* throughEditor(yield* detection.load, scope.folder.uri, rules, scope.below ?? "").pipe(
      Effect.provideService(Editor, editor)
    )
  })

  const ignoreOf = Effect.fnUntraced(function* (repository: CheckedRepository | undefined) {
    const { noIgnoreFile, parseIgnoreFile } = yield* load
    if (repository === undefined) return noIgnoreFile
    const uri = yield* ignoreFile(repository)
    const name = yield* settings.get(leakSettings.ignoreFile, repository.folder)
    const text = (yield* textIfAny(editor.read(uri))) ?? ""
    return yield* parseIgnoreFile(text, name).pipe(Effect.mapError(({ message }) => new NotPossible({ message })))
  })

  /** Values that earlier checks of this profile found clean: keyed hashes in the editor's storage. */
  const cache = Effect.gen(function* () {
    const { connection, secret } = yield* profiles.current
    const key = keptKey("leakCheck.clean", connection.profile)
    const { cleanCache } = yield* load
    return cleanCache(
      {
        read: Effect.map(editor.recall("everywhere", key), (value) => (Predicate.isString(value) ? value : undefined)),
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
          // Search for a selection even if it does not look like a secret.
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
    const { profile } = yield* profiles.requireSignedIn
    const { name, baseUrl } = profile
    const key = keptKey("leakCheck.consent", profile)
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

  /** If cancelled during the searches, publishes the results so far. */
  return Effect.fnUntraced(function* <Published>(
    scope: Scope,
    publish: (found: FoundLeaks) => Effect.Effect<Published>
  ): Effect.fn.Return<Published, Failure | Cancelled> {
    const { profile } = yield* profiles.requireSignedIn
    const bound = yield* connections.asNow
    const repository = yield* repositoryOf(scope)
    const scanning = scan(scope, repository)
    const scanned =
      "folder" in scope ? yield* editor.progress(t("Looking for secrets"), () => scanning) : yield* scanning
    const engine = yield* load
    const known = Layer.merge(yield* cache, engine.scrypt)
    const plan = yield* planOf(scope, scanned, repository, bound).pipe(Effect.provide(known))
    if (plan.searches.length > 0) yield* consent(plan)

    const publishReport = (report: Report) =>
      publish({ repository, candidates: scanned.candidates, profile: profile.name, report })
    const search = (until: Effect.Effect<void>, say: (message: string, percent: number) => Effect.Effect<void>) =>
      bound
        .workUntilEnd((ended) =>
          engine.run(plan, {
            until: Effect.raceFirst(until, ended),
            onProgress: ({ searched, planned, leaked }) =>
              say(
                t("Searches: {0} of {1}, {2} leaked", number(searched), number(planned), number(leaked)),
                (searched / Math.max(1, planned)) * 100
              )
          })
        )
        .pipe(Effect.provide(known))
    return yield* stoppable(editor, t("Searching for leaks: {0}", planText(plan)), search).pipe(
      Effect.catchTag("SearchesRefused", ({ refusal, report }) =>
        Effect.andThen(publishReport(report), Effect.fail(refusal))
      ),
      Effect.flatMap(publishReport)
    )
  })
})

/** Shows progress; cancelling it stops the searches and returns the results so far. */
const stoppable = <A, E, R>(
  editor: Editor["Service"],
  title: string,
  search: (
    until: Effect.Effect<void>,
    say: (message: string, percent: number) => Effect.Effect<void>
  ) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | Cancelled, R> =>
  Effect.scoped(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const enough = yield* Deferred.make<void>()
      const searching = yield* Deferred.make<Fiber.Fiber<A, E>>()
      const started = Effect.flatMap(Deferred.await(searching), Fiber.join)
      return yield* editor
        .progress(title, (say) =>
          search(Deferred.await(enough), say).pipe(
            Effect.forkIn(scope),
            Effect.flatMap((fiber) => Deferred.succeed(searching, fiber)),
            Effect.uninterruptible,
            Effect.andThen(started)
          )
        )
        .pipe(Effect.catchIf(Cancelled.is, () => Effect.andThen(Deferred.succeed(enough, undefined), started)))
    })
  )
