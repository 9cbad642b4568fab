/** Candidates of a tree, a range of commits, a whole history, or what is not committed yet. */
import { Context, Effect, Layer, Redacted, Stream } from "effect"
import { type Added, addedIn, placeInHead, wholePiece } from "./AddedLines.ts"
import { decode, isBinary } from "./Bytes.ts"
import type { Candidate } from "./Candidate.ts"
import { type FileName, Files, largestFile } from "./Files.ts"
import { Git } from "./Git.ts"
import { parseGitleaksConfig } from "./GitleaksConfig.ts"
import { leftOutByPath, type LeftOutReason } from "./LeftOut.ts"
import { type PatchEvent, patchReader, type Piece, type Unread } from "./Patch.ts"
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

      /** Leaves out what the repository's attributes call generated or vendored. */
      const withoutGenerated = Effect.fnUntraced(function* <A>(
        root: string,
        tally: Tally,
        pathOf: (found: A) => string
      ) {
        const attributes = yield* repository.attributes(root)
        return (stream: Stream.Stream<A, ScanError>): Stream.Stream<A, ScanError> =>
          attributes === undefined
            ? stream
            : stream.pipe(
                Stream.chunks,
                Stream.mapEffect((found) =>
                  Effect.map(attributes([...new Set(found.map(pathOf))]), (reasons) => {
                    for (const reason of reasons.values()) tally.leaveOut(reason)
                    return found.filter((one) => !reasons.has(pathOf(one)))
                  })
                ),
                Stream.flattenIterable
              )
      })

      const scanFiles = (
        root: string,
        names: Stream.Stream<FileName, ScanError>,
        options: TextOptions,
        tally: Tally
      ): Stream.Stream<Candidate, ScanError> => {
        const toRead = names.pipe(
          Stream.filter(({ path }) => {
            const reason = leftOutByPath(path)
            if (reason !== undefined) tally.leaveOut(reason)
            return reason === undefined
          }),
          Stream.runCollect
        )
        return Stream.fromIterableEffect(
          Effect.tap(toRead, (all) => Effect.sync(() => void (tally.filesTotal = (tally.filesTotal ?? 0) + all.length)))
        ).pipe(
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
      }

      /** Candidates of the added lines of a patch, and of the files that git took for binary and are not. */
      const scanPatch = (
        patch: Stream.Stream<Uint8Array, ScanError>,
        wanted: PathFilter,
        options: TextOptions,
        tally: Tally,
        readUnread: (
          unread: ReadonlyArray<Unread>,
          scan: (unread: Unread, content: Uint8Array | undefined) => ReadonlyArray<Added>
        ) => Stream.Stream<Added, ScanError>
      ): Stream.Stream<Added, ScanError> => {
        const reader = patchReader((path) => wanted(path) && leftOutByPath(path) === undefined)
        const unread: Array<Unread> = []
        const names = new Map<string, string>()
        const scanPiece = (piece: Piece): ReadonlyArray<Added> => {
          tally.files++
          tally.bytes += piece.bytes
          const allowed = piece.commit !== undefined && options.gitleaks?.allowsCommit(piece.commit) === true
          return allowed ? [] : addedIn(piece, options, tally, names)
        }
        const handle = (event: PatchEvent): ReadonlyArray<Added> => {
          switch (event._tag) {
            case "Commit":
              tally.commits++
              return []
            case "Renamed":
              names.set(event.from, names.get(event.to) ?? event.to)
              return []
            case "Piece":
              return scanPiece(event.piece)
            case "Unread": {
              const { commit, kind, path } = event.unread
              if (kind === "binary") unread.push(event.unread)
              else if (kind === "submodule") tally.notRead.push({ path, reason: "submodule", commit })
              else tally.leaveOut("symbolic-link")
              return []
            }
          }
        }
        const scanContent = ({ commit, path }: Unread, content: Uint8Array | undefined): ReadonlyArray<Added> => {
          if (content === undefined) {
            tally.notRead.push({ path, reason: "too-large", commit })
            return []
          }
          if (isBinary(content)) {
            tally.leaveOut("binary")
            return []
          }
          return scanPiece(wholePiece(path, commit, content))
        }
        return patch.pipe(
          Stream.map((bytes) => reader.push(bytes).flatMap(handle)),
          Stream.concat(Stream.sync(() => reader.end().flatMap(handle))),
          Stream.flattenIterable,
          Stream.concat(Stream.suspend(() => readUnread(unread, scanContent)))
        )
      }

      /** Reads from git's own store what a patch did not show. */
      const fromBlobs =
        (root: string): Parameters<typeof scanPatch>[4] =>
        (unread, scan) =>
          repository.blobs(root, [...new Set(unread.map(({ after }) => after))], largestFile).pipe(
            Stream.map(({ content, id }) =>
              unread.filter(({ after }) => after === id).flatMap((one) => scan(one, content))
            ),
            Stream.flattenIterable
          )

      /** The candidates with their places in the head, where it still has their lines. */
      const inHead = Effect.fnUntraced(function* (root: string, head: string, found: ReadonlyArray<Added>) {
        const ids = yield* repository.blobsOf(root, head, new Set(found.map(({ headPath }) => headPath)))
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
        const { root } = options
        const tally = makeTally()
        const inGit = yield* repository.isRepository(root)
        const wanted = pathFilter(options.paths, options.exclude)
        const names = (inGit ? repository.files(root, tally) : files.walk(root)).pipe(
          Stream.filter(({ path }) => wanted(path))
        )
        const text = textOptions(options, yield* files.read(root, configName), tally)
        const found = scanFiles(root, names, text, tally)
        return scanOf(tally, inGit ? (yield* withoutGenerated(root, tally, pathOfCandidate))(found) : found)
      })

      const range = Effect.fn("Scanner.range")(function* (options: RangeOptions) {
        const { root } = options
        const tally = makeTally()
        const ends = yield* repository.resolve(root, options.base, options.head)
        const text = textOptions(options, yield* repository.fileOf(root, ends.head, configName), tally)
        const log = yield* repository.log(root, ends, tally)
        const wanted = pathFilter(options.paths, options.exclude)
        const found = scanPatch(log, wanted, text, tally, fromBlobs(root)).pipe(
          yield* withoutGenerated(root, tally, ({ headPath }: Added) => headPath)
        )
        return scanOf(
          tally,
          Stream.fromIterableEffect(Effect.flatMap(Stream.runCollect(found), (all) => inHead(root, ends.head, all)))
        )
      })

      const history = Effect.fn("Scanner.history")(function* (options: ScanOptions) {
        const { root } = options
        const tally = makeTally()
        const log = yield* repository.history(root, tally)
        const text = textOptions(options, yield* repository.fileOf(root, "HEAD", configName), tally)
        const wanted = pathFilter(options.paths, options.exclude)
        const seen = new Set<string>()
        return scanOf(
          tally,
          scanPatch(log, wanted, text, tally, fromBlobs(root)).pipe(
            Stream.map(({ candidate }) => candidate),
            Stream.filter(({ location, value }) => {
              const key = `${location.path}\0${Redacted.value(value)}`
              return !seen.has(key) && seen.add(key) !== undefined
            }),
            yield* withoutGenerated(root, tally, pathOfCandidate)
          )
        )
      })

      const changes = Effect.fn("Scanner.changes")(function* (options: ChangesOptions) {
        const { root } = options
        const tally = makeTally()
        const diff = yield* repository.diff(root, options.base)
        const text = textOptions(options, yield* files.read(root, configName), tally)
        const wanted = pathFilter(options.paths, options.exclude)
        // What git calls binary is not in its store yet: such a file is read where it lies, as a whole.
        const unread: Array<FileName> = []
        const patch = scanPatch(diff, wanted, text, tally, (binary) => {
          unread.push(...binary.map(({ path }) => ({ path })))
          return Stream.empty
        })
        const untracked = repository.untracked(root).pipe(Stream.filter(({ path }) => wanted(path)))
        return scanOf(
          tally,
          patch.pipe(
            Stream.map(({ candidate }) => candidate),
            Stream.concat(
              scanFiles(
                root,
                Stream.concat(
                  untracked,
                  Stream.suspend(() => Stream.fromIterable(unread))
                ),
                text,
                tally
              )
            ),
            yield* withoutGenerated(root, tally, pathOfCandidate)
          )
        )
      })

      return Scanner.of({ tree, range, history, changes })
    })
  )
}

const configName = ".gitleaks.toml"

/** The options of a scan with the repository's own rules, as the text of its configuration has them. */
const textOptions = (options: ScanOptions, toml: string | undefined, tally: Tally): TextOptions => {
  const gitleaks = toml === undefined ? undefined : parseGitleaksConfig(toml)
  tally.warnings.push(...(gitleaks?.warnings ?? []))
  return { minConfidence: options.minConfidence, gitleaks }
}

const pathOfCandidate = ({ location }: Candidate): string => location.path

const filesAtOnce = 64
const batchesAtOnce = 4

const scanOf = (tally: Tally, candidates: Stream.Stream<Candidate, ScanError>): Scan => ({
  candidates,
  account: Effect.sync(() => tally.account())
})
