/** Runs a leak check from the command line: selection, plan, searches and outputs. */
import { counted } from "@threat-exposure/leak-check/Counted"
import { settingsOf } from "@threat-exposure/leak-check/config/ConfigSettings"
import { worthSearching } from "@threat-exposure/leak-check/target/NamedSecrets"
import { layer as scryptLayer } from "@threat-exposure/leak-check/node/NodeScrypt"
import { make as planOf, type Plan } from "@threat-exposure/leak-check/search/Plan"
import { skip } from "@threat-exposure/leak-check/Skip"
import { ciEvent, whyUnknownSystem } from "@threat-exposure/leak-check/range/CiEvent"
import { Clone, layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import { rulesFrom } from "@threat-exposure/leak-check/range/WorkflowEvent"
import { environmentVariable } from "@threat-exposure/leak-check/EnvironmentVariable"
import { isComplete, type Report } from "@threat-exposure/leak-check/Report"
import { layerNoDeps as scannerLayer } from "@threat-exposure/detect/node/NodeScanner"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Prompt from "effect/cli/Prompt"
import { exitCodes } from "../ExitCode.ts"
import { callerPath } from "../request/CallerPath.ts"
import { fileFailure } from "../output/FileFailure.ts"
import { say } from "../output/Output.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"
import { standardInput } from "../request/StandardInput.ts"
import type { CheckFlagValues } from "./CheckFlags.ts"
import { exitCodeOf, type Output, outputsOf, publish } from "./CheckReport.ts"
import { fromFile, fromStandardInput, fromVariables } from "./GivenSecrets.ts"
import { scanMachine } from "./MachineFiles.ts"
import type { StealerLogs } from "./CheckSearch.ts"
import type { MachineName } from "./MachineNames.ts"
import { findingsIn } from "./ScannerFindings.ts"
import {
  endsOf,
  eventOf,
  headCommit,
  noCommit,
  pushedRefs,
  nothingSelected,
  select,
  type Selection,
  type SelectionFlags
} from "./Selection.ts"
import { appliedSettings, readIgnoreFile } from "./AppliedSettings.ts"
import { topFolderOf } from "./Worktree.ts"

export const check = Effect.fnUntraced(
  function* (flags: CheckFlagValues) {
    const outputs = yield* outputsOf(flags.output)
    if (flags.machine) yield* validateMachineFlags(flags)
    const { folder, path } = yield* resolveGivenPath(flags.path)
    const finding = topFolderOf(folder)
    const isAlone = !readsCode(flags)
    const top = yield* isAlone ? Effect.orElseSucceed(finding, () => undefined) : finding
    const root = top ?? folder
    const named = { ...(yield* namedSecretsOf(flags, root)), isAlone }
    const below = Option.isSome(flags.path) ? yield* globBelow(root, path) : undefined
    yield* runCheck(flags, { below, outputs, named, root, isInRepository: top !== undefined }).pipe(
      Effect.provide(cloneLayer({ root, isTop: top !== undefined }))
    )
  },
  Effect.provide([scannerLayer, scryptLayer])
)

/**
 * `path` is the given path, by default the caller's folder; `folder` is the same or, for a file, its parent. A given link
 * stands for the file or folder that it leads to.
 */
const resolveGivenPath = Effect.fnUntraced(function* (given: Option.Option<string>) {
  // In a script, an unset variable gives an empty path.
  if (Option.contains(given, "")) return yield* new UsageInvalid({ message: "PATH is empty: name a file or folder" })
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const named = yield* callerPath(Option.getOrElse(given, () => "."))
  if (Option.isNone(given)) return { folder: named, path: named }
  const { path, type } = yield* files.realPath(named).pipe(
    Effect.flatMap((path) => Effect.map(files.stat(path), ({ type }) => ({ path, type }))),
    Effect.mapError(({ reason }) => new UsageInvalid({ message: `${named} cannot be read (${fileFailure(reason)})` }))
  )
  if (type !== "Directory" && type !== "File") {
    return yield* new UsageInvalid({ message: `${named} is neither a file nor a folder` })
  }
  return { folder: type === "Directory" ? path : paths.dirname(path), path }
})

/** A glob that matches the path and everything below it; undefined if the path is the root itself. */
const globBelow = Effect.fnUntraced(function* (root: string, path: string) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const real = (file: string) => Effect.orElseSucceed(files.realPath(file), () => file)
  const below = paths
    .relative(yield* real(root), yield* real(path))
    .split(paths.sep)
    .join("/")
  return below === "" ? undefined : below.replaceAll(/[!()*+?@[\]\\{|}]/gu, "\\$&")
})

interface CheckContext {
  /** Glob of the files to check; undefined for all files that the settings select. */
  readonly below: string | undefined
  readonly outputs: ReadonlyArray<Output>
  readonly named: Effect.Success<ReturnType<typeof namedSecretsOf>> & {
    /** Whether only given values are checked, and no code. */
    readonly isAlone: boolean
  }
  readonly root: string
  readonly isInRepository: boolean
}

const runCheck = Effect.fnUntraced(function* (
  flags: CheckFlagValues,
  { below, isInRepository, named, outputs, root }: CheckContext
) {
  const wanted = named.isAlone ? undefined : yield* selectionFlagsOf(flags, isInRepository)
  const event = wanted?._tag === "Ci" ? wanted.ci.event : undefined
  const applied = yield* appliedSettings(flags.settings, { root, event: eventOf(wanted) })
  const { failsOnCandidates, settings } = applied
  if (below !== undefined && Option.isSome(flags.settings.paths)) {
    return yield* new UsageInvalid({ message: "Give either PATH or --paths: both say which files are checked" })
  }
  if (failsOnCandidates && !flags.offline) {
    return yield* new UsageInvalid({ message: "--fail-on candidates needs --offline" })
  }
  const selecting =
    wanted === undefined
      ? Effect.succeed(nothingSelected)
      : select(wanted, {
          root,
          paths: below === undefined ? (settings.paths ?? []) : [below],
          exclude: settings.exclude ?? [],
          include: settings.include,
          maxCandidates: settings["max-candidates"],
          maxDuration: settings["reading-deadline"],
          scan: settings.scan,
          ruleFiles: applied.ruleFiles
        })
  const [selection, repository] = yield* Effect.all(
    [selecting, Effect.flatMap(Clone, (clone) => clone.repositoryName)],
    { concurrency: "unbounded" }
  )
  const { scan } = selection
  yield* say(describe(selection, named.isAlone))
  const plan = yield* planOf({
    repository,
    settings: settingsOf(settings, {
      isChange: event !== undefined && rulesFrom(event) !== undefined,
      now: yield* DateTime.now
    }),
    secrets: worthSearching(named.secrets, undefined),
    hidden: named.secrets.map(({ value }) => value),
    added: scan.added,
    candidates: [...scan.rest, ...named.candidates],
    domains: settings.domains ?? [],
    loginDomains: settings["login-domains"] ?? [],
    ...(yield* readIgnoreFile(applied, { root, range: scan.range })),
    skipped: scan.skipped,
    gaps: [...applied.gaps, ...scan.gaps, ...named.gaps]
  })
  if (!flags.offline) yield* say(`Plan: ${plan.summary}`)
  if (!flags.offline && named.machineNames.length > 0) {
    const titles = named.machineNames.map(({ title }) => title)
    yield* say(`Then stealer logs are searched, with one search each, for the ${titles.join(", the ")}`)
  }
  if (flags.machine && !flags.offline && !flags.yes) yield* confirmSearch
  const { isAnswered, isInStealerLog, refused, report, unwritten } = yield* untilCancelled((cancelled) =>
    Effect.gen(function* () {
      const outcome = yield* flags.offline
        ? listPlan(plan)
        : Effect.flatMap(search, ({ runSearches }) => runSearches(plan, cancelled))
      const isSearched = !flags.offline && outcome.report.skipped === null && outcome.refused === undefined
      const logs = isSearched
        ? yield* stealerLogsOf(named.machineNames, settings["max-searches"] - outcome.report.searches)
        : noStealerLogs
      const report = withStealerLogs(outcome.report, logs)
      const unwritten = yield* publish(outputs, {
        report,
        range: selection.range,
        ignoreFile: settings["ignore-file"]
      })
      return { ...outcome, report, isInStealerLog: logs.found.length > 0, unwritten }
    })
  )
  const exitCode = exitCodeOf(report, {
    failOn: failsOnCandidates ? "candidates" : settings["fail-on"],
    isAnswered,
    isInStealerLog,
    offline: flags.offline,
    onIncomplete: settings["on-incomplete"]
  })
  if (exitCode !== exitCodes.leaked) {
    if (unwritten !== undefined) return yield* unwritten
    if (refused !== undefined) return yield* Effect.fail(refused)
  }
  if (exitCode !== exitCodes.done) return yield* new CheckEnded({ exitCode, message: unwritten?.message ?? "" })
})

/** Imported only for a search: the client takes longer to load than a check without searches. */
const search = Effect.promise(() => import("./CheckSearch.ts"))

const noStealerLogs: StealerLogs = { found: [], gaps: [] }

const stealerLogsOf = Effect.fnUntraced(function* (names: ReadonlyArray<MachineName>, maxSearches: number) {
  const searched = names.slice(0, Math.max(0, maxSearches))
  const logs =
    searched.length === 0
      ? noStealerLogs
      : yield* Effect.flatMap(search, (module) => module.searchStealerLogs(searched))
  const left = names.slice(searched.length)
  const gaps = left.map(({ title }) => `Stealer logs were not searched for the ${title}: raise --max-searches`)
  return { found: logs.found, gaps: [...logs.gaps, ...gaps] }
})

const withStealerLogs = (report: Report, { found, gaps }: StealerLogs): Report => ({
  ...report,
  verdict: found.length > 0 ? "leaked" : gaps.length > 0 && report.verdict === "clean" ? "incomplete" : report.verdict,
  notices: [...found, ...report.notices],
  gaps: [...report.gaps, ...gaps]
})

/** Resolves `cancelled` when the program is interrupted, so that `work` can end early and report what it found. */
const untilCancelled = Effect.fnUntraced(function* <A, E, R>(
  work: (cancelled: Effect.Effect<void>) => Effect.Effect<A, E, R>
) {
  const cancelled = yield* Deferred.make<void>()
  const fiber = yield* Effect.forkDetach(work(Deferred.await(cancelled)))
  return yield* Fiber.join(fiber).pipe(
    Effect.onInterrupt(() =>
      Effect.andThen(
        Deferred.succeed(cancelled, undefined),
        // Bounded: a blocked output must not keep the program from ending.
        Effect.timeoutOption(Fiber.await(fiber), "5 seconds")
      )
    )
  )
})

/**
 * Carries the exit code of a completed check, whose report gives the reason; `message` adds problems outside the
 * report.
 */
export class CheckEnded extends Schema.TaggedError<CheckEnded>()("CheckEnded", {
  exitCode: Schema.Int,
  message: Schema.String
}) {}

const namedSecretsOf = Effect.fnUntraced(function* (given: CheckFlagValues, root: string) {
  const ofVariables = yield* fromVariables(given.secretEnv)
  const ofFile = Option.isNone(given.secretsFile)
    ? []
    : yield* Effect.flatMap(callerPath(given.secretsFile.value), fromFile)
  const ofInput = given.stdin ? yield* fromStandardInput : { secrets: [], candidates: [] }
  const findings = yield* Effect.forEach(given.findings, (file) => findingsIn(file, root))
  const machine = given.machine ? yield* scanMachine : undefined
  const scans = [...findings, ...(machine === undefined ? [] : [machine])]
  return {
    secrets: [...ofVariables, ...ofFile, ...ofInput.secrets],
    candidates: [...ofInput.candidates, ...scans.flatMap(({ candidates }) => candidates)],
    gaps: scans.flatMap(({ gaps }) => gaps),
    machineNames: machine?.names ?? []
  }
})

/** Checks the flags before any file is read: the search for values of a person's files needs confirmation. */
const validateMachineFlags = Effect.fnUntraced(function* (flags: CheckFlagValues) {
  if (
    flags.staged ||
    flags.push ||
    flags.tree ||
    flags.history ||
    Option.isSome(flags.range) ||
    Option.isSome(flags.path)
  ) {
    return yield* new UsageInvalid({
      message: "--machine reads files of your home folder: run a second check for the code of a repository"
    })
  }
  const stdio = yield* Stdio.Stdio
  const canAnswer = (yield* stdio.stdinIsTerminal) && (yield* stdio.stdoutIsTerminal)
  if (flags.offline || flags.yes || canAnswer) return
  return yield* new UsageInvalid({
    message: "--machine searches for values of your files: give --yes to confirm it, or --offline to list them"
  })
})

const confirmSearch = Effect.gen(function* () {
  if (yield* Prompt.run(Prompt.Confirm({ message: "Search for these values?" }))) return
  return yield* new UsageInvalid({ message: "Nothing was searched" })
})

/** Whether code is checked, not only given values. */
const readsCode = (given: CheckFlagValues): boolean =>
  given.staged ||
  given.push ||
  given.tree ||
  given.history ||
  Option.isSome(given.range) ||
  Option.isSome(given.path) ||
  !(
    given.machine ||
    given.stdin ||
    given.secretEnv.length + given.findings.length > 0 ||
    Option.isSome(given.secretsFile)
  )

const selectionFlagsOf = Effect.fnUntraced(function* (given: CheckFlagValues, isInRepository: boolean) {
  const scopeFlags = [given.staged, given.push, Option.isSome(given.range), given.tree, given.history]
  if (scopeFlags.filter(Boolean).length > 1 || (given.push && given.stdin)) {
    return yield* new UsageInvalid({
      message:
        "Give only one of --staged, --push, --range, --tree and --history; --push and --stdin cannot be used together"
    })
  }
  // A folder outside a repository is read only if the user names it.
  const isTree = given.tree || (!isInRepository && Option.isSome(given.path) && !scopeFlags.includes(true))
  if (!isInRepository && !isTree) {
    return yield* new UsageInvalid({
      message:
        "This folder is not in a git work tree, or git is not installed: change to a folder in one, name one (check PATH), or give --tree for all files of the folder, --stdin, --secret-env, --secrets-file or --findings"
    })
  }
  const flag: ReadonlyArray<SelectionFlags> = [
    ...(given.staged ? [{ _tag: "Staged" } as const] : []),
    ...(given.push ? [{ _tag: "Push", refs: yield* refsOfPush, remote: yield* remoteOfPush } as const] : []),
    ...(Option.isSome(given.range) ? [{ _tag: "Range", ...(yield* endsOf(given.range.value)) } as const] : []),
    ...(isTree ? [{ _tag: "Tree" } as const] : []),
    ...(given.history ? [{ _tag: "History" } as const] : [])
  ]
  if (flag[0] !== undefined) return flag[0]
  const ci = yield* ciEvent
  const selection: SelectionFlags =
    ci === undefined ? { _tag: "Worktree", gap: yield* whyUnknownSystem } : { _tag: "Ci", ci }
  return selection
})

/** git passes the name of the remote to the hook as an argument, pre-commit in this variable. */
const remoteOfPush = Effect.map(environmentVariable("PRE_COMMIT_REMOTE_NAME"), (name) => name ?? "origin")

/**
 * The refs from standard input, where git writes them for a pre-push hook; under pre-commit, which consumes these
 * lines, from its variables.
 */
const refsOfPush = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  // At a terminal, reading would block until somebody types.
  const lines = (yield* stdio.stdinIsTerminal) ? [] : pushedRefs(yield* standardInput)
  if (lines.length > 0) return lines
  const head = yield* environmentVariable("PRE_COMMIT_TO_REF")
  if (head !== undefined) {
    const before = yield* environmentVariable("PRE_COMMIT_FROM_REF")
    return pushedRefs(`- ${head} - ${before ?? noCommit}`)
  }
  if ((yield* headCommit) === null) {
    return yield* new UsageInvalid({ message: "--push: this repository has no commit yet: commit first" })
  }
  // Some hook managers do not pass on standard input, which must not disable the check.
  return pushedRefs(`- HEAD - ${noCommit}`)
})

/** Describes the range and its source, for the first line of output. */
const describe = ({ range, scan }: Selection, isAlone: boolean): string => {
  const { base, commits, event, head, source } = range
  const files = counted(scan.files, "file")
  const what =
    commits === null
      ? files
      : `${counted(commits, "commit")}${base === null || head === null ? "" : ` (${base.slice(0, 12)}..${head.slice(0, 12)})`}`
  if (isAlone) return "Checking the given values"
  switch (source) {
    case "worktree":
      return `Checking what is not committed yet: ${files}`
    case "staged":
      return `Checking what is staged: ${files}`
    case "pre-push":
      return `Checking what the push sends: ${what}`
    case "flag":
      return `Checking ${what}`
    default:
      return `Checking ${what} for ${event === null ? "a build whose event is unknown" : eventNames[event]} (${source})`
  }
}

const eventNames = {
  "change-request": "a change request",
  "merge-queue": "an entry of a merge queue",
  push: "a push",
  tag: "a tag",
  schedule: "a scheduled run",
  manual: "a manual run"
} as const

/** Lists the candidates without a search; if there are any, the verdict is `incomplete`. */
const listPlan = Effect.fnUntraced(function* (plan: Plan) {
  const report = yield* skip(plan, "not searched (--offline)")
  const listing: Report = { ...report, skipped: null, verdict: isComplete(report) ? "clean" : "incomplete" }
  return { report: listing, refused: undefined, isAnswered: false }
})
