import { type IgnoreFile, empty, parse } from "@threat-exposure/leak-check/IgnoreFile"
import { plan as planOf, type Progress, run, skip } from "@threat-exposure/leak-check/LeakCheck"
import { layer as scryptLayer } from "@threat-exposure/leak-check/node/NodeScrypt"
import type { Plan } from "@threat-exposure/leak-check/Plan"
import { layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import type { EventScan } from "@threat-exposure/leak-check/range/ScanEvent"
import type { Report } from "@threat-exposure/leak-check/Report"
import { repositoryNameOf } from "@threat-exposure/leak-check/RepositoryName"
import { defaults } from "@threat-exposure/leak-check/Settings"
import { durationOf, instantOf } from "@threat-exposure/leak-check/TimeInput"
import { severities } from "@threat-exposure/core/domain/Severity"
import { Git } from "@threat-exposure/detect/git/Git"
import { gitLayer, layer as scannerLayer } from "@threat-exposure/detect/node/NodeScanner"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { exitCodeOf, formatted, type OutputFormat, outputFormats } from "../check/CheckReport.ts"
import { fromFile, fromText, fromVariables } from "../check/GivenSecrets.ts"
import { topFolderOf } from "../check/Worktree.ts"
import { pushedRefs, type SelectionFlags, select, type Selection } from "../check/Selection.ts"
import { client, NotSignedIn, resolveConnection } from "../connection/Connection.ts"
import { callerPath } from "../output/CallerPath.ts"
import { hasColors, json, say } from "../output/Output.ts"
import { domainsOf, listFlag, optionalText } from "../request/Flags.ts"
import { Misused } from "../request/Misused.ts"

const off = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDefault(false), Flag.withDescription(description))

const flags = {
  staged: off("staged", "What is staged, as the next commit would have it"),
  push: off("push", "What a push sends: for a pre-push hook, whose lines come on standard input"),
  range: optionalText("range", "A..B", "The lines that the commits of B and not of A add"),
  tree: off("tree", "Every file that is tracked, or neither tracked nor ignored"),
  history: off("history", "Every line that was ever added, on all branches and tags"),
  stdin: off("stdin", "Standard input: a dotenv file, a JSON object of strings, or any text"),
  secretEnv: listFlag("secret-env", "LIST", "Variables whose values to check"),
  secretsFile: optionalText("secrets-file", "FILE", "A dotenv file or a JSON object of strings, whose values to check"),
  domains: listFlag("domains", "LIST", "Domains of the organisation: addresses of them that leaked"),
  loginDomains: listFlag("login-domains", "LIST", "Domains that leaked accounts log in to"),
  paths: listFlag("paths", "GLOBS", "Only these files, such as src/**"),
  exclude: listFlag("exclude", "GLOBS", "Not these files"),
  failOn: Flag.Literals("fail-on", ["any", "credentials", "events", "none", "candidates"]).pipe(
    Flag.withDefault("any"),
    Flag.withDescription("Which leaks make the exit code 1; none only warns; candidates is for --offline")
  ),
  minSeverity: Flag.Literals("min-severity", severities).pipe(
    Flag.withDefault("low"),
    Flag.withDescription("Events below it do not count")
  ),
  since: Flag.String("since").pipe(
    Flag.withMetavar("WHEN"),
    Flag.withDefault("30d"),
    Flag.withDescription("For domains: what was imported or created earlier does not count")
  ),
  domainLeaks: Flag.Literals("domain-leaks", ["fail", "warn", "off"]).pipe(
    Flag.withDefault("fail"),
    Flag.withDescription("Whether leaks of a domain count, are reported only, or are not searched")
  ),
  maxSearches: Flag.Int("max-searches").pipe(
    Flag.withMetavar("N"),
    Flag.withDefault(200),
    Flag.withDescription("Search requests in all")
  ),
  quotaReserve: Flag.Int("quota-reserve").pipe(
    Flag.withMetavar("N"),
    Flag.withDefault(0),
    Flag.withDescription("Units of the search quota to leave")
  ),
  deadline: Flag.String("deadline").pipe(
    Flag.withMetavar("SPAN"),
    Flag.withDefault("10m"),
    Flag.withDescription("How long the searches may take")
  ),
  onIncomplete: Flag.Literals("on-incomplete", ["fail", "warn"]).pipe(
    Flag.withDefault("fail"),
    Flag.withDescription("Whether something that could not be checked makes the exit code 3")
  ),
  ignoreFile: Flag.String("ignore-file").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDefault(".threat-exposure-ignore.yml"),
    Flag.withDescription("Fingerprints of leaks that were dealt with")
  ),
  offline: off("offline", "List the candidates and search for none of them; needs no token"),
  output: Flag.String("output").pipe(
    Flag.withMetavar("FORMAT[=FILE]"),
    Flag.atLeast(0),
    Flag.withDescription(`${outputFormats.join(", ")}; into a file, or on standard output; may be repeated`)
  )
}

interface Output {
  readonly format: OutputFormat
  readonly file: string | undefined
}

const outputOf = Effect.fnUntraced(function* (given: string) {
  const [, name = "", file] = /^([^=]*)(?:=(.+))?$/su.exec(given) ?? []
  const format = outputFormats.find((format) => format === name)
  if (format === undefined) {
    return yield* new Misused({ message: `--output: ${JSON.stringify(name)} is none of ${outputFormats.join(", ")}` })
  }
  const output: Output = { format, file: file === undefined ? undefined : yield* callerPath(file) }
  return output
})

/** The exit code of a check that is done: its report says why. */
class CheckEnded extends Schema.TaggedError<CheckEnded>()("CheckEnded", { exitCode: Schema.Int }) {
  override get message() {
    return ""
  }
}

const standardInput = Effect.gen(function* () {
  const { stdin } = yield* Stdio.Stdio
  return yield* Effect.orElseSucceed(Stream.mkString(Stream.decodeText(stdin)), () => "")
})

const nothingScanned: EventScan = { added: [], rest: [], range: undefined, skipped: [], gaps: [], files: 0 }

export const check = Command.make(
  "check",
  flags,
  Effect.fnUntraced(
    function* (given) {
      const outputs = yield* Effect.forEach(given.output, outputOf)
      const settings = yield* settingsOf(given)
      const named = yield* namedSecretsOf(given)
      const folder = yield* callerPath(".")
      const root = yield* topFolderOf(folder)
      const selection = yield* selectionOf(given, root, named.isAlone)
      if (given.failOn === "candidates" && !given.offline) {
        return yield* new Misused({ message: "--fail-on candidates goes with --offline" })
      }
      yield* say(describe(selection, named.isAlone))
      const { scan } = selection
      const plan = yield* planOf({
        repository: yield* repositoryOf(root ?? folder),
        settings,
        secrets: named.secrets,
        hidden: named.secrets.map(({ value }) => value),
        added: scan.added,
        candidates: [...scan.rest, ...named.candidates],
        domains: yield* domainsOf("domains", given.domains),
        loginDomains: yield* domainsOf("login-domains", given.loginDomains),
        ignore: yield* ignoreFileOf(root ?? folder, given.ignoreFile),
        ignoreAdded: [],
        skipped: scan.skipped,
        gaps: scan.gaps
      })
      yield* say(`Plan: ${plan.summary}`)
      const { refused, report } = yield* given.offline ? listed(plan) : searched(plan)
      yield* publish(outputs, { report, range: selection.range, ignoreFile: given.ignoreFile })
      if (refused !== undefined && report.verdict !== "leaked") return yield* Effect.fail(refused)
      const exitCode = exitCodeOf(report, given)
      if (exitCode !== 0) return yield* new CheckEnded({ exitCode })
    },
    Effect.provide([scannerLayer, gitLayer, scryptLayer])
  )
).pipe(
  Command.withDescription(
    "Check whether secrets in code, or given by name, have leaked. Without a flag: what is not committed yet"
  ),
  Command.withExamples([
    { command: "threat-exposure check", description: "What is not committed yet" },
    { command: "threat-exposure check --staged --offline --fail-on candidates", description: "A hook without network" },
    { command: "threat-exposure check --range origin/main..HEAD --output sarif=leaks.sarif", description: "A branch" },
    { command: "vault read -format=json app | threat-exposure check --stdin", description: "The secrets of a vault" }
  ])
)

type CheckFlags = {
  readonly [Name in keyof typeof flags]: (typeof flags)[Name] extends Flag.Flag<infer Value> ? Value : never
}

const settingsOf = Effect.fnUntraced(function* (given: CheckFlags) {
  const now = yield* DateTime.now
  const since = instantOf(given.since, now)
  if (since === undefined) {
    return yield* new Misused({
      message: `--since: ${JSON.stringify(given.since)} is no past date or span such as 30d`
    })
  }
  const deadline = durationOf(given.deadline)
  if (deadline === undefined) {
    return yield* new Misused({
      message: `--deadline: ${JSON.stringify(given.deadline)} is no span such as 90s or 10m`
    })
  }
  const { domainLeaks, maxSearches, minSeverity, quotaReserve } = given
  return { ...defaults(now), since, deadline, domainLeaks, maxSearches, minSeverity, quotaReserve }
})

const namedSecretsOf = Effect.fnUntraced(function* (given: CheckFlags) {
  const ofVariables = yield* fromVariables(given.secretEnv)
  const ofFile = Option.isNone(given.secretsFile)
    ? []
    : yield* Effect.flatMap(callerPath(given.secretsFile.value), fromFile)
  const ofInput = given.stdin ? fromText(yield* standardInput) : { secrets: [], candidates: [] }
  const isAsked = given.staged || given.push || given.tree || given.history || Option.isSome(given.range)
  return {
    secrets: [...ofVariables, ...ofFile, ...ofInput.secrets],
    candidates: ofInput.candidates,
    /** Only what is given is checked, no code. */
    isAlone: !isAsked && (given.stdin || ofVariables.length + ofFile.length > 0)
  }
})

/** The name of the remote `origin`; without one the folder's, which another clone may not share. */
const repositoryOf = Effect.fnUntraced(function* (folder: string) {
  const git = yield* Git
  const path = yield* Path.Path
  const origin = yield* Effect.orElseSucceed(git.text(folder, ["config", "--get", "remote.origin.url"]), () => "")
  return repositoryNameOf(origin) ?? path.basename(path.resolve(folder)).toLowerCase()
})

const selectionOf = Effect.fnUntraced(function* (given: CheckFlags, root: string | undefined, isAlone: boolean) {
  const asked: ReadonlyArray<SelectionFlags> = [
    ...(given.staged ? [{ _tag: "Staged" } as const] : []),
    ...(given.push ? [{ _tag: "Push", refs: pushedRefs(yield* standardInput) } as const] : []),
    ...Option.toArray(Option.map(given.range, (range) => ({ _tag: "Range", range }) as const)),
    ...(given.tree ? [{ _tag: "Tree" } as const] : []),
    ...(given.history ? [{ _tag: "History" } as const] : [])
  ]
  if (asked.length > 1 || (given.push && given.stdin)) {
    return yield* new Misused({ message: "Give one of --staged, --push, --range, --tree and --history" })
  }
  if (isAlone) {
    const selection: Selection = {
      scan: nothingScanned,
      range: { source: "flag", event: null, base: null, head: null, commits: null }
    }
    return selection
  }
  if (root === undefined) {
    return yield* new Misused({
      message: "This folder is in no git work tree: go to one, or give --stdin, --secret-env or --secrets-file"
    })
  }
  const wanted = asked[0] ?? { _tag: "Worktree" }
  return yield* select(wanted, { root, paths: given.paths, exclude: given.exclude }).pipe(
    Effect.provide(Layer.provide(cloneLayer({ root }), gitLayer))
  )
})

const describe = ({ range, scan }: Selection, isAlone: boolean): string => {
  const files = `${scan.files} ${scan.files === 1 ? "file" : "files"}`
  if (isAlone) return "Checking what is given"
  switch (range.source) {
    case "worktree":
      return `Checking what is not committed yet: ${files}`
    case "staged":
      return `Checking what is staged: ${files}`
    case "pre-push":
      return `Checking what the push sends: ${range.commits ?? 0} commits`
    case "flag":
      return range.commits === null ? `Checking ${files}` : `Checking ${range.commits} commits`
  }
}

const ignoreFileOf = Effect.fnUntraced(function* (root: string, file: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const text = yield* Effect.option(files.readFileString(path.resolve(root, file)))
  const ignore: IgnoreFile = Option.isNone(text)
    ? empty
    : yield* Effect.mapError(
        parse(text.value, file),
        ({ faults }) =>
          new Misused({ message: faults.map(({ line, message }) => `${file}, line ${line}: ${message}`).join("\n") })
      )
  return ignore
})

/** Nothing is searched: what would have been is listed, and a list that is not empty is not clean. */
const listed = Effect.fnUntraced(function* (plan: Plan) {
  const report = yield* skip(plan, "not searched (--offline)")
  const isClean = report.unsearched.length === 0 && report.gaps.length === 0
  const listing: Report = { ...report, skipped: null, verdict: isClean ? "clean" : "incomplete" }
  return { report: listing, refused: undefined }
})

/** Without a token nothing is searched, and the report says so. A refused token ends the search with what was found. */
const searched = Effect.fnUntraced(function* (plan: Plan) {
  const connection = yield* Effect.result(resolveConnection)
  if (connection._tag === "Failure") {
    if (connection.failure._tag !== "NotSignedIn") return yield* connection.failure
    const reason: NotSignedIn = connection.failure
    return { report: yield* skip(plan, reason.message), refused: undefined }
  }
  const stdio = yield* Stdio.Stdio
  const isTerminal = yield* stdio.stderrIsTerminal
  const onProgress = ({ planned, searched }: Progress) => {
    const line = searched < planned ? `\r${searched} of ${planned} searches` : `\r${" ".repeat(40)}\r`
    return isTerminal ? Effect.ignore(Stream.run(Stream.make(line), stdio.stderr({ endOnDone: false }))) : Effect.void
  }
  return yield* run(plan, { onProgress }).pipe(
    Effect.map((report) => ({ report, refused: undefined })),
    Effect.catchTags({
      Unauthorized: (refused) => Effect.succeed({ report: refused.report, refused }),
      Forbidden: (refused) => Effect.succeed({ report: refused.report, refused })
    }),
    Effect.provide(client)
  )
})

const publish = Effect.fnUntraced(function* (outputs: ReadonlyArray<Output>, content: Parameters<typeof formatted>[1]) {
  const files = yield* FileSystem.FileSystem
  const stdio = yield* Stdio.Stdio
  const terminal = yield* Terminal.Terminal
  const options = { colors: yield* hasColors, width: (yield* terminal.columns) || 100 }
  const usual: Output = { format: (yield* json) ? "json" : "console", file: undefined }
  const all = outputs.some(({ file }) => file === undefined) ? outputs : [usual, ...outputs]
  for (const { file, format } of all) {
    const text = formatted(format, content, options)
    if (file === undefined) {
      yield* Effect.ignore(Stream.run(Stream.make(text), stdio.stdout({ endOnDone: false })))
    } else {
      yield* files
        .writeFileString(file, text)
        .pipe(
          Effect.mapError(
            ({ reason }) => new Misused({ message: `--output: ${file} cannot be written (${reason._tag})` })
          )
        )
    }
  }
})
