/** Finds the repository of a check, its rules and its ignore file. */
import { Effect } from "effect"
import { repositoryOf } from "../../detection/Repository.ts"
import { Editor } from "../../editor/Editor.ts"
import { NotPossible } from "../../editor/Problem.ts"
import { Settings } from "../../editor/Settings.ts"
import { fileName, isInside } from "../../editor/Uri.ts"
import { t } from "../../words/Localisation.ts"
import type { Folder, Scope } from "./CheckScope.ts"
import { LeakEngine } from "./LeakEngine.ts"
import type { CheckedRepository } from "../LeakFinding.ts"
import * as leakSettings from "./LeakSettings.ts"
import { makeRepositoryRules } from "./RepositoryRules.ts"
import { noRules, type Rules } from "./Scans.ts"

export interface CheckedRepositories {
  /** The innermost open folder that contains the file or folder. */
  readonly folderOf: (uri: string) => Effect.Effect<Folder | undefined>
  readonly repositoryOf: (scope: Scope) => Effect.Effect<CheckedRepository | undefined>
  readonly rulesIn: (repository: Pick<CheckedRepository, "folder" | "root">) => Effect.Effect<Rules>
  /** Rules of the repository that contains the file. */
  readonly rulesOf: (uri: string) => Effect.Effect<Rules>
  /** URI of the ignore file, which may not exist. */
  readonly ignoreFile: (repository: CheckedRepository) => Effect.Effect<string, NotPossible>
}

export const makeCheckedRepositories = Effect.gen(function* () {
  const editor = yield* Editor
  const settings = yield* Settings
  const { load } = yield* LeakEngine
  const loadRules = yield* makeRepositoryRules

  const folderOf = Effect.fnUntraced(function* (uri: string) {
    const folders = yield* editor.folders
    return folders.filter((folder) => isInside(uri, folder.uri)).toSorted((a, b) => b.uri.length - a.uri.length)[0]
  })

  const repositoryAt = (folder: string) => Effect.provideService(repositoryOf(folder), Editor, editor)

  /** The repository of a scope. An open file may be in a nested repository of the open folder. */
  const checkedRepository = Effect.fnUntraced(function* (
    scope: Scope
  ): Effect.fn.Return<CheckedRepository | undefined> {
    const folder = "folder" in scope ? scope.folder : yield* folderOf(scope.open.uri)
    if (folder === undefined) return undefined
    const found = yield* repositoryAt("folder" in scope ? folder.uri : editor.join(scope.open.uri, ".."))
    const { repositoryNameIn } = yield* load
    const root = found?.root ?? folder.uri
    const remote = found === undefined ? undefined : repositoryNameIn(found.config)
    const name = remote ?? fileName(root).toLowerCase()
    return { folder: folder.uri, root, name, hasRemote: remote !== undefined }
  })

  const rulesIn: CheckedRepositories["rulesIn"] = Effect.fnUntraced(function* ({ folder, root }) {
    return { ...(yield* loadRules(root)), include: yield* settings.get(leakSettings.include, folder) }
  })

  const rulesOf = Effect.fnUntraced(function* (uri: string) {
    const folder = yield* folderOf(uri)
    if (folder === undefined) return noRules
    const root = (yield* repositoryAt(editor.join(uri, "..")))?.root ?? folder.uri
    return yield* rulesIn({ folder: folder.uri, root })
  })

  const ignoreFile = Effect.fnUntraced(function* ({
    folder,
    root
  }: CheckedRepository): Effect.fn.Return<string, NotPossible> {
    const name = yield* settings.get(leakSettings.ignoreFile, folder)
    const { pathInside } = yield* load
    const path = pathInside(name)
    if (path === undefined) {
      return yield* new NotPossible({
        message: t("The setting leakCheck.ignoreFile is {0}, which leads out of the repository: correct it.", name)
      })
    }
    return editor.join(root, path)
  })

  const repositories: CheckedRepositories = { folderOf, repositoryOf: checkedRepository, rulesIn, rulesOf, ignoreFile }
  return repositories
})
