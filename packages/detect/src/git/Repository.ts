/** Queries git for what a scan needs. */
import { Effect, Stream } from "effect"
import { concat, decode } from "../text/Bytes.ts"
import { readBounded } from "../files/BoundedBytes.ts"
import { type FileName, maxFileSize } from "../files/Files.ts"
import { type Git, type GitOptions, isOutsideRepository } from "./Git.ts"
import { readBlobs, readObjects } from "./GitObjects.ts"
import { besideBranches, branches, messagesOf, nothingBeside, patch } from "./References.ts"
import { behindHeader, fileName, type GitRecord, idInHeader, records } from "./GitRecords.ts"
import type { FileSkipReason } from "../skip/Skipped.ts"
import { HistoryShallow, NotARepository, RevisionMissing, type ScanError } from "../ScanError.ts"
import type { ScanCounter } from "../skip/ScanCounter.ts"

/**
 * The commits that `head` reaches and `base` does not; without a base, all that `head` reaches. Both may be any
 * revision.
 */
export interface Range {
  readonly base?: string | undefined
  readonly head: string
}

/** A range whose ends are full commit ids. */
export interface ResolvedRange extends Range {
  readonly base: string | undefined
  /** The root's path in the repository: empty at the top. */
  readonly folder: string
  /** The id of the annotated tag that was given as head. */
  readonly tag?: string | undefined
}

/**
 * Where `.gitattributes` are read from. With `orWorkTree`, those of the work tree apply if git cannot read a commit's.
 */
export type AttributeSource = "work-tree" | "index" | { readonly commit: string; readonly orWorkTree: boolean }

export type Repository = ReturnType<typeof makeRepository>

export const makeRepository = (git: Git["Service"]) => {
  /** Reads the root's path in the repository, and whether the clone is shallow. Fails outside a repository. */
  const readPlace = (root: string) =>
    git.text(root, ["rev-parse", "--show-prefix", "--is-shallow-repository"]).pipe(
      Effect.map((answer) => {
        const end = answer.lastIndexOf("\n")
        return { folder: answer.slice(0, end), shallow: answer.slice(end + 1) === "true" }
      }),
      Effect.mapError((error) =>
        error.exitCode === undefined ? error : new NotARepository({ root, reason: error.reason })
      )
    )

  /** The root's path in the repository: empty at the top, undefined outside a repository. */
  const folderOf = (root: string) =>
    readPlace(root).pipe(
      Effect.map(({ folder }): string | undefined => folder),
      Effect.catchTags({
        // Do not fall back to walking the folder: a walk skips ignored files even if they are tracked.
        NotARepository: (error) => (isOutsideRepository(error.reason) ? Effect.undefined : Effect.fail(error)),
        // git is not installed, or the folder does not exist: the walk then reports the missing folder.
        GitFailed: () => Effect.undefined
      })
    )

  /** The top folder of the working tree. */
  const topOf = (root: string) => git.text(root, ["rev-parse", "--show-toplevel"])

  const resolveCommit = (root: string, revision: string, shallow: boolean) =>
    git.text(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]).pipe(
      // git also accepts `^revision`, which excludes that commit.
      Effect.filterOrFail((answer) => commitId.test(answer)),
      Effect.mapError(() => new RevisionMissing({ revision, shallow }))
    )

  /**
   * Resolves a range in one run of git; undefined on any error, because this run does not tell which revision is
   * missing.
   */
  const tryResolveEnds = (root: string, base: string | undefined, head: string) =>
    git
      .text(root, [
        "rev-parse",
        "--show-prefix",
        "--is-shallow-repository",
        "--end-of-options",
        head,
        ...[head, ...(base === undefined ? [] : [base])].map((revision) => `${revision}^{commit}`)
      ])
      .pipe(
        Effect.map((answer) => {
          const found = endsAnswer.exec(answer)?.groups
          if (found?.["head"] === undefined || (found["base"] === undefined) !== (base === undefined)) return undefined
          return {
            folder: found["folder"] ?? "",
            shallow: found["shallow"] === "true",
            head: found["head"],
            base: found["base"],
            tag: found["own"] === found["head"] ? undefined : found["own"]
          }
        }),
        Effect.orElseSucceed(() => undefined)
      )

  const resolveEndsOneByOne = Effect.fnUntraced(function* (root: string, base: string | undefined, head: string) {
    const { folder, shallow } = yield* readPlace(root)
    return {
      folder,
      shallow,
      head: yield* resolveCommit(root, head, shallow),
      base: base === undefined ? undefined : yield* resolveCommit(root, base, shallow),
      tag: undefined
    }
  })

  const resolveEnds = Effect.fnUntraced(function* (root: string, base: string | undefined, head: string) {
    return (yield* tryResolveEnds(root, base, head)) ?? (yield* resolveEndsOneByOne(root, base, head))
  })

  /** Resolves both ends to commit ids; fails if a shallow clone lacks commits between them and their merge base. */
  const resolve = Effect.fnUntraced(function* (root: string, base: string | undefined, head: string) {
    const { shallow, ...range } = yield* resolveEnds(root, base, head)
    if (shallow) {
      // A commit that the base does not reach may be in the head's own history.
      const either = range.base === undefined ? range.head : `${range.head}...${range.base}`
      const marks = yield* git.text(root, ["log", "--decorate=short", "--format=%d", either])
      if (/\bgrafted\b/.test(marks)) return yield* new HistoryShallow({ base, head })
    }
    return range
  })

  /** Lists tracked files and untracked ones that are not ignored, and counts ignored paths. */
  const files = Effect.fnUntraced(function* (root: string, counter: ScanCounter) {
    const seen = new Set<string>()
    const once = (names: Stream.Stream<FileName | undefined, ScanError>): Stream.Stream<FileName, ScanError> =>
      names.pipe(
        Stream.filter((name) => name !== undefined),
        Stream.filter(({ path }) => !seen.has(path) && seen.add(path) !== undefined)
      )
    const tracked = records(git.output(root, ["ls-files", "-z", "--cached", "--stage", "-t"])).pipe(
      Stream.map((record): FileName | undefined => {
        const [tag, mode] = record.text.split(" ", 2)
        const name = fileName(behindHeader(record))
        if (mode === "160000") counter.skip("submodule", name.path)
        else if (mode === "120000") counter.skip("symbolic-link", name.path)
        else return tag === "S" ? { ...name, isSparse: true } : name
        return undefined
      })
    )
    const { countIgnored, untracked } = yield* notTracked(root, counter)
    return { tracked: once(tracked), untracked: once(untracked), countIgnored }
  })

  /** Counts the files of HEAD as skipped: after a clone without a checkout, the index is empty. */
  const countNotCheckedOut = (root: string, counter: ScanCounter): Effect.Effect<void, ScanError> =>
    records(git.output(root, ["ls-tree", "-r", "-z", "--name-only", "HEAD"])).pipe(
      Stream.runForEach(({ text }) => Effect.sync(() => counter.skip("not-checked-out", text))),
      // There is no HEAD before the first commit.
      Effect.catchIf(
        ({ exitCode }) => exitCode !== undefined,
        () => Effect.void
      )
    )

  /** Lists untracked files that are not ignored, and counts ignored paths; an ignored folder counts once. */
  const notTracked = Effect.fnUntraced(function* (root: string, counter: ScanCounter) {
    const others = (options: ReadonlyArray<string>) =>
      records(git.output(root, ["ls-files", "-z", "--others", ...options], unreadableFolders(counter)))
    // git walks the whole work tree for each list. Most checkouts have nothing to list, and one walk shows that.
    const outermost = yield* Effect.cached(Stream.runCollect(others(["--directory"])))
    const below = (options: ReadonlyArray<string>) =>
      Stream.unwrap(
        Effect.map(outermost, (entries) =>
          entries.length === 0 ? Stream.empty : others([...options, "--", ...pathspecs(entries)])
        )
      )
    const untracked: Stream.Stream<FileName, ScanError> = below(["--exclude-standard"]).pipe(
      Stream.map(fileName),
      Stream.filter(({ path }) => {
        // git lists a nested repository as a folder.
        const isFile = !path.endsWith("/")
        if (!isFile) counter.skip("submodule", path.slice(0, -1))
        return isFile
      })
    )
    const countIgnored: Effect.Effect<void, ScanError> = Stream.runForEach(
      below(["--ignored", "--exclude-standard", "--directory"]),
      ({ text }) => Effect.sync(() => counter.skip("ignored", text))
    )
    return { untracked, countIgnored }
  })

  /**
   * Whether git ignores the root, where `ls-files` lists nothing or fails; `folder` is the root's path in the
   * repository.
   */
  const isIgnored = (root: string, folder: string): Effect.Effect<boolean> =>
    folder === ""
      ? Effect.succeed(false)
      : git.text(root, ["check-ignore", "--quiet", "."]).pipe(
          Effect.as(true),
          Effect.orElseSucceed(() => false)
        )

  /**
   * Patches of all commits of a range, newest first; with their messages only if the root is the top of the repository.
   */
  const log = (root: string, range: ResolvedRange, withMessages: boolean) =>
    git.output(root, [
      "log",
      ...patch,
      "--diff-merges=dense-combined",
      "--topo-order",
      formatOf(withMessages && range.folder === ""),
      "-U10",
      ...revisions(range),
      ...below(range.folder)
    ])

  /**
   * Patches of all commits, newest first, in parts of up to 1,024 commits, which can be read concurrently. The top of a
   * repository also has messages, stashes, notes, and tagged trees and blobs; a folder below it only has its own files.
   */
  const history = Effect.fnUntraced(function* (root: string, counter: ScanCounter, withMessages: boolean) {
    const known = yield* tryResolveEnds(root, undefined, "HEAD")
    const { folder, shallow } = known ?? (yield* readPlace(root))
    const limit = below(folder)
    if (shallow) counter.skip("shallow-history", "HEAD")
    const ofBranches = yield* Stream.mkUint8Array(git.output(root, ["rev-list", ...branches, ...limit]))
    const beside = folder === "" ? yield* besideBranches(git, root) : nothingBeside
    const ids = concat([ofBranches, ...[...beside.places.keys()].map((id) => new TextEncoder().encode(`${id}\n`))])
    // All ids of a repository have the same length.
    const lineLength = ids.indexOf(lineFeed) + 1
    const partLength = commitsAtOnce * lineLength
    counter.commitsTotal = ids.length === 0 ? 0 : ids.length / lineLength
    const parts = Stream.fromIterable(
      Array.from({ length: Math.ceil(counter.commitsTotal / commitsAtOnce) }, (_, part) => part * partLength)
    ).pipe(
      Stream.map((from) =>
        git.output(
          root,
          [
            "log",
            ...patch,
            "--diff-merges=dense-combined",
            formatOf(withMessages && folder === ""),
            "-U3",
            "--no-walk=unsorted",
            "--stdin",
            ...limit
          ],
          { input: Stream.succeed(ids.subarray(from, from + partLength)) }
        )
      )
    )
    return { ...beside, folder, parts: Stream.concat(parts, Stream.fromIterable(beside.patches)) }
  })

  /**
   * Differences between a revision and the working tree or the index. `base` is the revision's commit, undefined before
   * the first commit; `folder` is the root's path in the repository.
   */
  const diff = Effect.fnUntraced(function* (root: string, revision: string | undefined, staged: boolean) {
    const known = Effect.map(resolveEnds(root, undefined, revision ?? "HEAD"), ({ folder, head }) => ({
      folder,
      base: head,
      from: head
    }))
    const { base, folder, from } = yield* revision === undefined
      ? // Compares with the empty tree before the first commit.
        Effect.catchTag(known, "RevisionMissing", () =>
          Effect.all({
            folder: Effect.map(readPlace(root), ({ folder }) => folder),
            base: Effect.undefined,
            from: git.text(root, ["hash-object", "-t", "tree", "--stdin"])
          })
        )
      : known
    const patches = git.output(root, ["diff", ...patch, "-U10", ...(staged ? ["--cached"] : []), from, "--", "."])
    return { folder, base, patches }
  })

  /**
   * Contents of the given files in a commit or, without one, in the index. Files that are missing there or exceed the
   * limit in bytes are left out.
   */
  const contentsAt = Effect.fnUntraced(function* (
    root: string,
    { folder, head }: { readonly folder: string; readonly head: string | undefined },
    paths: ReadonlySet<string>,
    maxSize: number
  ) {
    const objectNames = [...paths]
      .filter((path) => plainName.test(path))
      .map((path): readonly [string, string] => [path, nameAt(head, folder, path)])
    if (objectNames.length < paths.size) objectNames.push(...(yield* idsAt(root, head, paths)))
    const contents = new Map<string, Uint8Array>()
    let next = 0
    yield* readObjects(
      git,
      root,
      objectNames.map(([, name]) => name),
      maxSize
    ).pipe(
      Stream.runForEach(({ content }) =>
        Effect.sync(() => {
          const path = objectNames[next++]?.[0]
          if (path !== undefined && content !== undefined) contents.set(path, content)
        })
      )
    )
    return contents
  })

  /** Names of all files of a commit or, without one, of the index. */
  const namesAt = (root: string, head: string | undefined): Effect.Effect<ReadonlyArray<string>, ScanError> =>
    records(
      git.output(root, head === undefined ? ["ls-files", "-z"] : ["ls-tree", "-r", "-z", "--name-only", head])
    ).pipe(
      Stream.map(({ text }) => text),
      Stream.runCollect
    )

  /** Blob ids of files whose names cannot be passed to git as `REV:PATH`. */
  const idsAt = Effect.fnUntraced(function* (root: string, head: string | undefined, paths: ReadonlySet<string>) {
    const found = new Map<string, string>()
    yield* records(
      git.output(root, head === undefined ? ["ls-files", "-s", "-z"] : ["ls-tree", "-r", "-z", head])
    ).pipe(
      Stream.runForEach((record) =>
        Effect.sync(() => {
          const path = behindHeader(record).text
          if (paths.has(path) && !plainName.test(path)) found.set(path, idInHeader.exec(record.text)?.[0] ?? "")
        })
      )
    )
    return found
  })

  /** The text of a file in a commit; undefined if it does not exist. The path is relative to the repository's top. */
  const fileAt = (root: string, head: string, path: string) =>
    readBounded(git.output(root, ["cat-file", "blob", `${head}:${path}`]), maxFileSize).pipe(
      Effect.map(decode),
      Effect.orElseSucceed(() => undefined)
    )

  /** Whether the work tree has a `.gitattributes` file; false for a bare repository. */
  const hasAttributes = (root: string) =>
    git
      .text(root, ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ":(glob)**/.gitattributes"])
      .pipe(
        Effect.map((files) => files !== ""),
        Effect.orElseSucceed(() => false)
      )

  /** The given paths that attributes mark as generated or vendored. */
  const attributes = Effect.fnUntraced(function* (root: string, paths: ReadonlySet<string>, source: AttributeSource) {
    const found = new Map<string, FileSkipReason>()
    if (paths.size === 0) return found
    const input = Stream.succeed(new TextEncoder().encode([...paths].map((path) => `${path}\0`).join("")))
    const readAttributes = (source: ReadonlyArray<string>) =>
      records(
        git.output(root, ["check-attr", ...source, "-z", "--stdin", "linguist-generated", "linguist-vendored"], {
          input
        })
      ).pipe(
        Stream.map(({ text }) => text),
        Stream.runCollect
      )
    const answers = yield* source === "work-tree"
      ? readAttributes([])
      : source === "index"
        ? readAttributes(["--cached"])
        : // git before 2.40 cannot read attributes of a commit.
          readAttributes([`--source=${source.commit}`]).pipe(
            Effect.catchTag("GitFailed", () => (source.orWorkTree ? readAttributes([]) : Effect.succeed([])))
          )
    for (let i = 0; i + 2 < answers.length; i += 3) {
      const value = answers[i + 2]
      if (value !== "set" && value !== "true") continue
      found.set(answers[i] ?? "", answers[i + 1] === "linguist-vendored" ? "vendored" : "generated")
    }
    return found
  })

  return {
    attributes,
    blobs: (root: string, names: ReadonlyArray<string>, maxSize: number) => readBlobs(git, root, names, maxSize),
    contentsAt,
    countNotCheckedOut,
    diff,
    fileAt,
    files,
    folderOf,
    hasAttributes,
    history,
    isIgnored,
    log,
    namesAt,
    messagesOf: (root: string, range: ResolvedRange) => messagesOf(git, root, range),
    resolve,
    topOf,
    notTracked
  }
}

/** Pathspecs for listed entries. Empty, which means all paths, if there are too many or a name is not UTF-8. */
const pathspecs = (entries: ReadonlyArray<GitRecord>): ReadonlyArray<string> =>
  entries.length > maxPathspecs || entries.some(({ bytes }) => bytes !== undefined)
    ? []
    : entries.map(({ text }) => `:(literal)${text}`)

const maxPathspecs = 100

/** git only warns about folders that it cannot open: counts them as skipped. */
const unreadableFolders = (counter: ScanCounter): GitOptions => ({
  onComplaint: (text) => {
    for (const [, folder = ""] of text.matchAll(/^warning: could not open directory '(.+?)\/?': /gm)) {
      counter.skip("unreadable", folder)
    }
  }
})

const commitsAtOnce = 1024

const lineFeed = 10

/**
 * A zero byte and the commit id; with messages, the id ends with a zero byte, and the message follows up to another.
 */
const formatOf = (withMessages: boolean) => (withMessages ? "--format=%x00%H%x00%n%B%x00" : "--format=%x00%H")

const commitId = /^[0-9a-f]{40,64}$/

/** Matches the output of `tryResolveEnds`, line by line; git also prints `--end-of-options`. */
const endsAnswer =
  /^(?<folder>[^]*)\n(?<shallow>true|false)\n(?:--end-of-options\n)?(?<own>[0-9a-f]{40,64})\n(?<head>[0-9a-f]{40,64})(?:\n(?<base>[0-9a-f]{40,64}))?$/

/** A name without line breaks whose bytes are the same in UTF-8 and in Latin-1. */
const plainName = /^[ -~]+$/

/**
 * The object name of a file below the root, in a commit or in the index; empty if git cannot take the path that way.
 */
export const nameAt = (commit: string | undefined, folder: string, path: string): string =>
  plainName.test(path) ? `${commit ?? ":0"}:${folder === "" ? "" : "./"}${path}` : ""

const below = (folder: string): ReadonlyArray<string> => (folder === "" ? [] : ["--full-history", "--", "."])

const revisions = ({ base, head }: Range): ReadonlyArray<string> => (base === undefined ? [head] : [head, `^${base}`])
