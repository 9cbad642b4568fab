/** Finds candidates in a tree, a range of commits, a whole history or uncommitted changes. */
import { Clock, Context, Duration, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import type { Candidate, Inclusion } from "./Candidate.ts"
import { loadGitleaksConfig } from "./config/GitleaksConfig.ts"
import { scanFiles } from "./files/FileCandidates.ts"
import { type FileName, Files, maxFileSize } from "./files/Files.ts"
import { type Added, addedIn, type AddedOptions, placeInHead, wholePiece } from "./git/AddedLines.ts"
import {
  attributeFilesOf,
  findGenerated,
  findReadableNow,
  isAttributeFile,
  withoutGenerated
} from "./git/GeneratedFiles.ts"
import { Git } from "./git/Git.ts"
import { messagePath, relocate, withPlace } from "./git/GitPlaces.ts"
import { noChanges, type PatchScanOptions, scanPatch } from "./git/PatchScan.ts"
import type { Message } from "./git/References.ts"
import { type AttributeSource, makeRepository, type Range, type ResolvedRange } from "./git/Repository.ts"
import type { GitFailed, ScanError } from "./ScanError.ts"
import { pathFilter } from "./skip/PathFilter.ts"
import { makeScanCounter, type ScanCounter } from "./skip/ScanCounter.ts"
import type { FileSkipReason, ScanSummary } from "./skip/Skipped.ts"
import { decode, isBinary } from "./text/Bytes.ts"

/** Options of every scan. */
export interface ScanOptions {
  /** The folder to scan; paths in the result are relative to it. */
  readonly root: string
  /** Globs with `**`, relative to `root`; only matching paths are scanned. If empty, all paths match. */
  readonly paths?: ReadonlyArray<string> | undefined
  /** Globs with `**`, relative to `root`; matching paths are excluded. */
  readonly exclude?: ReadonlyArray<string> | undefined
  /** Kinds of files that are also scanned as if their values were real. */
  readonly include?: ReadonlyArray<Inclusion> | undefined
  /** Candidates below this confidence are dropped; default: `minConfidence` of Candidate.ts. */
  readonly minConfidence?: number | undefined
  /**
   * The revision whose `.gitleaks.toml` and `.gitattributes` apply, such as the base of a pull request. Allow comments
   * that the change adds are then ignored too, so that it cannot hide its own lines. Default: the revision that is
   * scanned.
   */
  readonly rulesFrom?: string | undefined
  /** Time limit of the scan; content that is unread when it passes is counted as skipped. Default: none. */
  readonly maxDuration?: Duration.Duration | undefined
}

/** The lines that any commit reachable from `head` but not from `base` added, including lines deleted later. */
export interface RangeOptions extends ScanOptions, Range {}

/** The lines of the working tree, including untracked files, that `base` does not have. */
export interface ChangesOptions extends ScanOptions {
  /** Any revision; default: `HEAD`. */
  readonly base?: string | undefined
  /** Scan only the index, which is the content of the next commit. */
  readonly staged?: boolean | undefined
}

export interface Scan {
  /** Reports each location once, as it is found. The stream can be run only once. */
  readonly candidates: Stream.Stream<Candidate, ScanError>
  /** Can be read at any time; complete once `candidates` has ended. */
  readonly summary: Effect.Effect<ScanSummary>
}

/** A scan of uncommitted changes. */
export interface ChangesScan extends Scan {
  /** The commit that the changes are compared with; undefined before the first commit. */
  readonly base: string | undefined
}

/** Finds candidates in files and in git repositories. It writes nothing and sends nothing over the network. */
export class Scanner extends Context.Service<
  Scanner,
  {
    /**
     * Scans every file below the root; in a git repository, only tracked files and untracked ones that are not ignored.
     * A root that git itself ignores is scanned like a folder outside a repository.
     */
    tree(options: ScanOptions): Effect.Effect<Scan, ScanError>

    /**
     * Line numbers are those in `head`, or in the commit if `head` no longer has the line. Of a merge commit, only
     * lines that no parent has are scanned. Messages of the commits, and of an annotated tag that `head` names, get
     * paths below `.git`.
     */
    range(options: RangeOptions): Effect.Effect<Scan, ScanError>

    /**
     * Scans every line ever added by a commit that HEAD or any reference reaches, and also messages of commits and
     * tags, notes and stashes, which get paths below `.git`. Each value is reported once per path, at its newest
     * addition.
     */
    history(options: ScanOptions): Effect.Effect<Scan, ScanError>

    /** Scans the uncommitted lines, compared with HEAD or another revision. */
    changes(options: ChangesOptions): Effect.Effect<ChangesScan, ScanError>
  }
>()("@threat-exposure/detect/Scanner") {
  /** Needs `Git` and `Files`; node/NodeScanner.ts provides both for Node. */
  static readonly layerNoDeps = Layer.effect(
    Scanner,
    Effect.gen(function* () {
      const files = yield* Files
      const repository = makeRepository(yield* Git)

      /**
       * Loads `.gitleaks.toml` from `rulesFrom`, else from the scanned revision, else from the top of the working tree.
       */
      const textOptions = Effect.fnUntraced(function* (
        { include, maxDuration, minConfidence, root, rulesFrom }: ScanOptions,
        scanned: string | undefined,
        folder: Effect.Effect<string, ScanError>,
        counter: ScanCounter
      ): Effect.fn.Return<AddedOptions & { readonly folder: string }, ScanError> {
        const revision = rulesFrom ?? scanned
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
          isLate: yield* makeDeadline(maxDuration)
        }
      })

      /** Opens the scanned input, and loads the rules at the same time. */
      const begin = Effect.fnUntraced(function* <Opened extends { readonly folder?: string | undefined }>(
        options: ScanOptions,
        revision: string | undefined,
        open: (counter: ScanCounter) => Effect.Effect<Opened, ScanError>
      ) {
        const counter = makeScanCounter()
        yield* files.check(options.root)
        const opened = yield* Effect.cached(open(counter))
        const folder = Effect.map(opened, ({ folder = "" }) => folder)
        const [scanned, text] = yield* Effect.all([opened, textOptions(options, revision, folder, counter)], {
          concurrency: "unbounded"
        })
        return { scanned, text, counter, wanted: pathFilter(options.paths, options.exclude) }
      })

      /** Reads content that a patch does not show, such as binary files, from git's object store. */
      const fromBlobs =
        (root: string): PatchScanOptions["readUnread"] =>
        (unread, scan) =>
          repository.blobs(root, [...new Set(unread.map(({ after }) => after))], maxFileSize).pipe(
            Stream.map((blob) => unread.filter(({ after }) => after === blob.id).flatMap((one) => scan(one, blob))),
            Stream.flattenIterable
          )

      /** Moves each candidate to its line in the head, if the head still has that line, and drops generated files. */
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
        // Saves a run of git if no attribute file exists. Only this revision and the files below the root were looked
        // up.
        const skipped =
          options.rulesFrom === undefined && range.folder === "" && !attributes.some((file) => contents.has(file))
            ? new Map<string, FileSkipReason>()
            : yield* findGenerated(repository, options, paths, counter, { commit: range.head, orWorkTree: true })
        const texts = new Map<string, string>()
        for (const [path, content] of contents) texts.set(path, decode(content))
        return placeInHead(
          found.filter(({ headPath }) => !skipped.has(headPath)),
          texts
        )
      })

      /** Candidates of whole files, as the commit `head` has them or, without a commit, the index. */
      const wholeFiles = Effect.fnUntraced(function* (
        paths: ReadonlyArray<string>,
        root: string,
        { folder, head }: Pick<ResolvedRange, "folder"> & { readonly head: string | undefined },
        text: AddedOptions,
        counter: ScanCounter
      ): Effect.fn.Return<ReadonlyArray<Added>, GitFailed> {
        if (paths.length === 0) return []
        const contents = yield* repository.contentsAt(root, { folder, head }, new Set(paths), maxFileSize)
        return paths.flatMap((path) => {
          const content = contents.get(path)
          if (content === undefined || isBinary(content)) {
            counter.skip(content === undefined ? "unreadable" : "binary", path)
            return []
          }
          counter.files++
          counter.bytes += content.length
          return addedIn(wholePiece(path, head, content), text, counter, new Map())
        })
      })

      const tree = Effect.fn("Scanner.tree")(function* (options: ScanOptions) {
        const { root } = options
        const { counter, scanned, text, wanted } = yield* begin(options, undefined, () =>
          Effect.map(repository.folderOf(root), (folder) => ({ folder }))
        )
        const scan = (names: Stream.Stream<FileName, ScanError>) =>
          scanFiles(
            files,
            root,
            Stream.filter(names, ({ path }) => wanted(path)),
            text,
            counter
          )
        const isListed = scanned.folder !== undefined && !(yield* repository.isIgnored(root, scanned.folder))
        return makeScan(counter, isListed ? inRepository(options, counter, scan) : scan(files.walk(root, counter.skip)))
      })

      /** Reads tracked files while git still searches for untracked ones. */
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
              withoutGenerated(repository, options, counter, hasAttributes)
            )
          })
        )

      const range = Effect.fn("Scanner.range")(function* (options: RangeOptions) {
        const { base, head, root } = options
        const {
          counter,
          scanned: ends,
          text,
          wanted
        } = yield* begin(options, head, () => repository.resolve(root, base, head))
        const withMessages = wanted(messagePath)
        const changes = noChanges()
        const found = scanPatch(repository.log(root, ends, withMessages), {
          changes,
          wanted,
          text,
          counter,
          readUnread: fromBlobs(root)
        })
        return makeScan(
          counter,
          Stream.fromIterableEffect(
            Effect.gen(function* () {
              const ofPatches = yield* Stream.runCollect(found)
              counter.commitsTotal = counter.commits
              const readableNow = yield* findReadableNow(
                repository,
                {
                  ...options,
                  ...ends,
                  names: repository.namesAt(root, ends.head),
                  source: { commit: ends.head, orWorkTree: true }
                },
                changes,
                counter
              )
              const all = [...ofPatches, ...(yield* wholeFiles(readableNow.filter(wanted), root, ends, text, counter))]
              const messages = withMessages ? yield* repository.messagesOf(root, ends) : []
              return [...(yield* inHead(options, ends, all, counter)), ...inMessages(messages, text, counter)]
            })
          ).pipe(Stream.map((candidate) => withPlace(candidate)))
        )
      })

      const history = Effect.fn("Scanner.history")(function* (options: ScanOptions) {
        const { root } = options
        const withMessages = pathFilter(options.paths, options.exclude)(messagePath)
        const { counter, scanned, text, wanted } = yield* begin(options, "HEAD", (counter) =>
          repository.history(root, counter, withMessages)
        )
        const seen = new Set<string>()
        return makeScan(
          counter,
          scanned.parts.pipe(
            // Printing a part takes git longer than reading it takes us, so several processes print at once.
            Stream.mapEffect(
              (part) =>
                Effect.suspend(() => {
                  const own = makeScanCounter()
                  const found = scanPatch(part, { wanted, text, counter: own, readUnread: fromBlobs(root) })
                  return Effect.map(Stream.runCollect(found), (found) => ({ found, own }))
                }),
              { concurrency: partsAtOnce }
            ),
            Stream.map(({ found, own }) => {
              counter.add(own)
              return found.map(({ candidate }) => candidate)
            }),
            Stream.concat(Stream.sync(() => (withMessages ? inMessages(scanned.messages, text, counter) : []))),
            Stream.flattenIterable,
            Stream.filter(({ location, value }) => {
              const key = `${location.path}\0${Redacted.value(value)}`
              return !seen.has(key) && seen.add(key) !== undefined
            }),
            withoutGenerated(repository, options, counter, repository.hasAttributes(root)),
            Stream.map((candidate) => withPlace(candidate, scanned.places))
          )
        )
      })

      const changes = Effect.fn("Scanner.changes")(function* (options: ChangesOptions) {
        const { root, staged = false } = options
        const {
          counter,
          scanned: { base, patches },
          text,
          wanted
        } = yield* begin(options, undefined, () => repository.diff(root, options.base, staged))
        const changes = noChanges()
        const readableNow = (source: AttributeSource) =>
          findReadableNow(
            repository,
            { ...options, base, folder: text.folder, names: repository.namesAt(root, undefined), source },
            changes,
            counter
          ).pipe(Effect.map((paths) => paths.filter(wanted)))
        if (staged) {
          const inIndex = Effect.flatMap(readableNow("index"), (paths) =>
            wholeFiles(paths, root, { folder: text.folder, head: undefined }, text, counter)
          )
          const candidates = scanPatch(patches, { changes, wanted, text, counter, readUnread: fromBlobs(root) }).pipe(
            Stream.concat(Stream.fromIterableEffect(inIndex)),
            Stream.map(({ candidate }) => candidate),
            Stream.filter(isNew()),
            withoutGenerated(repository, options, counter, Effect.succeed(true), "index")
          )
          return { ...makeScan(counter, candidates), base }
        }
        // An uncommitted file that git calls binary has no blob yet: read it from the working tree.
        const unread: Array<FileName> = []
        const patch = scanPatch(patches, {
          changes,
          wanted,
          text,
          counter,
          readUnread: (files) => {
            unread.push(...files.map(({ path }) => ({ path })))
            return Stream.empty
          }
        })
        const { countIgnored, untracked } = yield* repository.notTracked(root, counter)
        const ignored = (yield* repository.isIgnored(root, text.folder))
          ? Effect.sync(() => counter.skip("ignored", "./"))
          : countIgnored
        const names = Stream.filter(untracked, ({ path }) => wanted(path)).pipe(
          Stream.concat(Stream.suspend(() => Stream.fromIterable(unread))),
          Stream.concat(Stream.map(Stream.fromIterableEffect(readableNow("work-tree")), (path) => ({ path })))
        )
        const candidates = patch.pipe(
          Stream.map(({ candidate }) => candidate),
          Stream.concat(scanFiles(files, root, names, text, counter)),
          Stream.filter(isNew()),
          Stream.concat(Stream.fromEffectDrain(ignored)),
          withoutGenerated(repository, options, counter, repository.hasAttributes(root))
        )
        return { ...makeScan(counter, candidates), base }
      })

      return Scanner.of({ tree, range, history, changes })
    })
  )
}

/** Returns a predicate that is true the first time it sees a location: a file may be read as a patch and as a whole. */
const isNew = () => {
  const places = new Set<string>()
  return ({ location: { column, line, path } }: Candidate): boolean => {
    const place = `${path}\0${line}\0${column}`
    return !places.has(place) && places.add(place) !== undefined
  }
}

/** Candidates in the messages of annotated tags. */
const inMessages = (
  messages: ReadonlyArray<Message>,
  text: AddedOptions,
  counter: ScanCounter
): ReadonlyArray<Candidate> =>
  messages.flatMap(({ content, path }) =>
    addedIn(wholePiece(messagePath, undefined, content), text, counter, new Map()).map(({ candidate }) =>
      relocate(path, candidate)
    )
  )

/** Returns a function that tells whether the time limit, which starts now, has passed; undefined without a limit. */
const makeDeadline = Effect.fnUntraced(function* (maxDuration: Duration.Duration | undefined) {
  if (maxDuration === undefined) return undefined
  const clock = yield* Clock.Clock
  const end = clock.currentTimeMillisUnsafe() + Duration.toMillis(maxDuration)
  return () => clock.currentTimeMillisUnsafe() >= end
})

const partsAtOnce = 2

const makeScan = (counter: ScanCounter, candidates: Stream.Stream<Candidate, ScanError>): Scan => ({
  candidates,
  summary: Effect.sync(() => counter.summary())
})
