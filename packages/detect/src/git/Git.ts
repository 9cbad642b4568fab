/** Runs git as a child process and streams its output; git runs no program that the repository names. */
import { Context, Effect, Fiber, FileSystem, Layer, Path, Redacted, Stream } from "effect"
import type * as PlatformError from "effect/PlatformError"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { readGitEnvironment, withSettings } from "./GitEnvironment.ts"
import {
  differenceOptions,
  fixedSettings,
  noOverrides,
  type Overrides,
  type Setting,
  settingsIn,
  withoutFilters,
  withoutTransportPrograms
} from "./ProgramSettings.ts"
import { GitFailed } from "../ScanError.ts"

export type GitArguments = readonly [command: string, ...rest: Array<string>]

export interface GitOptions {
  /** Standard input of git; default: none. */
  readonly input?: Stream.Stream<Uint8Array> | undefined
  /** Called with the warnings of a successful run, such as about a folder that git could not open. */
  readonly onComplaint?: ((text: string) => void) | undefined
  /** Settings for this run, passed in environment variables because a command line is visible to other processes. */
  readonly settings?: ReadonlyArray<readonly [key: string, value: Redacted.Redacted]> | undefined
}

/**
 * Runs git independently of the configuration of the user and the machine. Hooks, filters, helpers and other programs
 * that a repository names do not run, replaced objects and grafts have no effect, and nothing is fetched unless the
 * command says so.
 */
export class Git extends Context.Service<
  Git,
  {
    /** git's standard output in chunks of bytes; if git fails, the stream fails after its output. */
    output(root: string, args: GitArguments, options?: GitOptions): Stream.Stream<Uint8Array, GitFailed>

    /** The whole output of git, without the last line feed. */
    text(root: string, args: GitArguments, options?: GitOptions): Effect.Effect<string, GitFailed>
  }
>()("@threat-exposure/detect/git/Git") {
  /** Selects the repository by the root of each command alone; node/NodeScanner.ts provides this layer for Node. */
  static readonly layerNoDeps = Layer.effect(Git, makeGit(undefined))

  /** Also reads repositories that another user owns, for a folder that was explicitly given. */
  static readonly layerOfAnyOwner = Layer.effect(Git, makeGit(undefined, ["-c", "safe.directory=*"]))

  /** Honours `GIT_DIR` and the other variables that name a repository; their relative paths start from `folder`. */
  static readonly layerOfCaller = (folder: string) => Layer.effect(Git, makeGit(folder))
}

function makeGit(caller: string | undefined, trust: ReadonlyArray<string> = []) {
  return Effect.gen(function* () {
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const environment = yield* readGitEnvironment(caller)
    const { GIT_SSH_COMMAND: sshCommand } = environment.online
    const isNamed = environment.offline["GIT_DIR"] !== undefined

    const exists = (...parts: ReadonlyArray<string>) =>
      Effect.orElseSucceed(files.exists(path.join(...parts)), () => false)

    /** Also true for a symbolic link whose target is missing. */
    const hasDotGit = (folder: string) =>
      Effect.flatMap(exists(folder, ".git"), (isThere) =>
        isThere ? Effect.succeed(true) : Effect.isSuccess(files.readLink(path.join(folder, ".git")))
      )

    /** The nearest folder, upwards from the root, for which `holds` is true. */
    const findUp = Effect.fnUntraced(function* (root: string, holds: (folder: string) => Effect.Effect<boolean>) {
      for (let folder = path.resolve(root); ; folder = path.dirname(folder)) {
        if (yield* holds(folder)) return folder
        if (folder === path.dirname(folder)) return undefined
      }
    })

    /**
     * Fails if git before 2.38, which lacks safe.bareRepository, would take a folder without `.git` for a repository:
     * anyone can commit such a folder, with settings of its own.
     */
    const refuseEmbedded = Effect.fnUntraced(function* (root: string, command: string) {
      if (isNamed) return
      const isBare = (folder: string) =>
        Effect.map(
          Effect.forEach(["HEAD", "objects", "refs"], (name) => exists(folder, name)),
          (parts) => !parts.includes(false)
        )
      const found = yield* findUp(root, (folder) =>
        Effect.flatMap(hasDotGit(folder), (has) => (has ? Effect.succeed(true) : isBare(folder)))
      )
      if (found === undefined || (yield* hasDotGit(found))) return
      return yield* new GitFailed({
        command,
        // The exit code of git 2.38 and later.
        exitCode: 128,
        reason:
          path.basename(found) === ".git"
            ? `${found} is where git keeps the data of ${path.dirname(found)}`
            : `${found} is a bare repository, which is read only if GIT_DIR names it`
      })
    })

    const spawn = (
      root: string,
      command: string,
      args: ReadonlyArray<string>,
      variables: Readonly<Record<string, string>>,
      { input, onComplaint }: GitOptions,
      explain: (reason: string) => Effect.Effect<string>
    ) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const toGitFailed = (cause: PlatformError.PlatformError) =>
            new GitFailed({ command, exitCode: undefined, reason: reasonOf(cause) })
          const handle = yield* spawner
            .spawn(
              ChildProcess.make("git", args, { cwd: root, env: variables, extendEnv: false, stdin: input ?? "ignore" })
            )
            .pipe(Effect.mapError(toGitFailed))
          const complaint = yield* handle.stderr.pipe(
            Stream.decodeText(),
            Stream.runFold(
              () => "",
              (text, more) => (text.length < maxComplaint ? text + more : text)
            ),
            Effect.orElseSucceed(() => ""),
            Effect.forkScoped
          )
          const check = Effect.gen(function* () {
            const exitCode = yield* handle.exitCode.pipe(Effect.mapError(toGitFailed))
            if (exitCode === 0) return onComplaint?.(yield* Fiber.join(complaint))
            const reason = yield* explain(reasonIn(yield* Fiber.join(complaint)))
            return yield* new GitFailed({ command, exitCode, reason })
          })
          return handle.stdout.pipe(Stream.mapError(toGitFailed), Stream.concat(Stream.fromEffectDrain(check)))
        })
      )

    const readText = (output: Stream.Stream<Uint8Array, GitFailed>) =>
      output.pipe(
        Stream.decodeText(),
        Stream.mkString,
        Effect.map((text) => text.replace(/\n$/, ""))
      )

    /**
     * Lists the effective settings. `git config` runs no program; our own settings are not passed, as they would be
     * listed too.
     */
    const readSettings = (root: string) =>
      Effect.map(
        readText(
          spawn(
            root,
            "config",
            ["--no-pager", ...trust, "config", "--null", "--show-scope", "--list"],
            environment.offline,
            {},
            Effect.succeed
          )
        ),
        settingsIn
      )

    const isPartialClone = (root: string) =>
      readSettings(root).pipe(
        Effect.map((settings) => settings.some(({ key }) => /^remote\..*\.promisor$/.test(key))),
        Effect.orElseSucceed(() => false)
      )

    const known = new Map<string, ReadonlyArray<Setting>>()
    const findOverrides = Effect.fnUntraced(function* (
      root: string,
      [command, ...rest]: GitArguments
    ): Effect.fn.Return<Overrides, GitFailed> {
      const comparesFiles = command === "diff" && !rest.includes("--cached")
      if (!comparesFiles && !onlineCommands.has(command)) return noOverrides
      const settings = known.get(root) ?? (yield* readSettings(root))
      known.set(root, settings)
      const overrides = comparesFiles ? withoutFilters(settings) : withoutTransportPrograms(settings, sshCommand)
      const refused = overrides.settings.find(([key]) => key.includes("="))
      if (refused === undefined) return overrides
      return yield* new GitFailed({
        command,
        exitCode: undefined,
        reason: `the setting ${JSON.stringify(refused[0])} of the repository names a program, and cannot be overridden because of the = in its name: rename it`
      })
    })

    /** Extends the reason of a failure with the restriction of this program that may have caused it. */
    const explainFailure = Effect.fnUntraced(function* (root: string, { unused }: Overrides, reason: string) {
      if (isOutsideRepository(reason) && !isNamed) {
        const broken = yield* findUp(root, hasDotGit)
        return broken === undefined
          ? reason
          : `${path.join(broken, ".git")} is no repository, or is damaged: restore it, or what it points to`
      }
      if (missingObject.test(reason) && (yield* isPartialClone(root))) {
        return `${reason}: this is a partial clone, and nothing is fetched while it is read. Clone without --filter, or fetch its files with git fetch --refetch --no-filter`
      }
      return unused.length === 0
        ? reason
        : `${reason}; the repository's settings ${unused.join(", ")} name programs, which do not run: give them in the settings of the user instead`
    })

    const output: Git["Service"]["output"] = (root, args, options = {}) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const [command, ...rest] = args
          yield* refuseEmbedded(root, command)
          const overrides = yield* findOverrides(root, args)
          const isOnline = onlineCommands.has(command)
          const variables = withSettings(
            { ...(isOnline ? environment.online : environment.offline), ...overrides.variables },
            (options.settings ?? []).map(([key, value]) => [key, Redacted.value(value)] as const)
          )
          return spawn(
            root,
            command,
            [
              "--no-pager",
              ...trust,
              ...(command === "config" ? [] : fixedSettings),
              ...overrides.settings.flatMap(([key, value]) => ["-c", `${key}=${value}`]),
              command,
              ...(differenceCommands.has(command) ? differenceOptions : []),
              ...overrides.options,
              ...rest
            ],
            variables,
            options,
            (reason) => explainFailure(root, overrides, reason)
          )
        })
      )
    return Git.of({
      output,
      text: Effect.fn("Git.text")((root, args, options) => readText(output(root, args, options)))
    })
  })
}

const onlineCommands = new Set(["fetch", "ls-remote"])
const differenceCommands = new Set(["diff", "log"])

/** Matches the messages by which git says that the clone lacks an object. */
const missingObject = /unable to read|could not fetch|promisor|missing (?:blob|tree|object)/

const maxComplaint = 4096

/** Whether git failed because neither the root nor a folder above it is a repository. */
export const isOutsideRepository = (reason: string): boolean => reason.includes("not a git repository (or any")

const reasonOf = (cause: PlatformError.PlatformError): string =>
  cause.reason._tag === "NotFound" ? gitMissing : cause.reason._tag

/** The reason that a failure gives if git is not installed. */
export const gitMissing = "git is not installed"

/** The line with the error, without user names and passwords in URLs; the lines after it are advice. */
const reasonIn = (complaint: string): string => {
  const lines = complaint.split("\n").filter((line) => line.trim() !== "")
  const reason = lines.find((line) => /^(?:fatal:|error:|remote: [A-Z])/.test(line)) ?? lines.at(-1)
  return reason?.trim().replaceAll(/\/\/[^/@\s]*@/g, "//") ?? "it gave no reason"
}
