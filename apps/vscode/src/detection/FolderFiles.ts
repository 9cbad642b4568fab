/**
 * Lists the files of a folder through the editor, for hosts without git. Behaves like git: honours `.gitignore`, and
 * treats a nested repository as a submodule. Does not follow symbolic links.
 */
import { decode } from "@threat-exposure/detect/text/Bytes"
import { type IgnoreRules, ignoreRules, isIgnored } from "@threat-exposure/detect/skip/GitIgnore"
import type { SkipReason } from "@threat-exposure/detect/skip/Skipped"
import { Effect } from "effect"
import { Editor, type FileFailure, type FolderEntry } from "../editor/Editor.ts"
import { folderBelow } from "../editor/Uri.ts"
import { repositoryOf } from "./Repository.ts"

export interface FolderFile {
  /** URI of the folder that directly contains the file. */
  readonly folder: string
  readonly name: string
  /** Path relative to the listed folder. */
  readonly path: string
}

export interface FilesBelowOptions {
  /** Maximum number of files. */
  readonly limit: number
  /** Lists only this path and everything below it; empty for the whole folder. */
  readonly below?: string
  readonly skip: (reason: SkipReason, path: string) => void
}

export const filesBelow = Effect.fnUntraced(function* (
  folder: string,
  { below = "", limit, skip }: FilesBelowOptions
): Effect.fn.Return<ReadonlyArray<FolderFile>, FileFailure, Editor> {
  const editor = yield* Editor
  const repository = yield* repositoryOf(folder)
  const root = repository?.root ?? folder
  const prefix = folderBelow(root, folder)
  let count = 0

  const rulesIn = (uri: string, path: string, at: string) =>
    Effect.matchEffect(editor.readBelow(uri, path), {
      onFailure: () => Effect.undefined,
      onSuccess: (bytes) => Effect.map(ignoreRules, (readRules) => readRules(decode(bytes), at))
    })

  /** Ignore rules from above the folder, highest precedence first. */
  const inherited = Effect.gen(function* () {
    const names = prefix.split("/").slice(0, -1)
    const above = names.map((_, depth) =>
      names
        .slice(0, depth)
        .map((name) => `${name}/`)
        .join("")
    )
    const found = [
      yield* rulesIn(root, ".git/info/exclude", ""),
      ...(yield* Effect.forEach(above, (path) => rulesIn(root, `${path}.gitignore`, path)))
    ]
    return found.filter((rules) => rules !== undefined).toReversed()
  })

  const isOnTheWay = (path: string) =>
    below === "" || path === below || path.startsWith(`${below}/`) || below.startsWith(`${path}/`)

  /** `path` is empty or ends in a slash. */
  const walk = (
    uri: string,
    path: string,
    above: ReadonlyArray<IgnoreRules>
  ): Effect.Effect<ReadonlyArray<FolderFile>, FileFailure> =>
    Effect.gen(function* () {
      const entries = yield* editor.list(uri)
      if (repository !== undefined && path !== "" && entries.some(({ name }) => name === ".git")) {
        skip("submodule", path.slice(0, -1))
        return []
      }
      const own = entries.some(({ kind, name }) => name === ".gitignore" && kind === "file")
        ? yield* rulesIn(uri, ".gitignore", prefix + path)
        : undefined
      const rules = own === undefined ? above : [own, ...above]

      const visit = ({ kind, name }: FolderEntry): Effect.Effect<ReadonlyArray<FolderFile>> => {
        const at = path + name
        const none = Effect.succeed([])
        if (name === ".git" || !isOnTheWay(at)) return none
        const withSlash = kind === "folder" ? `${at}/` : at
        if (isIgnored(prefix + withSlash, rules)) {
          skip("ignored", withSlash)
          return none
        }
        switch (kind) {
          case "file":
            return count++ < limit ? Effect.succeed([{ folder: uri, name, path: at }]) : none
          case "folder":
            if (count >= limit) return none
            return walk(editor.join(uri, name), withSlash, rules).pipe(
              Effect.catch(() => {
                skip("unreadable", at)
                return none
              })
            )
          case "link":
            skip("symbolic-link", at)
            return none
          case "other":
            return none
        }
      }
      return (yield* Effect.forEach(
        entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        visit,
        { concurrency: 8 }
      )).flat()
    })

  return yield* walk(folder, "", yield* inherited)
})
