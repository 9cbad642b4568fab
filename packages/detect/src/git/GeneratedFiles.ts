/** Excludes the files that a repository's attributes mark as generated or vendored. */
import { Effect, Stream } from "effect"
import type { Candidate } from "../Candidate.ts"
import type { GitFailed, ScanError } from "../ScanError.ts"
import type { ScanCounter } from "../skip/ScanCounter.ts"
import type { FileSkipReason } from "../skip/Skipped.ts"
import type { AttributeSource, Repository } from "./Repository.ts"

export interface AttributeOptions {
  readonly root: string
  /** The revision whose attributes apply alone; those of the work tree may be part of the change. */
  readonly rulesFrom?: string | undefined
}

/** Which of the paths the attributes mark; each is counted as skipped. */
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

/** The attribute files that can apply to the paths: in their folders and all parents. */
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
