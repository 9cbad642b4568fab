/** What a scan needs to know of a git repository. */
import { Effect, Stream } from "effect"
import { concat, decode } from "./Bytes.ts"
import type { FileName } from "./Files.ts"
import type { Git } from "./Git.ts"
import type { LeftOutReason } from "./LeftOut.ts"
import { GitFailed, HistoryShallow, NotARepository, RevisionMissing, type ScanError } from "./ScanError.ts"
import type { Tally } from "./Tally.ts"

/** Two commits, by their full ids. */
export interface Range {
  readonly base: string | undefined
  readonly head: string
}

/** An object of git's and its content, undefined where it is too large to be read. */
export interface Blob {
  readonly id: string
  readonly size: number
  readonly content: Uint8Array | undefined
}

export const makeRepository = (git: Git["Service"]) => {
  /** The folder of the repository that the root is: empty at its top. Fails where there is no repository. */
  const prefix = Effect.fnUntraced(function* (root: string) {
    return yield* git
      .text(root, ["rev-parse", "--show-prefix"])
      .pipe(
        Effect.catchTag("GitFailed", ({ exitCode, reason }) =>
          Effect.fail(
            exitCode === undefined
              ? new GitFailed({ command: "rev-parse", exitCode, reason })
              : new NotARepository({ root, reason })
          )
        )
      )
  })

  const isRepository = (root: string) =>
    prefix(root).pipe(
      Effect.as(true),
      Effect.catchTags({
        // A repository of somebody else's is one all the same: to walk it would read what git ignores.
        NotARepository: ({ reason }) =>
          reason.includes("dubious ownership")
            ? Effect.fail(new NotARepository({ root, reason }))
            : Effect.succeed(false),
        // Without git, or without the folder, which is for whoever walks it to say.
        GitFailed: () => Effect.succeed(false)
      })
    )

  const isShallow = (root: string) =>
    git.text(root, ["rev-parse", "--is-shallow-repository"]).pipe(Effect.map((answer) => answer === "true"))

  const commit = Effect.fnUntraced(function* (root: string, revision: string) {
    return yield* git
      .text(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`])
      .pipe(
        Effect.catchTag("GitFailed", () =>
          Effect.flatMap(isShallow(root), (shallow) => Effect.fail(new RevisionMissing({ revision, shallow })))
        )
      )
  })

  /** The ids of both ends; fails where a shallow clone has not all that lies between them. */
  const resolve = Effect.fnUntraced(function* (root: string, base: string | undefined, head: string) {
    yield* prefix(root)
    const range: Range = {
      head: yield* commit(root, head),
      base: base === undefined ? undefined : yield* commit(root, base)
    }
    if (base !== undefined && (yield* isShallow(root))) {
      const marks = yield* git.text(root, ["log", "--decorate=short", "--format=%d", ...revisions(range)])
      if (/\bgrafted\b/.test(marks)) return yield* new HistoryShallow({ base, head })
    }
    return range
  })

  /** Tracked files and those that are neither tracked nor ignored. */
  const files = (root: string, tally: Tally): Stream.Stream<FileName, ScanError> => {
    const seen = new Set<string>()
    const once = (name: FileName) => !seen.has(name.path) && seen.add(name.path) !== undefined
    const tracked = records(git.output(root, ["ls-files", "-z", "--cached", "--stage", "-t"])).pipe(
      Stream.map((record): FileName | undefined => {
        const tab = record.indexOf(9)
        const [tag, mode] = latin1.decode(record.subarray(0, tab)).split(" ")
        const name = fileName(record.subarray(tab + 1))
        if (mode === "160000") tally.notRead.push({ path: name.path, reason: "submodule" })
        else if (mode === "120000") tally.leaveOut("symbolic-link")
        else if (tag === "S") tally.notRead.push({ path: name.path, reason: "not-checked-out" })
        else return name
        return undefined
      })
    )
    const untracked = records(git.output(root, ["ls-files", "-z", "--others", "--exclude-standard"])).pipe(
      Stream.map((record): FileName | undefined => {
        const name = fileName(record)
        // A repository inside this one is named like a folder.
        if (!name.path.endsWith("/")) return name
        tally.notRead.push({ path: name.path.slice(0, -1), reason: "submodule" })
        return undefined
      })
    )
    return Stream.concat(tracked, untracked).pipe(
      Stream.filter((name) => name !== undefined),
      Stream.filter(once)
    )
  }

  const untracked = (root: string): Stream.Stream<FileName, ScanError> =>
    records(git.output(root, ["ls-files", "-z", "--others", "--exclude-standard"])).pipe(
      Stream.map(fileName),
      Stream.filter(({ path }) => !path.endsWith("/"))
    )

  const below = Effect.fnUntraced(function* (root: string) {
    return (yield* prefix(root)) === "" ? [] : ["--full-history", "--", "."]
  })

  /** The patches of every commit of a range, the newest first. */
  const log = Effect.fnUntraced(function* (root: string, range: Range, tally: Tally) {
    const limit = yield* below(root)
    tally.commitsTotal = Number(yield* git.text(root, ["rev-list", "--count", ...revisions(range), ...limit]))
    return git.output(root, [
      "log",
      ...patch,
      "--diff-merges=dense-combined",
      "--topo-order",
      "--format=%x00%H",
      "-U10",
      ...revisions(range),
      ...limit
    ])
  })

  /** The patches of all commits there are, the newest first. */
  const history = Effect.fnUntraced(function* (root: string, tally: Tally) {
    const limit = yield* below(root)
    const hasHead = yield* git.text(root, ["rev-parse", "--verify", "--quiet", "HEAD"]).pipe(
      Effect.as(true),
      Effect.orElseSucceed(() => false)
    )
    const all = [...(hasHead ? ["HEAD"] : []), "--branches", "--tags", "--remotes"]
    tally.shallow = yield* isShallow(root)
    tally.commitsTotal = Number(yield* git.text(root, ["rev-list", "--count", ...all, ...limit]))
    return git.output(root, [
      "log",
      ...patch,
      "--diff-merges=dense-combined",
      "--format=%x00%H",
      "-U3",
      ...all,
      ...limit
    ])
  })

  /** What the working tree and the index have that a revision has not. */
  const diff = Effect.fnUntraced(function* (root: string, base: string | undefined) {
    yield* prefix(root)
    const against = yield* base === undefined
      ? commit(root, "HEAD").pipe(
          Effect.catchTag("RevisionMissing", () => git.text(root, ["hash-object", "-t", "tree", "--stdin"]))
        )
      : commit(root, base)
    return git.output(root, ["diff", ...patch, "-U10", against, "--", "."])
  })

  /** The ids of the files of a commit that are asked for. */
  const blobsOf = Effect.fnUntraced(function* (root: string, head: string, paths: ReadonlySet<string>) {
    const found = new Map<string, string>()
    yield* records(git.output(root, ["ls-tree", "-r", "-z", head])).pipe(
      Stream.runForEach((record) =>
        Effect.sync(() => {
          const tab = record.indexOf(9)
          const { path } = fileName(record.subarray(tab + 1))
          if (paths.has(path)) found.set(path, latin1.decode(record.subarray(0, tab)).split(" ")[2] ?? "")
        })
      )
    )
    return found
  })

  /** The content of objects, one after another, in the order asked; none that is over the limit in bytes. */
  const blobs = (root: string, ids: ReadonlyArray<string>, largest: number): Stream.Stream<Blob, GitFailed> => {
    if (ids.length === 0) return Stream.empty
    const ask = (list: ReadonlyArray<string>) =>
      Stream.succeed(new TextEncoder().encode(list.map((id) => `${id}\n`).join("")))
    const sizes = git
      .output(root, ["cat-file", "--batch-check"], ask(ids))
      .pipe(Stream.decodeText(), Stream.splitLines, Stream.runCollect)
    return Stream.unwrap(
      Effect.map(sizes, (lines) => {
        const known = lines.flatMap((line): ReadonlyArray<Blob> => {
          const [id = "", type, size] = line.split(" ")
          return type === "blob" ? [{ id, size: Number(size), content: undefined }] : []
        })
        const small = known.filter(({ size }) => size <= largest)
        const large = known.filter(({ size }) => size > largest)
        const read = blobReader()
        return Stream.fromIterable(large).pipe(
          Stream.concat(
            small.length === 0
              ? Stream.empty
              : git
                  .output(root, ["cat-file", "--batch"], ask(small.map(({ id }) => id)))
                  .pipe(Stream.map(read), Stream.flattenIterable)
          )
        )
      })
    )
  }

  /** A file as a commit has it, undefined where it has none. */
  const fileOf = (root: string, head: string, path: string) =>
    git.text(root, ["cat-file", "blob", `${head}:./${path}`]).pipe(Effect.orElseSucceed(() => undefined))

  /** Tells which of some paths the repository's attributes call generated or vendored; undefined where it has none. */
  const attributes = Effect.fnUntraced(function* (root: string) {
    // A bare repository has no work tree, and so no attributes to go by.
    const files = yield* git
      .text(root, ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ":(glob)**/.gitattributes"])
      .pipe(Effect.catchTag("GitFailed", () => Effect.succeed("")))
    if (files === "") return undefined
    return Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
      const found = new Map<string, LeftOutReason>()
      const input = Stream.succeed(new TextEncoder().encode(paths.map((path) => `${path}\0`).join("")))
      const answers = yield* records(
        git.output(root, ["check-attr", "-z", "--stdin", "linguist-generated", "linguist-vendored"], input)
      ).pipe(Stream.map(decode), Stream.runCollect)
      for (let i = 0; i + 2 < answers.length; i += 3) {
        const value = answers[i + 2]
        if (value !== "set" && value !== "true") continue
        found.set(answers[i] ?? "", answers[i + 1] === "linguist-vendored" ? "vendored" : "generated")
      }
      return found
    })
  })

  return { attributes, blobs, blobsOf, diff, fileOf, files, history, isRepository, log, resolve, untracked }
}

const revisions = ({ base, head }: Range): ReadonlyArray<string> => (base === undefined ? [head] : [head, `^${base}`])

const patch: ReadonlyArray<string> = [
  "--patch",
  "--no-color",
  "--no-color-moved",
  "--no-ext-diff",
  "--no-textconv",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--full-index",
  "--find-renames=50%",
  "-l2000",
  "--diff-algorithm=myers",
  "--inter-hunk-context=0",
  "--submodule=short",
  "--ws-error-highlight=none",
  "--output-indicator-new=+",
  "--relative",
  "-O/dev/null"
]

const latin1 = new TextDecoder("latin1")

const fileName = (bytes: Uint8Array): FileName => {
  const path = decode(bytes)
  return { path, bytes: new TextEncoder().encode(path).length === bytes.length ? undefined : bytes }
}

/** Cuts output at its zero bytes. */
const records = <E>(output: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> => {
  let rest: Array<Uint8Array> = []
  return output.pipe(
    Stream.map((bytes) => {
      const whole: Array<Uint8Array> = []
      let from = 0
      for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, from)) {
        whole.push(concat([...rest, bytes.subarray(from, at)]))
        rest = []
        from = at + 1
      }
      if (from < bytes.length) rest.push(bytes.slice(from))
      return whole
    }),
    Stream.flattenIterable
  )
}

/** Cuts what `cat-file --batch` prints into objects. */
const blobReader = () => {
  let buffered: Array<Uint8Array> = []
  let size = 0
  let header: Blob | undefined
  return (bytes: Uint8Array): ReadonlyArray<Blob> => {
    const done: Array<Blob> = []
    buffered.push(bytes)
    size += bytes.length
    while (size > 0) {
      if (header === undefined) {
        const whole = concat(buffered)
        const end = whole.indexOf(10)
        buffered = [whole]
        if (end < 0) break
        const [id = "", , length] = latin1.decode(whole.subarray(0, end)).split(" ")
        header = { id, size: Number(length), content: undefined }
        buffered = [whole.subarray(end + 1)]
        size -= end + 1
      }
      if (size < header.size + 1) break
      const whole = concat(buffered)
      done.push({ ...header, content: whole.subarray(0, header.size) })
      buffered = [whole.subarray(header.size + 1)]
      size -= header.size + 1
      header = undefined
    }
    return done
  }
}
