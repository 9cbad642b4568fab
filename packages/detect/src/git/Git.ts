/** The git commands of scans, each a child process whose output is streamed. */
import { Context, Effect, Fiber, Layer, Stream } from "effect"
import type * as PlatformError from "effect/PlatformError"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { GitFailed } from "../ScanError.ts"

export type GitArguments = readonly [command: string, ...rest: Array<string>]

export interface GitOptions {
  /** Standard input; default: none. */
  readonly input?: Stream.Stream<Uint8Array> | undefined
  /** Called with warnings of a git that succeeded, such as a folder that it could not open. */
  readonly onComplaint?: ((text: string) => void) | undefined
  /** Variables of the environment besides those that every git gets. */
  readonly env?: Readonly<Record<string, string>> | undefined
}

/** Runs git independently of the configuration of the user and the machine. */
export class Git extends Context.Service<
  Git,
  {
    /** git's standard output in chunks of bytes; if git fails, the stream fails after its output. */
    output(root: string, args: GitArguments, options?: GitOptions): Stream.Stream<Uint8Array, GitFailed>

    /** All that git prints, without the line feed at its end. */
    text(root: string, args: GitArguments, options?: GitOptions): Effect.Effect<string, GitFailed>
  }
>()("@threat-exposure/detect/git/Git") {
  /** Over whatever runs processes; node/NodeScanner.ts has it for Node. */
  static readonly layerNoDeps = Layer.effect(
    Git,
    Effect.gen(function* () {
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner

      const output: Git["Service"]["output"] = (root, args, { env, input, onComplaint } = {}) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const failed = (cause: PlatformError.PlatformError) =>
              new GitFailed({ command: args[0], exitCode: undefined, reason: reasonOf(cause) })
            const handle = yield* spawner
              .spawn(
                ChildProcess.make("git", [...settings, ...args], {
                  cwd: root,
                  env: { ...environment, ...env },
                  extendEnv: true,
                  stdin: input ?? "ignore"
                })
              )
              .pipe(Effect.mapError(failed))
            const complaint = yield* handle.stderr.pipe(
              Stream.decodeText(),
              Stream.runFold(
                () => "",
                (text, more) => (text.length < longestComplaint ? text + more : text)
              ),
              Effect.orElseSucceed(() => ""),
              Effect.forkScoped
            )
            const check = Effect.gen(function* () {
              const exitCode = yield* handle.exitCode.pipe(Effect.mapError(failed))
              if (exitCode === 0) return onComplaint?.(yield* Fiber.join(complaint))
              const reason = reasonIn(yield* Fiber.join(complaint))
              return yield* new GitFailed({ command: args[0], exitCode, reason })
            })
            return handle.stdout.pipe(Stream.mapError(failed), Stream.concat(Stream.fromEffectDrain(check)))
          })
        )
      return Git.of({
        output,
        text: Effect.fn("Git.text")((root, args, options) =>
          output(root, args, options).pipe(
            Stream.decodeText(),
            Stream.mkString,
            Effect.map((text) => text.replace(/\n$/, ""))
          )
        )
      })
    })
  )
}

const longestComplaint = 4096

/** Options that override the user's configuration where it would change what a command does or prints. */
const settings = [
  "--no-pager",
  "-c",
  "core.quotePath=false",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.bigFileThreshold=50m",
  "-c",
  "core.attributesFile=/dev/null",
  "-c",
  "color.ui=false",
  "-c",
  "diff.noprefix=false",
  "-c",
  "diff.mnemonicPrefix=false",
  "-c",
  "diff.suppressBlankEmpty=false",
  "-c",
  "diff.ignoreSubmodules=dirty",
  "-c",
  "log.showSignature=false",
  "-c",
  "log.showRoot=true",
  "-c",
  "log.follow=false"
]

/** Variables that a hook or a user may have set, and that would redirect our git. */
const environment: Readonly<Record<string, string | undefined>> = {
  LC_ALL: "C",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_LITERAL_PATHSPECS: undefined,
  GIT_GLOB_PATHSPECS: undefined,
  GIT_NOGLOB_PATHSPECS: undefined,
  GIT_ICASE_PATHSPECS: undefined,
  GIT_EXTERNAL_DIFF: undefined,
  GIT_DIFF_OPTS: undefined,
  GIT_PAGER: undefined,
  GIT_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_INDEX_FILE: undefined,
  GIT_PREFIX: undefined,
  GIT_TRACE: undefined,
  GIT_CONFIG_PARAMETERS: undefined
}

const reasonOf = (cause: PlatformError.PlatformError): string =>
  cause.reason._tag === "NotFound" ? "git is not installed" : cause.reason._tag

/** The line of the error message, without user names and passwords; the lines after it are advice. */
const reasonIn = (complaint: string): string => {
  const lines = complaint.split("\n").filter((line) => line.trim() !== "")
  const reason = lines.find((line) => /^(?:fatal:|error:|remote: [A-Z])/.test(line)) ?? lines.at(-1)
  return reason?.trim().replaceAll(/\/\/[^/@\s]*@/g, "//") ?? "it gave no reason"
}
