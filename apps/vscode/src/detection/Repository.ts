/** Finds the git repository that contains a folder. */
import { Effect, Option } from "effect"
import { Editor } from "../editor/Editor.ts"

export interface Repository {
  /** URI of the repository's root, which may be above the folder. */
  readonly root: string
  /** Text of git's config file; empty if it is unreadable. */
  readonly config: string
}

/** Returns undefined if no repository contains the folder. */
export const repositoryOf = Effect.fnUntraced(function* (
  folder: string
): Effect.fn.Return<Repository | undefined, never, Editor> {
  const editor = yield* Editor
  const read = (uri: string) => Effect.option(editor.read(uri))

  /** The shared git folder of a worktree or submodule, whose `.git` is a file. */
  const sharedBy = Effect.fnUntraced(function* (at: string, pointer: string) {
    const gitDir = resolvePath(editor, at, /^gitdir:\s*(.+?)\s*$/mu.exec(pointer)?.[1] ?? ".git")
    const common = yield* read(editor.join(gitDir, "commondir"))
    return Option.isSome(common) ? resolvePath(editor, gitDir, common.value.trim()) : gitDir
  })

  for (let at = folder; ;) {
    const config = yield* read(editor.join(at, ".git/config"))
    if (Option.isSome(config)) return { root: at, config: config.value }
    const pointer = yield* read(editor.join(at, ".git"))
    if (Option.isSome(pointer)) {
      const shared = yield* sharedBy(at, pointer.value)
      const config = yield* read(editor.join(shared, "config"))
      return { root: at, config: Option.getOrElse(config, () => "") }
    }
    const above = editor.join(at, "..")
    if (above.length >= at.length) return undefined
    at = above
  }
})

const resolvePath = (editor: Editor["Service"], from: string, path: string) =>
  /^(?:\/|[A-Za-z]:)/u.test(path) ? editor.fileUri(path) : editor.join(from, path)
