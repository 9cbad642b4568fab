/** Evaluates git's ignore files where git is not available: outside of a repository, and in a web worker. */
import { Effect } from "effect"
import type { Ignore } from "ignore"

/** The patterns of one ignore file, which apply below `folder`: empty at the top, or ending in a slash. */
export interface IgnoreRules {
  readonly folder: string
  readonly patterns: Ignore
}

/** Reads ignore files. The package is loaded by the first folder that is walked. */
export const ignoreRules = Effect.map(
  Effect.promise(() => import("ignore")),
  ({ default: ignore }) =>
    (text: string, folder: string): IgnoreRules => ({ folder, patterns: ignore({ ignorecase: false }).add(text) })
)

export type ReadIgnoreRules = Effect.Success<typeof ignoreRules>

/**
 * Whether a path is ignored, by the rules of the deepest folder first; that of a folder ends in a slash. The last pattern
 * of a file that matches decides, and those of a deeper folder decide before those above it.
 */
export const isIgnored = (path: string, deepestFirst: ReadonlyArray<IgnoreRules>): boolean => {
  for (const { folder, patterns } of deepestFirst) {
    const { ignored, unignored } = patterns.test(path.slice(folder.length))
    if (ignored || unignored) return ignored
  }
  return false
}
