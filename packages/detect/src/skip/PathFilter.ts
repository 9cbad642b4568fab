/** Selects the paths of a scan, and rejects paths outside its root. */
import { Glob } from "effect"

export type PathFilter = (path: string) => boolean

/** A glob that matches a folder also selects everything below it. */
export const pathFilter = (
  paths: ReadonlyArray<string> | undefined,
  exclude: ReadonlyArray<string> | undefined
): PathFilter => {
  const wanted = compile(paths)
  const unwanted = compile(exclude)
  return (path) =>
    (wanted.length === 0 || wanted.some((glob) => Glob.match(glob, path))) &&
    !unwanted.some((glob) => Glob.match(glob, path))
}

const compile = (globs: ReadonlyArray<string> | undefined) =>
  (globs ?? []).flatMap((written) => {
    const glob = written.replace(/^\.?\//, "").replace(/\/$/, "")
    return glob === "" || glob === "."
      ? [Glob.make("**", { dot: true })]
      : [Glob.make(glob, { dot: true }), Glob.make(`${glob}/**`, { dot: true })]
  })

/** Normalizes a relative path, without `.` and `..`; undefined if it leads out of the root. */
export const pathInside = (path: string): string | undefined => {
  const segments: Array<string> = []
  if (/^(?:[/\\~]|[A-Za-z]:)/.test(path)) return undefined
  for (const segment of path.split(/[/\\]/)) {
    if (segment === "..") {
      if (segments.pop() === undefined) return undefined
    } else if (segment !== "" && segment !== ".") segments.push(segment)
  }
  return segments.join("/")
}
