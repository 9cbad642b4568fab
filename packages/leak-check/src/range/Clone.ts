/** Queries the clone: which commits exist, and how they are related. Can also fetch more of the history. */
import { Git, type GitArguments, type GitOptions } from "@threat-exposure/detect/git/Git"
import type { Range } from "@threat-exposure/detect/git/Repository"
import { decode } from "@threat-exposure/detect/text/Bytes"
import { GitFailed } from "@threat-exposure/detect/ScanError"
import { Context, Duration, Effect, Layer, Option, Redacted, Result, Stream } from "effect"
import { repositoryNameOf } from "./RepositoryName.ts"

export interface Fetch {
  readonly revisions: ReadonlyArray<string>
  /** How many commits to fetch from each revision: `all` unshallows the clone, undefined keeps its depth. */
  readonly depth?: number | "all" | undefined
}

export class Clone extends Context.Service<
  Clone,
  {
    readonly isShallow: Effect.Effect<boolean, GitFailed>
    /** Host and path of the remote `origin`; undefined if there is none. */
    readonly remoteName: Effect.Effect<string | undefined>
    /**
     * The name that salts fingerprints: that of the remote `origin`, otherwise that of the folder, which may differ
     * between clones.
     */
    readonly repositoryName: Effect.Effect<string>
    /** The commit of a revision, if the clone has it. */
    commitOf(revision: string): Effect.Effect<Option.Option<string>, GitFailed>
    /** The parents in the commit object, even if the clone lacks them; empty if it lacks the commit itself. */
    parentsOf(commit: string): Effect.Effect<ReadonlyArray<string>, GitFailed>
    /** A best common ancestor in the local history. */
    mergeBaseOf(one: string, other: string): Effect.Effect<Option.Option<string>, GitFailed>
    /** The default branch of the remote. */
    readonly defaultBranch: Effect.Effect<Option.Option<string>, GitFailed>
    /** The nearest tag before a commit. Fetches all tags, and the history if the clone is shallow. */
    earlierTag(head: string): Effect.Effect<Option.Option<string>, GitFailed>
    /** The commit that the remote's branch currently points to. */
    remoteTipOf(branch: string): Effect.Effect<Option.Option<string>, GitFailed>
    fetch(what: Fetch): Effect.Effect<void, GitFailed>
    /** Paths of the working tree, except ignored ones. */
    readonly files: Effect.Effect<ReadonlyArray<string>, GitFailed>
    /** Which of the paths or pathspecs a change modifies since its merge base. */
    changed(range: Required<Range>, paths: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>, GitFailed>
    /** The text of a file in a commit; none if the file does not exist. */
    textAt(commit: string, path: string): Effect.Effect<Option.Option<string>, GitFailed>
  }
>()("@threat-exposure/leak-check/range/Clone") {}

export interface CloneOptions {
  /** A folder inside the repository. */
  readonly root: string
  /** Whether the root is known to be the top folder of its work tree, which saves a query. */
  readonly isTop?: boolean | undefined
  /** An HTTP header for requests to a server, used if the clone's own credentials are not sufficient. */
  readonly authorization?: { readonly server: string; readonly header: Redacted.Redacted } | undefined
}

/** Each git command times out after two minutes. */
export const layer = ({ authorization, isTop = false, root }: CloneOptions): Layer.Layer<Clone, never, Git> =>
  Layer.effect(
    Clone,
    Effect.gen(function* () {
      const git = yield* Git
      const text = (args: GitArguments, options?: GitOptions) =>
        git.text(root, args, options).pipe(
          Effect.timeoutOrElse({
            duration: Duration.minutes(2),
            orElse: () =>
              Effect.fail(
                new GitFailed({ command: args[0], exitCode: undefined, reason: "it took more than two minutes" })
              )
          })
        )

      const readOptional = (...args: GitArguments) => orNone(text(args))

      const remote = Effect.gen(function* () {
        const names = (yield* text(["remote"])).split("\n").filter((name) => name !== "")
        const name = names.includes("origin") ? "origin" : names[0]
        return (
          name ??
          (yield* new GitFailed({ command: "fetch", exitCode: undefined, reason: "the repository has no remote" }))
        )
      })

      const isShallow = Effect.map(text(["rev-parse", "--is-shallow-repository"]), (answer) => answer === "true")

      /** Tries the clone's own credentials first, then the given header, which is never on the command line. */
      const readOnline = (...args: GitArguments) =>
        text(args).pipe(
          Effect.catch((first) =>
            authorization === undefined
              ? Effect.fail(first)
              : Effect.mapError(text(args, { settings: [headerSetting(authorization)] }), () => first)
          )
        )

      const remoteName = readOptional("config", "--get", "remote.origin.url").pipe(
        Effect.map((origin) => repositoryNameOf(Option.getOrElse(origin, () => ""))),
        Effect.orElseSucceed(() => undefined)
      )

      return Clone.of({
        isShallow,
        remoteName,
        repositoryName: Effect.gen(function* () {
          const name = yield* remoteName
          const top = name === undefined && !isTop ? yield* readOptional("rev-parse", "--show-toplevel") : Option.none()
          return name ?? folderNameOf(Option.getOrElse(top, () => root))
        }).pipe(Effect.orElseSucceed(() => folderNameOf(root))),
        commitOf: (revision) =>
          readOptional("rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`),
        parentsOf: (commit) =>
          // At the edge of a shallow clone, git hides the parents everywhere except in the object itself.
          Effect.map(readOptional("cat-file", "commit", commit), (object) =>
            Array.from(
              Option.getOrElse(object, () => "")
                .split("\n\n", 1)[0]
                ?.matchAll(/^parent ([0-9a-f]+)$/gmu) ?? [],
              ([, parent = ""]) => parent
            )
          ),
        defaultBranch: Effect.gen(function* () {
          const here = yield* readOptional("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
          if (Option.isSome(here)) return Option.map(here, (name) => name.replace(/^origin\//u, ""))
          const answer = yield* readOnline("ls-remote", "--symref", yield* remote, "HEAD")
          return Option.fromUndefinedOr(/^ref: refs\/heads\/(\S+)\s+HEAD$/mu.exec(answer)?.[1])
        }),
        earlierTag: Effect.fnUntraced(function* (head) {
          const isCut = yield* isShallow
          const all = Effect.flatMap(remote, (name) =>
            readOnline("fetch", "--quiet", "--tags", ...fetchesOnly, ...(isCut ? ["--unshallow"] : []), name)
          )
          // A clone without its remote only has its own tags; one that stays shallow cannot know others. git also fails
          // if it keeps a local tag that differs from the remote's, although it has fetched everything else.
          const fetched = yield* Effect.result(all)
          if (Result.isFailure(fetched) && (yield* isShallow)) return yield* fetched.failure
          return yield* readOptional("describe", "--tags", "--abbrev=0", `${head}^`)
        }),
        mergeBaseOf: (one, other) => readOptional("merge-base", one, other),
        remoteTipOf: Effect.fnUntraced(function* (branch) {
          const answer = yield* readOnline("ls-remote", "--quiet", yield* remote, `refs/heads/${branch}`)
          return Option.fromUndefinedOr(/^([0-9a-f]{40,64})\s/u.exec(answer)?.[1])
        }),
        fetch: Effect.fnUntraced(function* ({ depth, revisions }) {
          yield* readOnline(
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            ...fetchesOnly,
            ...(depth === undefined ? [] : depth === "all" ? ["--unshallow"] : [`--depth=${depth}`]),
            yield* remote,
            ...revisions
          )
        }),
        files: Effect.map(text(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]), (paths) =>
          paths.split("\0").filter((path) => path !== "")
        ),
        changed: ({ base, head }, paths) =>
          text(["diff", "--name-only", "-z", "--no-renames", `${base}...${head}`, "--", ...paths]).pipe(
            Effect.map((names) => names.split("\0").filter((name) => name !== ""))
          ),
        textAt: (commit, path) => {
          const content = Stream.mkUint8Array(git.output(root, ["cat-file", "blob", `${commit}:./${path}`]))
          return orNone(Effect.map(content, decode))
        }
      })
    })
  )

/** Overrides settings that would do more than fetch: submodules, and pruning of branches or tags. */
const fetchesOnly = ["--no-recurse-submodules", "--no-prune"]

/** An exit code other than 0, or empty output, means that the object does not exist. */
const orNone = (answer: Effect.Effect<string, GitFailed>) =>
  answer.pipe(
    Effect.map((text) => (text === "" ? Option.none() : Option.some(text))),
    Effect.catchIf(
      ({ exitCode }) => exitCode !== undefined,
      () => Effect.succeed(Option.none<string>())
    )
  )

const folderNameOf = (path: string) => (/[^/\\]*(?=[/\\]*$)/u.exec(path)?.[0] ?? path).toLowerCase()

const headerSetting = ({ header, server }: NonNullable<CloneOptions["authorization"]>) =>
  [`http.${server}/.extraheader`, header] as const
