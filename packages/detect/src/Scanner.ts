/** Candidates of a tree, a range of commits, a whole history, or what is not committed yet. */
import { Context, Effect, Layer, Redacted, Stream } from "effect"
import { type Added, addedIn, placeInHead } from "./AddedLines.ts"
import { decode, isBinary } from "./Bytes.ts"
import type { Candidate } from "./Candidate.ts"
import { type FileName, Files, largestFile } from "./Files.ts"
import { Git } from "./Git.ts"
import { leftOutByPath, type LeftOutReason } from "./LeftOut.ts"
import { type PatchEvent, patchReader, type Unread } from "./Patch.ts"
import { pathFilter, type PathFilter } from "./PathFilter.ts"
import { makeRepository } from "./Repository.ts"
import type { ScanError } from "./ScanError.ts"
import { makeTally, type Tally } from "./Tally.ts"
import type { TextOptions } from "./Text.ts"

/** What every scan can be narrowed by. */
export interface ScanOptions {
  /** The folder that is scanned; paths are given relative to it. */
  readonly root: string
  /** Globs with `**`, relative to `root`; a path must match one of them. Everything when empty. */
  readonly paths?: ReadonlyArray<string> | undefined
  /** Globs with `**`, relative to `root`; a path that matches one of them is left out. */
  readonly exclude?: ReadonlyArray<string> | undefined
  /** Candidates of less are left out; `minConfidence` of Candidate.ts unless given. */
  readonly minConfidence?: number | undefined
}

/** The lines that any commit reachable from `head` and not from `base` added, those deleted again included. */
export interface RangeOptions extends ScanOptions {
  /** Any revision; without one, everything `head` reaches is in the range. */
  readonly base?: string | undefined
  readonly head: string
}

/** The lines of the working tree, untracked files included, that `base` does not have. */
export interface ChangesOptions extends ScanOptions {
  /** Any revision; `HEAD` unless given. */
  readonly base?: string | undefined
}

/**
 * Why a file, or a version of it, was not read: a repository of its own, over 50 MB, refused by the file system, or tracked but
 * left out of a sparse checkout.
 */
export type NotReadReason = "submodule" | "too-large" | "unreadable" | "not-checked-out"

export interface NotRead {
  readonly path: string
  readonly reason: NotReadReason
  readonly commit?: string | undefined
}

/** What a scan has done so far. */
export interface Account {
  /** Files read, or versions of files where commits are scanned. */
  readonly files: number
  /** All there are, once that is known. */
  readonly filesTotal: number | undefined
  /** Bytes read. */
  readonly bytes: number
  readonly commits: number
  readonly commitsTotal: number | undefined
  /** What may hold a secret and was not looked at; a report names it. */
  readonly notRead: ReadonlyArray<NotRead>
  /** How many files were left out on purpose, by reason. */
  readonly leftOut: Readonly<Partial<Record<LeftOutReason, number>>>
  /** True where the history ends at the edge of a shallow clone. */
  readonly shallow: boolean
  /** What in the repository's own `.gitleaks.toml` could not be used, one sentence each. */
  readonly warnings: ReadonlyArray<string>
}

export interface Scan {
  /** Each place once, as it is found; to be run once. */
  readonly candidates: Stream.Stream<Candidate, ScanError>
  /** Can be asked at any time; complete once `candidates` has ended. */
  readonly account: Effect.Effect<Account>
}

/** Looks for candidates in files and in git; nothing is written, nothing leaves the machine. */
export class Scanner extends Context.Service<
  Scanner,
  {
    /** Every file below the root; in a git repository those that are tracked, or neither tracked nor ignored. */
    tree(options: ScanOptions): Effect.Effect<Scan, ScanError>

    /** Lines are those of `head`, or of the commit where `head` no longer has them. Merges count for what they add themselves. */
    range(options: RangeOptions): Effect.Effect<Scan, ScanError>

    /** Every line ever added in what HEAD, the branches, the tags and the remotes reach; each value of a path is given once, where it was added last. */
    history(options: ScanOptions): Effect.Effect<Scan, ScanError>

    /** What is not committed, against HEAD or another revision. */
    changes(options: ChangesOptions): Effect.Effect<Scan, ScanError>
  }
>()("@threat-exposure/detect/Scanner") {
  /** Over git and files; node/NodeScanner.ts has both for Node. */
  static readonly layerNoDeps = Layer.effect(
    Scanner,
    Effect.gen(function* () {
      const files = yield* Files
      const repository = makeRepository(yield* Git)

      const scanFiles = (
        root: string,
        names: Stream.Stream<FileName, ScanError>,
        options: TextOptions,
        tally: Tally
      ): Stream.Stream<Candidate, ScanError> =>
        names.pipe(
          Stream.filter(({ path }) => {
            const reason = leftOutByPath(path)
            if (reason !== undefined) tally.leaveOut(reason)
            return reason === undefined
          }),
          Stream.grouped(filesAtOnce),
          Stream.mapEffect((batch) => files.scan(root, batch, options), { concurrency: batchesAtOnce }),
          Stream.map((scans) =>
            scans.flatMap(({ bytes, candidates, leftOut, notRead, path }) => {
              tally.files++
              tally.bytes += bytes
              if (leftOut !== undefined) tally.leaveOut(leftOut)
              if (notRead !== undefined) tally.notRead.push({ path, reason: notRead })
              return candidates
            })
          ),
          Stream.flattenIterable
        )

      /** Candidates of the added lines of a patch, and of the files that git took for binary and are not. */
      const scanPatch = (
        root: string,
        patch: Stream.Stream<Uint8Array, ScanError>,
        wanted: PathFilter,
        options: TextOptions,
        tally: Tally
      ): Stream.Stream<Added, ScanError> => {
        const reader = patchReader((path) => wanted(path) && leftOutByPath(path) === undefined)
        const unread: Array<Unread> = []
        const names = new Map<string, string>()
        const handle = (event: PatchEvent): ReadonlyArray<Added> => {
          if (event._tag === "Commit") tally.commits++
          else if (event._tag === "Renamed") names.set(event.from, names.get(event.to) ?? event.to)
          else if (event._tag === "Unread") {
            const { commit, kind, path } = event.unread
            if (kind === "binary") unread.push(event.unread)
            else if (kind === "submodule") tally.notRead.push({ path, reason: "submodule", commit })
            else tally.leaveOut("symbolic-link")
          } else {
            tally.files++
            tally.bytes += event.piece.bytes
            return addedIn(event.piece, options, tally, names)
          }
          return []
        }
        const lines = patch.pipe(
          Stream.map((bytes) => reader.push(bytes).flatMap(handle)),
          Stream.concat(Stream.sync(() => reader.end().flatMap(handle))),
          Stream.flattenIterable
        )
        return Stream.concat(
          lines,
          Stream.suspend(() => scanUnread(root, unread, options, tally, names))
        )
      }

      const scanUnread = (
        root: string,
        unread: ReadonlyArray<Unread>,
        options: TextOptions,
        tally: Tally,
        names: ReadonlyMap<string, string>
      ): Stream.Stream<Added, ScanError> =>
        repository.blobs(root, [...new Set(unread.map(({ after }) => after))], largestFile).pipe(
          Stream.map(({ content, id }) =>
            unread
              .filter(({ after }) => after === id)
              .flatMap(({ commit, path }): ReadonlyArray<Added> => {
                if (content === undefined) {
                  tally.notRead.push({ path, reason: "too-large", commit })
                  return []
                }
                if (isBinary(content)) {
                  tally.leaveOut("binary")
                  return []
                }
                tally.files++
                tally.bytes += content.length
                const text = decode(content)
                const lines = text.split("\n")
                const piece = {
                  path,
                  renamedFrom: undefined,
                  commit,
                  text,
                  lines: lines.map((_, index) => index + 1),
                  added: lines.map(() => true),
                  bytes: content.length
                }
                return addedIn(piece, options, tally, names)
              })
          ),
          Stream.flattenIterable
        )

      /** Candidates with their places in the head, where it still has their lines. */
      const placed = Effect.fnUntraced(function* (root: string, head: string, found: ReadonlyArray<Added>) {
        const paths = new Set(found.map(({ headPath }) => headPath))
        const ids = yield* repository.blobsOf(root, head, paths)
        const lines = new Map<string, ReadonlyArray<string>>()
        yield* repository.blobs(root, [...new Set(ids.values())], largestFile).pipe(
          Stream.runForEach(({ content, id }) =>
            Effect.sync(() => {
              for (const [path, blob] of ids) {
                if (blob === id && content !== undefined) lines.set(path, decode(content).split("\n"))
              }
            })
          )
        )
        return placeInHead(found, lines)
      })

      const tree = Effect.fn("Scanner.tree")(function* (options: ScanOptions) {
        const tally = makeTally()
        const wanted = pathFilter(options.paths, options.exclude)
        const names = (yield* repository.isRepository(options.root))
          ? repository.files(options.root, tally)
          : files.walk(options.root)
        const selected = names.pipe(Stream.filter(({ path }) => wanted(path)))
        return scanOf(tally, scanFiles(options.root, selected, options, tally))
      })

      const range = Effect.fn("Scanner.range")(function* (options: RangeOptions) {
        const { root } = options
        const tally = makeTally()
        const ends = yield* repository.resolve(root, options.base, options.head)
        const log = yield* repository.log(root, ends, tally)
        const found = scanPatch(root, log, pathFilter(options.paths, options.exclude), options, tally)
        return scanOf(
          tally,
          Stream.fromIterableEffect(Effect.flatMap(Stream.runCollect(found), (all) => placed(root, ends.head, all)))
        )
      })

      const history = Effect.fn("Scanner.history")(function* (options: ScanOptions) {
        const { root } = options
        const tally = makeTally()
        const log = yield* repository.history(root, tally)
        const seen = new Set<string>()
        return scanOf(
          tally,
          scanPatch(root, log, pathFilter(options.paths, options.exclude), options, tally).pipe(
            Stream.map(({ candidate }) => candidate),
            Stream.filter((candidate) => {
              const key = `${candidate.location.path}\0${Redacted.value(candidate.value)}`
              return !seen.has(key) && seen.add(key) !== undefined
            })
          )
        )
      })

      const changes = Effect.fn("Scanner.changes")(function* (options: ChangesOptions) {
        const { root } = options
        const tally = makeTally()
        const wanted = pathFilter(options.paths, options.exclude)
        const diff = yield* repository.diff(root, options.base)
        const selected = repository.untracked(root).pipe(Stream.filter(({ path }) => wanted(path)))
        return scanOf(
          tally,
          Stream.concat(
            scanPatch(root, diff, wanted, options, tally).pipe(Stream.map(({ candidate }) => candidate)),
            scanFiles(root, selected, options, tally)
          )
        )
      })

      return Scanner.of({ tree, range, history, changes })
    })
  )
}

const filesAtOnce = 64
const batchesAtOnce = 4

const scanOf = (tally: Tally, candidates: Stream.Stream<Candidate, ScanError>): Scan => ({
  candidates,
  account: Effect.sync(() => tally.account())
})
