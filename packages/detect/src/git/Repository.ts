/** The git queries that a scan needs. */
import { Effect, Stream } from "effect"
import { concat, decode } from "../text/Bytes.ts"
import type { FileName } from "../files/Files.ts"
import { type Git, type GitOptions, isOutsideRepository } from "./Git.ts"
import { readBlobs, readObjects } from "./GitObjects.ts"
import { besideBranches, branches, messagesOf, nothingBeside, patch } from "./References.ts"
import { behindHeader, fileName, type GitRecord, idInHeader, records } from "./GitRecords.ts"
import type { FileSkipReason } from "../skip/Skipped.ts"
import { HistoryShallow, NotARepository, RevisionMissing, type ScanError } from "../ScanError.ts"
import type { ScanCounter } from "../skip/ScanCounter.ts"

/** The commits that `head` reaches and `base` does not; without a base, all that `head` reaches. Either is any revision. */
export interface Range {
  readonly base?: string | undefined
  readonly head: string
}

/** A range whose ends are full ids of commits. */
export interface ResolvedRange extends Range {
  readonly base: string | undefined
  /** The folder of the repository that the root is: empty at its top. */
  readonly folder: string
  /** The annotated tag that the head was named by. */
  readonly tag?: string | undefined
}

/** Whose `.gitattributes` apply; those of the work tree replace the commit's if git cannot read these. */
export type AttributeSource = "work-tree" | "index" | { readonly commit: string; readonly orWorkTree: boolean }

export type Repository = ReturnType<typeof makeRepository>

export const makeRepository = (git: Git["Service"]) => {
  /** Which folder of a repository the root is, and whether its history is cut. Fails where there is no repository. */
  const place = (root: string) =>
    git.text(root, ["rev-parse", "--show-prefix", "--is-shallow-repository"]).pipe(
      Effect.map((answer) => {
        const end = answer.lastIndexOf("\n")
        return { folder: answer.slice(0, end), shallow: answer.slice(end + 1) === "true" }
      }),
      Effect.mapError((error) =>
        error.exitCode === undefined ? error : new NotARepository({ root, reason: error.reason })
      )
    )

  /** The folder of the repository that the root is: empty at its top; undefined where it is in no repository. */
  const folderOf = (root: string) =>
    place(root).pipe(
      Effect.map(({ folder }): string | undefined => folder),
      Effect.catchTags({
        // To walk the folder of a repository that cannot be read would miss its tracked files that are ignored.
        NotARepository: (error) => (isOutsideRepository(error.reason) ? Effect.undefined : Effect.fail(error)),
        // No git, or no such folder: walking the folder reports the latter.
        GitFailed: () => Effect.undefined
      })
    )

  /** The top folder of the work tree. */
  const topOf = (root: string) => git.text(root, ["rev-parse", "--show-toplevel"])

  const commit = (root: string, revision: string, shallow: boolean) =>
    git.text(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]).pipe(
      // git takes `^revision` too, which is all but that commit.
      Effect.filterOrFail((answer) => commitId.test(answer)),
      Effect.mapError(() => new RevisionMissing({ revision, shallow }))
    )

  /** All information about a range, from one process; undefined on any error, which this process does not explain. */
  const ends = (root: string, base: string | undefined, head: string) =>
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

  const endsOneByOne = Effect.fnUntraced(function* (root: string, base: string | undefined, head: string) {
    const { folder, shallow } = yield* place(root)
    return {
      folder,
      shallow,
      head: yield* commit(root, head, shallow),
      base: base === undefined ? undefined : yield* commit(root, base, shallow),
      tag: undefined
    }
  })

  const knownEnds = Effect.fnUntraced(function* (root: string, base: string | undefined, head: string) {
    return (yield* ends(root, base, head)) ?? (yield* endsOneByOne(root, base, head))
  })

  /** The ids of both ends; fails if a shallow clone lacks commits between them and their merge base. */
  const resolve = Effect.fnUntraced(function* (root: string, base: string | undefined, head: string) {
    const { shallow, ...range } = yield* knownEnds(root, base, head)
    if (shallow) {
      // A commit that is unreachable from the base may be in the head's own history.
      const either = range.base === undefined ? range.head : `${range.head}...${range.base}`
      const marks = yield* git.text(root, ["log", "--decorate=short", "--format=%d", either])
      if (/\bgrafted\b/.test(marks)) return yield* new HistoryShallow({ base, head })
    }
    return range
  })

  /** Tracked files and those that are neither tracked nor ignored; and a count of what is ignored. */
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

  /** In a clone that was made without a checkout, the index is empty. */
  const countNotCheckedOut = (root: string, counter: ScanCounter): Effect.Effect<void, ScanError> =>
    records(git.output(root, ["ls-tree", "-r", "-z", "--name-only", "HEAD"])).pipe(
      Stream.runForEach(({ text }) => Effect.sync(() => counter.skip("not-checked-out", text))),
      // Before the first commit there is no HEAD.
      Effect.catchIf(
        ({ exitCode }) => exitCode !== undefined,
        () => Effect.void
      )
    )

  /**
   * The untracked files of the work tree that are not ignored, and a count of the ignored ones, folders as one however
   * many files they hold.
   */
  const notTracked = Effect.fnUntraced(function* (root: string, counter: ScanCounter) {
    const others = (options: ReadonlyArray<string>) =>
      records(git.output(root, ["ls-files", "-z", "--others", ...options], unreadableFolders(counter)))
    // git walks the whole work tree for each list: most checkouts have nothing to list, and one walk shows that.
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
        // A repository inside this one is named like a folder.
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

  /** Whether git ignores the root; `folder` is its path in the repository. `ls-files` lists nothing in an ignored folder, or fails. */
  const isIgnored = (root: string, folder: string): Effect.Effect<boolean> =>
    folder === ""
      ? Effect.succeed(false)
      : git.text(root, ["check-ignore", "--quiet", "."]).pipe(
          Effect.as(true),
          Effect.orElseSucceed(() => false)
        )

  /** The patches of every commit of a range, the newest first, and their messages unless the root is a folder below the top. */
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
   * The patches of all commits there are, the newest first, some hundred commits in each part: parts can be read at once. A folder
   * below the top has its own files alone; the top has also messages, stashes, notes and what tags name without a commit.
   */
  const history = Effect.fnUntraced(function* (root: string, counter: ScanCounter, withMessages: boolean) {
    const known = yield* ends(root, undefined, "HEAD")
    const { folder, shallow } = known ?? (yield* place(root))
    const limit = below(folder)
    if (shallow) counter.skip("shallow-history", "HEAD")
    const ofBranches = yield* Stream.mkUint8Array(git.output(root, ["rev-list", ...branches, ...limit]))
    const beside = folder === "" ? yield* besideBranches(git, root) : nothingBeside
    const ids = concat([ofBranches, ...[...beside.places.keys()].map((id) => new TextEncoder().encode(`${id}\n`))])
    // All ids of a repository are equally long.
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
   * Differences of the working tree and the index from a revision; its commit, undefined before the first one; and the folder
   * of the repository that the root is.
   */
  const diff = Effect.fnUntraced(function* (root: string, revision: string | undefined, staged: boolean) {
    const known = Effect.map(knownEnds(root, undefined, revision ?? "HEAD"), ({ folder, head }) => ({
      folder,
      base: head,
      from: head
    }))
    const { base, folder, from } = yield* revision === undefined
      ? // Before the first commit, everything is new.
        Effect.catchTag(known, "RevisionMissing", () =>
          Effect.all({
            folder: Effect.map(place(root), ({ folder }) => folder),
            base: Effect.undefined,
            from: git.text(root, ["hash-object", "-t", "tree", "--stdin"])
          })
        )
      : known
    const patches = git.output(root, ["diff", ...patch, "-U10", ...(staged ? ["--cached"] : []), from, "--", "."])
    return { folder, base, patches }
  })

  /**
   * The content of the given files in the head of a range or, without one, in the index, except files that it does not have or that
   * exceed the limit in bytes.
   */
  const contentsAt = Effect.fnUntraced(function* (
    root: string,
    { folder, head }: { readonly folder: string; readonly head: string | undefined },
    paths: ReadonlySet<string>,
    largest: number
  ) {
    const asked = [...paths]
      .filter((path) => plainName.test(path))
      .map((path): readonly [string, string] => [path, nameAt(head, folder, path)])
    if (asked.length < paths.size) asked.push(...(yield* idsAt(root, head, paths)))
    const contents = new Map<string, Uint8Array>()
    let next = 0
    yield* readObjects(
      git,
      root,
      asked.map(([, name]) => name),
      largest
    ).pipe(
      Stream.runForEach(({ content }) =>
        Effect.sync(() => {
          const path = asked[next++]?.[0]
          if (path !== undefined && content !== undefined) contents.set(path, content)
        })
      )
    )
    return contents
  })

  /** The names of the files of a commit, or those of the index. */
  const namesAt = (root: string, head: string | undefined): Effect.Effect<ReadonlyArray<string>, ScanError> =>
    records(
      git.output(root, head === undefined ? ["ls-files", "-z"] : ["ls-tree", "-r", "-z", "--name-only", head])
    ).pipe(
      Stream.map(({ text }) => text),
      Stream.runCollect
    )

  /** The ids of the files asked for whose names git cannot be asked by. */
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

  /** A file as a commit has it, by its path from the top; undefined where it has none. */
  const fileAt = (root: string, head: string, path: string) =>
    Stream.mkUint8Array(git.output(root, ["cat-file", "blob", `${head}:${path}`])).pipe(
      Effect.map(decode),
      Effect.orElseSucceed(() => undefined)
    )

  /** Whether the work tree says anything about its files; a bare repository has none. */
  const hasAttributes = (root: string) =>
    git
      .text(root, ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ":(glob)**/.gitattributes"])
      .pipe(
        Effect.map((files) => files !== ""),
        Effect.orElseSucceed(() => false)
      )

  /** Which of some paths the repository's attributes call generated or vendored. */
  const attributes = Effect.fnUntraced(function* (root: string, paths: ReadonlySet<string>, source: AttributeSource) {
    const found = new Map<string, FileSkipReason>()
    if (paths.size === 0) return found
    const input = Stream.succeed(new TextEncoder().encode([...paths].map((path) => `${path}\0`).join("")))
    const ask = (source: ReadonlyArray<string>) =>
      records(
        git.output(root, ["check-attr", ...source, "-z", "--stdin", "linguist-generated", "linguist-vendored"], {
          input
        })
      ).pipe(
        Stream.map(({ text }) => text),
        Stream.runCollect
      )
    const answers = yield* source === "work-tree"
      ? ask([])
      : source === "index"
        ? ask(["--cached"])
        : // git before 2.40 does not know the attributes of a commit.
          ask([`--source=${source.commit}`]).pipe(
            Effect.catchTag("GitFailed", () => (source.orWorkTree ? ask([]) : Effect.succeed([])))
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
    blobs: (root: string, names: ReadonlyArray<string>, largest: number) => readBlobs(git, root, names, largest),
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

/** The pathspecs of entries that git has listed: an empty list, which means all, if they are too many or a name is not UTF-8. */
const pathspecs = (entries: ReadonlyArray<GitRecord>): ReadonlyArray<string> =>
  entries.length > maxPathspecs || entries.some(({ bytes }) => bytes !== undefined)
    ? []
    : entries.map(({ text }) => `:(literal)${text}`)

const maxPathspecs = 100

/** git skips a folder that it may not open, with a warning alone. */
const unreadableFolders = (counter: ScanCounter): GitOptions => ({
  onComplaint: (text) => {
    for (const [, folder = ""] of text.matchAll(/^warning: could not open directory '(.+?)\/?': /gm)) {
      counter.skip("unreadable", folder)
    }
  }
})

const commitsAtOnce = 1024

const lineFeed = 10

/** The id of a commit; a message follows where a zero byte does, and ends with one. */
const formatOf = (withMessages: boolean) => (withMessages ? "--format=%x00%H%x00%n%B%x00" : "--format=%x00%H")

const commitId = /^[0-9a-f]{40,64}$/

/** Reads the answer to `ends`, line by line; git repeats where the options end. */
const endsAnswer =
  /^(?<folder>[^]*)\n(?<shallow>true|false)\n(?:--end-of-options\n)?(?<own>[0-9a-f]{40,64})\n(?<head>[0-9a-f]{40,64})(?:\n(?<base>[0-9a-f]{40,64}))?$/

/** A name without a line break that has the same bytes in every encoding. */
const plainName = /^[ -~]+$/

/** The name of a file below the root, in a commit or in the index; empty if git cannot be asked by it. */
export const nameAt = (commit: string | undefined, folder: string, path: string): string =>
  plainName.test(path) ? `${commit ?? ":0"}:${folder === "" ? "" : "./"}${path}` : ""

const below = (folder: string): ReadonlyArray<string> => (folder === "" ? [] : ["--full-history", "--", "."])

const revisions = ({ base, head }: Range): ReadonlyArray<string> => (base === undefined ? [head] : [head, `^${base}`])
