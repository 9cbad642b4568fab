/** What the check asks git besides reading content: which commits are here, how they relate, and to fetch more. */
import { Context, Duration, Effect, Layer, Option, Redacted, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { setting } from "./Setting.ts"

/** git could not be run, took too long, or said no. */
export class GitFailed extends Schema.TaggedError<GitFailed>()("GitFailed", {
  command: Schema.String,
  /** What git gave as the reason, without any user name or password. */
  reason: Schema.String
}) {
  override get message() {
    return `git ${this.command} failed: ${this.reason}`
  }
}

export interface Fetch {
  readonly revisions: ReadonlyArray<string>
  /** Commits from each revision; everything where it is `all`, as much as is here already where it is absent. */
  readonly depth?: number | "all" | undefined
}

export class Git extends Context.Service<
  Git,
  {
    readonly isShallow: Effect.Effect<boolean, GitFailed>
    /** The commit a revision stands for, if it is here. */
    commitOf(revision: string): Effect.Effect<Option.Option<string>, GitFailed>
    /** A best common ancestor, as far as the history that is here tells. */
    mergeBaseOf(one: string, other: string): Effect.Effect<Option.Option<string>, GitFailed>
    /** The commit the branch of the remote points to now. */
    remoteTipOf(branch: string): Effect.Effect<Option.Option<string>, GitFailed>
    fetch(what: Fetch): Effect.Effect<void, GitFailed>
    /** The paths of the working tree, but for those that are ignored. */
    readonly files: Effect.Effect<ReadonlyArray<string>, GitFailed>
    /** The file's text in that commit; none where it has no such file. */
    textAt(commit: string, path: string): Effect.Effect<Option.Option<string>, GitFailed>
  }
>()("@threat-exposure/action/Git") {}

export interface GitOptions {
  /** A folder inside the repository. */
  readonly root: string
  /** Used for fetching where the clone's own credentials do not suffice. */
  readonly githubToken: Redacted.Redacted | undefined
}

/** git is never asked to prompt, and is given up after two minutes. */
export const layer = (options: GitOptions): Layer.Layer<Git, never, ChildProcessSpawner.ChildProcessSpawner> =>
  Layer.effect(
    Git,
    Effect.gen(function* () {
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const serverUrl = (yield* setting("GITHUB_SERVER_URL")) ?? "https://github.com"

      const run = Effect.fn("Git.run")(
        function* (args: ReadonlyArray<string>, env?: Record<string, string>) {
          const handle = yield* spawner.spawn(
            ChildProcess.make("git", ["-C", options.root, ...args], {
              env: { GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "", LC_ALL: "C", ...env },
              extendEnv: true,
              stdin: "ignore"
            })
          )
          const [stdout, stderr, exitCode] = yield* Effect.all(
            [
              Stream.mkString(Stream.decodeText(handle.stdout)),
              Stream.mkString(Stream.decodeText(handle.stderr)),
              handle.exitCode
            ],
            { concurrency: "unbounded" }
          )
          return { stdout, stderr, exitCode: Number(exitCode) }
        },
        Effect.scoped,
        Effect.timeout(Duration.minutes(2)),
        (effect, args: ReadonlyArray<string>, _env?: Record<string, string>) =>
          Effect.mapError(
            effect,
            (error) =>
              new GitFailed({
                command: args[0] ?? "",
                reason: error._tag === "TimeoutError" ? "it took more than two minutes" : "git could not be started"
              })
          )
      )

      const text = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
        const { exitCode, stderr, stdout } = yield* run(args)
        if (exitCode !== 0) return yield* new GitFailed({ command: args[0] ?? "", reason: reasonIn(stderr, exitCode) })
        return stdout.trim()
      })

      /** A failure of these commands means that there is no such thing. */
      const found = (...args: ReadonlyArray<string>) =>
        Effect.map(run(args), ({ exitCode, stdout }) =>
          exitCode === 0 && stdout.trim() !== "" ? Option.some(stdout.trim()) : Option.none<string>()
        )

      const remote = Effect.gen(function* () {
        const names = (yield* text("remote")).split("\n").filter((name) => name !== "")
        const name = names.includes("origin") ? "origin" : names[0]
        return name ?? (yield* new GitFailed({ command: "fetch", reason: "the repository has no remote" }))
      })

      /** With the clone's own credentials first, then with the job's token; never on the command line. */
      const online = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
        const first = yield* run(args)
        if (first.exitCode === 0) return first.stdout
        const second =
          options.githubToken === undefined ? first : yield* run(args, authorization(serverUrl, options.githubToken))
        if (second.exitCode === 0) return second.stdout
        return yield* new GitFailed({ command: args[0] ?? "", reason: reasonIn(first.stderr, first.exitCode) })
      })

      return Git.of({
        isShallow: Effect.map(text("rev-parse", "--is-shallow-repository"), (answer) => answer === "true"),
        commitOf: (revision) => found("rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`),
        mergeBaseOf: (one, other) => found("merge-base", one, other),
        remoteTipOf: Effect.fnUntraced(function* (branch) {
          const answer = yield* online("ls-remote", "--quiet", yield* remote, `refs/heads/${branch}`)
          return Option.fromUndefinedOr(/^([0-9a-f]{40,64})\s/u.exec(answer)?.[1])
        }),
        fetch: Effect.fnUntraced(function* ({ depth, revisions }) {
          yield* online(
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-recurse-submodules",
            "--no-write-fetch-head",
            ...(depth === undefined ? [] : depth === "all" ? ["--unshallow"] : [`--depth=${depth}`]),
            yield* remote,
            ...revisions
          )
        }),
        files: Effect.map(text("ls-files", "-z", "--cached", "--others", "--exclude-standard"), (paths) =>
          paths.split("\0").filter((path) => path !== "")
        ),
        textAt: (commit, path) =>
          Effect.map(run(["show", `${commit}:./${path}`]), ({ exitCode, stdout }) =>
            exitCode === 0 ? Option.some(stdout) : Option.none()
          )
      })
    })
  )

/** The first line that says what failed: those after it are advice. */
const reasonIn = (stderr: string, exitCode: number) => {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "")
  const reason = lines.find((line) => /^(?:fatal|error|remote: [A-Z])/u.test(line)) ?? lines.at(-1)
  return reason?.trim().replaceAll(/\/\/[^/@\s]*@/gu, "//") ?? `exit code ${exitCode}`
}

const authorization = (serverUrl: string, token: Redacted.Redacted) => ({
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: `http.${serverUrl}/.extraheader`,
  GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${btoa(`x-access-token:${Redacted.value(token)}`)}`
})
