/** Excludes files that a repository's attributes mark as generated or vendored. */
import { Effect, Stream } from "effect"
import type { Candidate } from "../Candidate.ts"
import type { GitFailed, ScanError } from "../ScanError.ts"
import type { ScanCounter } from "../skip/ScanCounter.ts"
import { type FileSkipReason, skipByPath } from "../skip/Skipped.ts"
import { decode } from "../text/Bytes.ts"
import { attributeRules } from "./AttributeRules.ts"
import type { FileChanges } from "./PatchScan.ts"
import type { AttributeSource, Repository } from "./Repository.ts"

export interface AttributeOptions {
  readonly root: string
  /** The only revision whose attributes apply: those of the work tree may be part of the change. */
  readonly rulesFrom?: string | undefined
}

/** The paths that attributes mark as generated or vendored, with the reason; each is counted as skipped. */
export const findGenerated = (
  repository: Repository,
  { root, rulesFrom }: AttributeOptions,
  paths: ReadonlyArray<string>,
  counter: ScanCounter,
  source: AttributeSource = "work-tree"
): Effect.Effect<ReadonlyMap<string, FileSkipReason>, GitFailed> =>
  repository
    .attributes(root, new Set(paths), rulesFrom === undefined ? source : { commit: rulesFrom, orWorkTree: false })
    .pipe(
      Effect.tap((reasons) =>
        Effect.sync(() => {
          for (const [path, reason] of reasons) counter.skip(reason, path)
        })
      )
    )

/** `hasAttributes` runs only if there is a candidate, because git searches the whole work tree for it. */
export const withoutGenerated =
  (
    repository: Repository,
    options: AttributeOptions,
    counter: ScanCounter,
    hasAttributes: Effect.Effect<boolean, ScanError>,
    source?: AttributeSource
  ) =>
  (candidates: Stream.Stream<Candidate, ScanError>): Stream.Stream<Candidate, ScanError> =>
    Stream.unwrap(
      Effect.map(
        Effect.cached(options.rulesFrom === undefined ? hasAttributes : Effect.succeed(true)),
        (hasAttributesOnce) =>
          candidates.pipe(
            Stream.chunks,
            Stream.mapEffect((found: ReadonlyArray<Candidate>) =>
              Effect.gen(function* () {
                if (!(yield* hasAttributesOnce)) return found
                const paths = found.map(({ location }) => location.path)
                const generated = yield* findGenerated(repository, options, paths, counter, source)
                return found.filter(({ location }) => !generated.has(location.path))
              })
            ),
            Stream.flattenIterable
          )
      )
    )

/** Attribute files that can apply to the paths: those in their folders and in all parent folders. */
export const attributeFilesOf = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const files = new Set<string>()
  for (const path of paths) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      files.add(`${path.slice(0, end)}/.gitattributes`)
    }
  }
  return [...files, ".gitattributes"]
}

export const isAttributeFile = (path: string): boolean => /(?:^|\/)\.gitattributes$/.test(path)

export interface ReadableNowOptions {
  readonly root: string
  readonly rulesFrom?: string | undefined
  /** The commit before the change. */
  readonly base: string | undefined
  /** The root's path in the repository. */
  readonly folder: string
  /** All files after the change; only read if a `.gitattributes` file changed. */
  readonly names: Effect.Effect<ReadonlyArray<string>, ScanError>
  readonly source: AttributeSource
}

/**
 * Files that only the attributes of the base exclude. The change brings in their values although it may not touch their
 * lines. The base's attributes are evaluated here, because git before 2.40 cannot read those of a commit.
 */
export const findReadableNow = Effect.fnUntraced(function* (
  repository: Repository,
  { base, folder, names, root, rulesFrom, source }: ReadableNowOptions,
  changes: FileChanges,
  counter: ScanCounter
): Effect.fn.Return<ReadonlyArray<string>, ScanError> {
  if (base === undefined || rulesFrom !== undefined || (!changes.attributes && changes.names.size === 0)) return []
  const former = new Map<string, Array<string>>()
  for (const [from, to] of changes.names) former.set(to, [...(former.get(to) ?? []), from])
  const paths = changes.attributes ? yield* names : [...former.keys()]
  const before = (path: string) => former.get(path) ?? [path]
  const files = yield* repository.contentsAt(
    root,
    { folder, head: base },
    new Set(attributeFilesOf(paths.flatMap(before))),
    maxAttributes
  )
  if (files.size === 0) return []
  const isMarked = attributeRules(Array.from(files, ([path, content]) => [path, decode(content)] as const))
  const left = paths.filter((path) => skipByPath(folder + path) === undefined && before(path).some(isMarked))
  const now = yield* findGenerated(repository, { root }, left, counter, source)
  return left.filter((path) => !now.has(path))
})

const maxAttributes = 1 << 20
