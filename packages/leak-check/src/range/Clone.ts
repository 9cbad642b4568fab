/** Queries of a check about its clone: which commits exist and how they are related; it can also fetch more. */
import { Git, type GitArguments, type GitOptions } from "@threat-exposure/detect/git/Git"
import type { Range } from "@threat-exposure/detect/git/Repository"
import { decode } from "@threat-exposure/detect/text/Bytes"
import { GitFailed } from "@threat-exposure/detect/ScanError"
import { Context, Duration, Effect, Layer, Option, Redacted, Result, Stream } from "effect"
import { repositoryNameOf } from "./RepositoryName.ts"

export interface Fetch {
  readonly revisions: ReadonlyArray<string>
  /** Commits from each revision; everything where it is `all`, as much as is here already where it is absent. */
  readonly depth?: number | "all" | undefined
}

export class Clone extends Context.Service<
  Clone,
  {
    readonly isShallow: Effect.Effect<boolean, GitFailed>
    /** Host and path of the remote `origin`; undefined without one. */
    readonly remoteName: Effect.Effect<string | undefined>
    /** The name that salts fingerprints: of the remote `origin`, or else of the folder, which another clone may not share. */
    readonly repositoryName: Effect.Effect<string>
    /** The commit of a revision, if the clone has it. */
    commitOf(revision: string): Effect.Effect<Option.Option<string>, GitFailed>
    /** The parents that a commit names, whether the clone has them or not; none where it lacks the commit itself. */
    parentsOf(commit: string): Effect.Effect<ReadonlyArray<string>, GitFailed>
    /** A best common ancestor in the local history. */
    mergeBaseOf(one: string, other: string): Effect.Effect<Option.Option<string>, GitFailed>
    /** The default branch of the remote. */
    readonly defaultBranch: Effect.Effect<Option.Option<string>, GitFailed>
    /** The nearest tag before a commit; all tags and the history are fetched for it. */
    earlierTag(head: string): Effect.Effect<Option.Option<string>, GitFailed>
    /** The commit the branch of the remote points to now. */
    remoteTipOf(branch: string): Effect.Effect<Option.Option<string>, GitFailed>
    fetch(what: Fetch): Effect.Effect<void, GitFailed>
    /** The paths of the working tree, except ignored ones. */
    readonly files: Effect.Effect<ReadonlyArray<string>, GitFailed>
    /** Which of the paths, or of what pathspecs match, a change writes, from where it left its base. */
    changed(range: Required<Range>, paths: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>, GitFailed>
    /** The file's text in that commit; none where it has no such file. */
    textAt(commit: string, path: string): Effect.Effect<Option.Option<string>, GitFailed>
  }
>()("@threat-exposure/leak-check/range/Clone") {}

export interface CloneOptions {
  /** A folder inside the repository. */
  readonly root: string
  /** Whether the root is known to be the top folder of its work tree, so that git is not asked for it. */
  readonly isTop?: boolean | undefined
  /** An HTTP header for the requests to a server, used where the clone's own credentials do not suffice. */
  readonly authorization?: { readonly server: string; readonly header: Redacted.Redacted } | undefined
}

/** The timeout of git is two minutes. */
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

      const found = (...args: GitArguments) => orNone(text(args))

      const remote = Effect.gen(function* () {
        const names = (yield* text(["remote"])).split("\n").filter((name) => name !== "")
        const name = names.includes("origin") ? "origin" : names[0]
        return (
          name ??
          (yield* new GitFailed({ command: "fetch", exitCode: undefined, reason: "the repository has no remote" }))
        )
      })

      const isShallow = Effect.map(text(["rev-parse", "--is-shallow-repository"]), (answer) => answer === "true")

      /** With the clone's own credentials first, then with the given header; never on the command line. */
      const online = (...args: GitArguments) =>
        text(args).pipe(
          Effect.catch((first) =>
            authorization === undefined
              ? Effect.fail(first)
              : Effect.mapError(text(args, { settings: [headerSetting(authorization)] }), () => first)
          )
        )

      const remoteName = found("config", "--get", "remote.origin.url").pipe(
        Effect.map((origin) => repositoryNameOf(Option.getOrElse(origin, () => ""))),
        Effect.orElseSucceed(() => undefined)
      )

      return Clone.of({
        isShallow,
        remoteName,
        repositoryName: Effect.gen(function* () {
          const name = yield* remoteName
          const top = name === undefined && !isTop ? yield* found("rev-parse", "--show-toplevel") : Option.none()
          return name ?? folderNameOf(Option.getOrElse(top, () => root))
        }).pipe(Effect.orElseSucceed(() => folderNameOf(root))),
        commitOf: (revision) => found("rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`),
        parentsOf: (commit) =>
          // A shallow clone hides the parents at its edge, except in the object itself.
          Effect.map(found("cat-file", "commit", commit), (object) =>
            Array.from(
              Option.getOrElse(object, () => "")
                .split("\n\n", 1)[0]
                ?.matchAll(/^parent ([0-9a-f]+)$/gmu) ?? [],
              ([, parent = ""]) => parent
            )
          ),
        defaultBranch: Effect.gen(function* () {
          const here = yield* found("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
          if (Option.isSome(here)) return Option.map(here, (name) => name.replace(/^origin\//u, ""))
          const answer = yield* online("ls-remote", "--symref", yield* remote, "HEAD")
          return Option.fromUndefinedOr(/^ref: refs\/heads\/(\S+)\s+HEAD$/mu.exec(answer)?.[1])
        }),
        earlierTag: Effect.fnUntraced(function* (head) {
          const isCut = yield* isShallow
          const all = Effect.flatMap(remote, (name) =>
            online("fetch", "--quiet", "--tags", ...fetchesOnly, ...(isCut ? ["--unshallow"] : []), name)
          )
          // A clone without its remote has only its own tags; one that stays shallow cannot know them. git fails as well
          // when it keeps a tag of the clone that is another object there, and has fetched everything else.
          const fetched = yield* Effect.result(all)
          if (Result.isFailure(fetched) && (yield* isShallow)) return yield* fetched.failure
          return yield* found("describe", "--tags", "--abbrev=0", `${head}^`)
        }),
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

/** Settings may ask for more than to fetch: no submodule, and no branch or tag of the clone is removed. */
const fetchesOnly = ["--no-recurse-submodules", "--no-prune"]

/** An exit code other than 0 means that there is no such thing, and so does an empty answer. */
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
