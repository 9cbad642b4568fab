/** Evaluates `.gitignore` files without git: outside a repository, and in a web worker. */
import { Effect } from "effect"
import type { Ignore } from "ignore"

/** The patterns of one `.gitignore` file. They apply below `folder`, which is empty at the top or ends in a slash. */
export interface IgnoreRules {
  readonly folder: string
  readonly patterns: Ignore
}

/** Parses `.gitignore` files. The package is only loaded when a folder is walked. */
export const ignoreRules = Effect.map(
  Effect.promise(() => import("ignore")),
  ({ default: ignore }) =>
    (text: string, folder: string): IgnoreRules => ({ folder, patterns: ignore({ ignorecase: false }).add(text) })
)

export type ReadIgnoreRules = Effect.Success<typeof ignoreRules>

/**
 * Whether a path is ignored; the path of a folder ends in a slash. The last matching pattern of a file decides, and
 * deeper files override those above them.
 */
export const isIgnored = (path: string, deepestFirst: ReadonlyArray<IgnoreRules>): boolean => {
  for (const { folder, patterns } of deepestFirst) {
    const { ignored, unignored } = patterns.test(path.slice(folder.length))
    if (ignored || unignored) return ignored
  }
  return false
}
