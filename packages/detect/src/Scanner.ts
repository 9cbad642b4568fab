/** Candidates of a tree, a range of commits, a whole history, or what is not committed yet. */
import { Clock, Context, Duration, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { type Added, addedIn, type AddedOptions, placeInHead, wholePiece } from "./git/AddedLines.ts"
import { decode, isBinary } from "./text/Bytes.ts"
import { fileKind } from "./text/FileKind.ts"
import type { Candidate, Inclusion } from "./Candidate.ts"
import { type FileName, Files, maxFileSize } from "./files/Files.ts"
import { Git } from "./git/Git.ts"
import { loadGitleaksConfig } from "./config/GitleaksConfig.ts"
import { type FileSkipReason, type ScanSummary, skipByPath } from "./skip/Skipped.ts"
import { type PatchEvent, patchReader, type Piece, type Unread } from "./git/Patch.ts"
import { pathFilter, type PathFilter } from "./skip/PathFilter.ts"
import {
  type AttributeSource,
  type Blob,
  makeRepository,
  nameAt,
  type Range,
  type ResolvedRange
} from "./git/Repository.ts"
import type { GitFailed, ScanError } from "./ScanError.ts"
import { makeScanCounter, type ScanCounter } from "./skip/ScanCounter.ts"
import type { TextOptions } from "./Text.ts"

/** Options of every scan. */
export interface ScanOptions {
  /** The folder that is scanned; paths are given relative to it. */
  readonly root: string
  /** Globs with `**`, relative to `root`; a path must match one of them. Everything when empty. */
  readonly paths?: ReadonlyArray<string> | undefined
  /** Globs with `**`, relative to `root`; a path that matches one of them is excluded. */
  readonly exclude?: ReadonlyArray<string> | undefined
  /** Kinds of files that are also read as if they were in use. */
  readonly include?: ReadonlyArray<Inclusion> | undefined
  /** The lowest confidence of a candidate; default: `minConfidence` of Candidate.ts. */
  readonly minConfidence?: number | undefined
  /**
   * The revision whose `.gitleaks.toml` and `.gitattributes` apply, such as the base of a pull request, so that a
   * change cannot hide its own lines: allow comments that it adds are ignored too. Default: those of the scanned files.
   */
  readonly rulesFrom?: string | undefined
  /** The time limit for reading; what is not read by then is counted as skipped. Default: none. */
  readonly maxDuration?: Duration.Duration | undefined
}

/**
 * The lines added by any commit that is reachable from `head` but not from `base`, including lines that were deleted
 * later.
 */
export interface RangeOptions extends ScanOptions, Range {}

/** The lines of the working tree, untracked files included, that `base` does not have. */
export interface ChangesOptions extends ScanOptions {
  /** Any revision; `HEAD` unless given. */
  readonly base?: string | undefined
  /** Only the index: the content of the next commit. */
  readonly staged?: boolean | undefined
}

export interface Scan {
  /** Each location once, as it is found. The stream can be run only once. */
  readonly candidates: Stream.Stream<Candidate, ScanError>
  /** Can be read at any time; complete once `candidates` has ended. */
  readonly summary: Effect.Effect<ScanSummary>
}

/** A scan of what is not committed. */
export interface ChangesScan extends Scan {
  /** The commit that it is compared with; undefined before the first one. */
  readonly base: string | undefined
}

/** Looks for candidates in files and in git; nothing is written, nothing leaves the machine. */
export class Scanner extends Context.Service<
  Scanner,
  {
    /**
     * Every file below the root; in a git repository those that are tracked, or neither tracked nor ignored. A root that
     * git ignores is read like a folder in no repository.
     */
    tree(options: ScanOptions): Effect.Effect<Scan, ScanError>

    /** Lines are those of `head`, or of the commit where `head` no longer has them. Merges count for what they add themselves. */
    range(options: RangeOptions): Effect.Effect<Scan, ScanError>

    /**
     * Every line ever added in commits reachable from HEAD, branches, tags and remotes; each value of a path is
     * reported once, where it was added last.
     */
    history(options: ScanOptions): Effect.Effect<Scan, ScanError>

    /** The lines that are not committed, against HEAD or another revision. */
    changes(options: ChangesOptions): Effect.Effect<ChangesScan, ScanError>
  }
>()("@threat-exposure/detect/Scanner") {
  /** Over git and files; node/NodeScanner.ts has both for Node. */
  static readonly layerNoDeps = Layer.effect(
    Scanner,
    Effect.gen(function* () {
      const files = yield* Files
      const repository = makeRepository(yield* Git)

      /** The options of a scan with the rules at the repository's root: those of a revision, or of the work tree. */
      const textOptions = Effect.fnUntraced(function* (
        { include, maxDuration, minConfidence, root, rulesFrom }: ScanOptions,
        scanned: string | undefined,
        folderOfRoot: Effect.Effect<string | undefined, ScanError>,
        counter: ScanCounter
      ): Effect.fn.Return<AddedOptions & { readonly folder: string }, ScanError> {
        const revision = rulesFrom ?? scanned
        // Both the top and the caller need it: git is asked once.
        const folder = yield* Effect.cached(Effect.map(folderOfRoot, (folder = "") => folder))
        const top = yield* Effect.cached(
          Effect.flatMap(folder, (folder) => (folder === "" ? Effect.succeed(root) : repository.topOf(root)))
        )
        const gitleaks = yield* loadGitleaksConfig(
          (path) =>
            revision === undefined
              ? Effect.flatMap(top, (top) => files.read(top, path))
              : repository.fileAt(root, revision, path),
          { warn: (reason, sentence) => counter.skip(reason, sentence) }
        )
        return {
          include,
          minConfidence,
          gitleaks,
          heedsAddedComments: rulesFrom === undefined,
          folder: yield* folder,
          isLate: yield* limitOf(maxDuration)
        }
      })

      /** Excludes files that the repository's attributes, if any, mark as generated or vendored. */
      const withoutGenerated = Effect.fnUntraced(function* (
        options: ScanOptions,
        counter: ScanCounter,
        hasAttributes: Effect.Effect<boolean, ScanError>,
        source?: AttributeSource
      ) {
        // Evaluated only if there is something to exclude, because git searches the whole work tree for it.
        const asked = yield* Effect.cached(options.rulesFrom === undefined ? hasAttributes : Effect.succeed(true))
        return (stream: Stream.Stream<Candidate, ScanError>): Stream.Stream<Candidate, ScanError> =>
          stream.pipe(
            Stream.chunks,
            Stream.mapEffect((found: ReadonlyArray<Candidate>) =>
              Effect.flatMap(asked, (has) =>
                has
                  ? Effect.map(generated(options, found.map(pathOfCandidate), counter, source), (paths) =>
                      found.filter((one) => !paths.has(pathOfCandidate(one)))
                    )
                  : Effect.succeed(found)
              )
            ),
            Stream.flattenIterable
          )
      })

      /** The paths that the repository's attributes mark as generated or vendored. */
      const generated = (
        { root, rulesFrom }: ScanOptions,
        paths: ReadonlyArray<string>,
        counter: ScanCounter,
        source: AttributeSource = "work-tree"
      ) => {
        // The attributes of the work tree may be part of the change.
        const allowed = rulesFrom === undefined ? source : { commit: rulesFrom, orWorkTree: false }
        return Effect.map(repository.attributes(root, new Set(paths), allowed), (reasons) => {
          for (const [path, reason] of reasons) counter.skip(reason, path)
          return reasons
        })
      }

      const scanFiles = (
        root: string,
        names: Stream.Stream<FileName, ScanError>,
        options: TextOptions & { readonly folder: string },
        counter: ScanCounter
      ): Stream.Stream<Candidate, ScanError> => {
        const toRead = names.pipe(
          Stream.filter(({ path }) => {
            const reason = skipByPath(options.folder + path)
            if (reason !== undefined) counter.skip(reason, path)
            return reason === undefined
          }),
          Stream.runCollect
        )
        return Stream.fromIterableEffect(
          Effect.tap(toRead, (all) =>
            Effect.sync(() => void (counter.filesTotal = (counter.filesTotal ?? 0) + all.length))
          )
        ).pipe(
          Stream.grouped(filesAtOnce),
          Stream.mapEffect((batch) => files.scan(root, batch, options), { concurrency: batchesAtOnce }),
          Stream.map((scans) =>
            scans.flatMap(({ allowed, bytes, candidates, path, skipped }) => {
              if (skipped !== "not-checked-out") counter.files++
              counter.bytes += bytes
              if (skipped !== undefined) counter.skip(skipped, path)
              for (const { candidate, commentLine } of allowed) {
                const reason = commentLine === undefined ? "allowlisted" : "allow-comment"
                counter.skip(reason, `${path}:${candidate.location.line}`)
              }
              return candidates
            })
          ),
          Stream.flattenIterable
        )
      }

      /** Candidates in the added lines of a patch, and in whole files: moved ones, and those that git wrongly treats as binary. */
      const scanPatch = (
        patch: Stream.Stream<Uint8Array, ScanError>,
        wanted: PathFilter,
        options: AddedOptions & { readonly folder: string },
        counter: ScanCounter,
        readUnread: (
          unread: ReadonlyArray<Unread>,
          scan: (unread: Unread, blob: Blob) => ReadonlyArray<Added>
        ) => Stream.Stream<Added, ScanError>
      ): Stream.Stream<Added, ScanError> => {
        const reader = patchReader({
          wanted: (path) => {
            if (!wanted(path)) return false
            const reason = skipByPath(options.folder + path)
            if (reason !== undefined) counter.skip(reason, path)
            return reason === undefined
          },
          wasWanted: (from, to) => {
            const [before, now] = [fileKind(options.folder + from), fileKind(options.folder + to)]
            return (
              wanted(from) &&
              skipByPath(options.folder + from) === undefined &&
              (now.madeUp || !before.madeUp) &&
              (now.prose || !before.prose)
            )
          }
        })
        const unread: Array<Unread> = []
        const names = new Map<string, string>()
        const scanPiece = (piece: Piece): ReadonlyArray<Added> => {
          counter.files++
          counter.bytes += piece.content.length
          const allowed = piece.commit !== undefined && options.gitleaks?.allowsCommit(piece.commit) === true
          if (allowed) counter.skip("allowlisted", piece.path)
          return allowed ? [] : addedIn(piece, options, counter, names)
        }
        const handle = (event: PatchEvent): ReadonlyArray<Added> => {
          switch (event._tag) {
            case "Commit":
              counter.commits++
              return []
            case "Renamed":
              names.set(event.from, names.get(event.to) ?? event.to)
              return []
            case "Piece":
              return scanPiece(event.piece)
            case "Unread": {
              const { commit, kind, path } = event.unread
              if (kind === "binary") unread.push(event.unread)
              else if (kind === "moved") unread.push({ ...event.unread, after: nameAt(commit, options.folder, path) })
              else counter.skip(kind, path)
              return []
            }
          }
        }
        const scanContent = ({ commit, path }: Unread, { content, isMissing = false }: Blob): ReadonlyArray<Added> => {
          if (content === undefined) {
            counter.skip(isMissing ? "unreadable" : "too-large", path)
            return []
          }
          if (isBinary(content)) {
            counter.skip("binary", path)
            return []
          }
          return scanPiece(wholePiece(path, commit, content))
        }
        const { isLate } = options
        const isWithinLimit = (): boolean => {
          if (isLate?.() !== true) return true
          counter.skip("not-in-time", "the rest of the commits")
          return false
        }
        return patch.pipe(
          Stream.takeWhile(isWithinLimit),
          Stream.map((bytes) => reader.push(bytes).flatMap(handle)),
          Stream.concat(Stream.sync(() => reader.end().flatMap(handle))),
          Stream.flattenIterable,
          Stream.concat(Stream.suspend(() => readUnread(unread, scanContent)))
        )
      }

      /** Reads the content that a patch does not show from git's object store. */
      const fromBlobs =
        (root: string): Parameters<typeof scanPatch>[4] =>
        (unread, scan) =>
          repository.blobs(root, [...new Set(unread.map(({ after }) => after))], maxFileSize).pipe(
            Stream.map((blob) => unread.filter(({ after }) => after === blob.id).flatMap((one) => scan(one, blob))),
            Stream.flattenIterable
          )

      /** The candidates, with their places in the head if it still has their lines; without generated files. */
      const inHead = Effect.fnUntraced(function* (
        options: ScanOptions,
        range: ResolvedRange,
        found: ReadonlyArray<Added>,
        counter: ScanCounter
      ): Effect.fn.Return<ReadonlyArray<Candidate>, GitFailed> {
        if (found.length === 0) return []
        const paths = found.map(({ headPath }) => headPath)
        const attributes = attributeFilesOf(paths)
        const contents = yield* repository.contentsAt(
          options.root,
          range,
          new Set([...paths, ...attributes]),
          maxFileSize
        )
        // Runs git only if one of them exists; files above the root and in other revisions were not looked up.
        const skipped =
          options.rulesFrom === undefined && range.folder === "" && !attributes.some((file) => contents.has(file))
            ? new Map<string, FileSkipReason>()
            : yield* generated(options, paths, counter, { commit: range.head, orWorkTree: true })
        const texts = new Map<string, string>()
        for (const [path, content] of contents) texts.set(path, decode(content))
        return placeInHead(
          found.filter(({ headPath }) => !skipped.has(headPath)),
          texts
        )
      })

      const tree = Effect.fn("Scanner.tree")(function* (options: ScanOptions) {
        const { root } = options
        const counter = makeScanCounter()
        yield* files.check(root)
        const folder = yield* repository.folderOf(root)
        const isListed = folder !== undefined && !(yield* repository.isIgnored(root, folder))
        const wanted = pathFilter(options.paths, options.exclude)
        const text = yield* textOptions(options, undefined, Effect.succeed(folder), counter)
        const scan = (names: Stream.Stream<FileName, ScanError>) =>
          scanFiles(
            root,
            Stream.filter(names, ({ path }) => wanted(path)),
            text,
            counter
          )
        return scanOf(counter, isListed ? inRepository(options, counter, scan) : scan(files.walk(root, counter.skip)))
      })

      /** Tracked files are read while git looks for untracked ones. */
      const inRepository = (
        options: ScanOptions,
        counter: ScanCounter,
        scan: (names: Stream.Stream<FileName, ScanError>) => Stream.Stream<Candidate, ScanError>
      ): Stream.Stream<Candidate, ScanError> =>
        Stream.unwrap(
          Effect.gen(function* () {
            const { root } = options
            const names = yield* repository.files(root, counter)
            const ignored = yield* Effect.forkScoped(names.countIgnored)
            const untracked = yield* Effect.forkScoped(Stream.runCollect(names.untracked))
            const tracked = yield* Stream.runCollect(names.tracked)
            if (tracked.length === 0 && counter.skipped.size === 0) yield* repository.countNotCheckedOut(root, counter)
            const hasAttributes = Effect.map(Fiber.join(untracked), (rest) =>
              [tracked, rest].some((all) => all.some(({ path }) => isAttributeFile(path)))
            )
            return scan(Stream.fromIterable(tracked)).pipe(
              Stream.concat(scan(Stream.fromIterableEffect(Fiber.join(untracked)))),
              Stream.concat(Stream.fromEffectDrain(Fiber.join(ignored))),
              yield* withoutGenerated(options, counter, hasAttributes)
            )
          })
        )

      const range = Effect.fn("Scanner.range")(function* (options: RangeOptions) {
        const { root } = options
        const counter = makeScanCounter()
        yield* files.check(root)
        const resolved = yield* Effect.cached(repository.resolve(root, options.base, options.head))
        const folder = Effect.map(resolved, ({ folder }) => folder)
        const [ends, text] = yield* Effect.all([resolved, textOptions(options, options.head, folder, counter)], {
          concurrency: "unbounded"
        })
        const wanted = pathFilter(options.paths, options.exclude)
        const found = scanPatch(repository.log(root, ends), wanted, text, counter, fromBlobs(root))
        return scanOf(
          counter,
          Stream.fromIterableEffect(
            Effect.gen(function* () {
              const all = yield* Stream.runCollect(found)
              counter.commitsTotal = counter.commits
              return yield* inHead(options, ends, all, counter)
            })
          )
        )
      })

      const history = Effect.fn("Scanner.history")(function* (options: ScanOptions) {
        const { root } = options
        const counter = makeScanCounter()
        yield* files.check(root)
        const opened = yield* Effect.cached(repository.history(root, counter))
        const folder = Effect.map(opened, ({ folder }) => folder)
        const [{ parts }, text] = yield* Effect.all([opened, textOptions(options, "HEAD", folder, counter)], {
          concurrency: "unbounded"
        })
        const wanted = pathFilter(options.paths, options.exclude)
        const seen = new Set<string>()
        return scanOf(
          counter,
          parts.pipe(
            // Printing a part takes git longer than reading it takes us, so several processes print at once.
            Stream.mapEffect(
              (part) =>
                Effect.suspend(() => {
                  const own = makeScanCounter()
                  return Effect.map(
                    Stream.runCollect(scanPatch(part, wanted, text, own, fromBlobs(root))),
                    (found) => ({ found, own })
                  )
                }),
              { concurrency: partsAtOnce }
            ),
            Stream.map(({ found, own }) => {
              counter.add(own)
              return found.map(({ candidate }) => candidate)
            }),
            Stream.flattenIterable,
            Stream.filter(({ location, value }) => {
              const key = `${location.path}\0${Redacted.value(value)}`
              return !seen.has(key) && seen.add(key) !== undefined
            }),
            yield* withoutGenerated(options, counter, repository.hasAttributes(root))
          )
        )
      })

      const changes = Effect.fn("Scanner.changes")(function* (options: ChangesOptions) {
        const { root, staged = false } = options
        const counter = makeScanCounter()
        yield* files.check(root)
        const diff = yield* Effect.cached(repository.diff(root, options.base, staged))
        const folder = Effect.map(diff, ({ folder }) => folder)
        const [{ base, patches }, text] = yield* Effect.all([diff, textOptions(options, undefined, folder, counter)], {
          concurrency: "unbounded"
        })
        const wanted = pathFilter(options.paths, options.exclude)
        if (staged) {
          const candidates = scanPatch(patches, wanted, text, counter, fromBlobs(root)).pipe(
            Stream.map(({ candidate }) => candidate),
            yield* withoutGenerated(options, counter, Effect.succeed(true), "index")
          )
          return { ...scanOf(counter, candidates), base }
        }
        // An uncommitted file that git calls binary has no blob yet: read it from the working tree.
        const unread: Array<FileName> = []
        const patch = scanPatch(patches, wanted, text, counter, (binary) => {
          unread.push(...binary.map(({ path }) => ({ path })))
          return Stream.empty
        })
        const { countIgnored, untracked } = yield* repository.notTracked(root, counter)
        const ignored = (yield* repository.isIgnored(root, text.folder))
          ? Effect.sync(() => counter.skip("ignored", "./"))
          : countIgnored
        const candidates = patch.pipe(
          Stream.map(({ candidate }) => candidate),
          Stream.concat(
            scanFiles(
              root,
              Stream.concat(
                Stream.filter(untracked, ({ path }) => wanted(path)),
                Stream.suspend(() => Stream.fromIterable(unread))
              ),
              text,
              counter
            )
          ),
          Stream.concat(Stream.fromEffectDrain(ignored)),
          yield* withoutGenerated(options, counter, repository.hasAttributes(root))
        )
        return { ...scanOf(counter, candidates), base }
      })

      return Scanner.of({ tree, range, history, changes })
    })
  )
}

/** Whether the time limit that begins now has passed; undefined without one. */
const limitOf = Effect.fnUntraced(function* (maxDuration: Duration.Duration | undefined) {
  if (maxDuration === undefined) return undefined
  const clock = yield* Clock.Clock
  const end = clock.currentTimeMillisUnsafe() + Duration.toMillis(maxDuration)
  return () => clock.currentTimeMillisUnsafe() >= end
})

const isAttributeFile = (path: string): boolean => /(?:^|\/)\.gitattributes$/.test(path)

/** The attribute and ignore files that can apply to the paths: in their folders and all parents. */
const attributeFilesOf = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const files = new Set<string>()
  for (const path of paths) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      files.add(`${path.slice(0, end)}/.gitattributes`)
    }
  }
  return [...files, ".gitattributes"]
}

const pathOfCandidate = ({ location }: Candidate): string => location.path

const partsAtOnce = 2
const filesAtOnce = 64
const batchesAtOnce = 4

const scanOf = (counter: ScanCounter, candidates: Stream.Stream<Candidate, ScanError>): Scan => ({
  candidates,
  summary: Effect.sync(() => counter.summary())
})
