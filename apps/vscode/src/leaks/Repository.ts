/** The name that salts fingerprints, the same as a workflow's: `owner/name` of the remote, from git's own config file. */
import { Effect, Option } from "effect"
import { Editor } from "../editor/Editor.ts"

/** Of the repository that a folder is in, at its root or below; none where there is none, or no remote tells. */
export const repositoryOf = Effect.fnUntraced(function* (folder: string) {
  const editor = yield* Editor
  const read = (uri: string) => Effect.option(editor.read(uri))

  /** Where a worktree or a submodule, whose `.git` is a file, keeps what it shares with others. */
  const sharedBy = Effect.fnUntraced(function* (at: string, pointer: string) {
    const gitDir = resolved(editor, at, /^gitdir:\s*(.+?)\s*$/mu.exec(pointer)?.[1] ?? ".git")
    const common = yield* read(editor.join(gitDir, "commondir"))
    return Option.isSome(common) ? resolved(editor, gitDir, common.value.trim()) : gitDir
  })

  for (let at = folder; ;) {
    const config = yield* read(editor.join(at, ".git/config"))
    if (Option.isSome(config)) return repositoryIn(config.value)
    const pointer = yield* read(editor.join(at, ".git"))
    if (Option.isSome(pointer)) {
      const shared = yield* sharedBy(at, pointer.value)
      const config = yield* read(editor.join(shared, "config"))
      return Option.isSome(config) ? repositoryIn(config.value) : undefined
    }
    const above = editor.join(at, "..")
    if (above.length >= at.length) return undefined
    at = above
  }
})

const resolved = (editor: Editor["Service"], from: string, path: string) =>
  /^(?:\/|[A-Za-z]:)/u.test(path) ? editor.fileUri(path) : editor.join(from, path)

/** Undefined where the config names no remote of that shape. */
export const repositoryIn = (gitConfig: string): string | undefined => {
  const remotes = new Map<string, string>()
  let section = ""
  for (const line of gitConfig.split(/\r?\n/u)) {
    const header = /^\s*\[\s*remote\s+"([^"]+)"\s*\]/u.exec(line)
    if (header !== null) section = header[1] ?? ""
    else if (/^\s*\[/u.test(line)) section = ""
    const url = /^\s*url\s*=\s*(.+?)\s*$/u.exec(line)?.[1]
    if (section !== "" && url !== undefined && !remotes.has(section)) remotes.set(section, url)
  }
  const url = remotes.get("origin") ?? remotes.values().next().value
  return url === undefined ? undefined : /([^/:\s]+\/[^/\s]+?)(?:\.git)?\/?$/u.exec(url)?.[1]
}
