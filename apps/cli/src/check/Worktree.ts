import { Git, gitMissing, isOutsideRepository } from "@threat-exposure/detect/git/Git"
import { NotARepository } from "@threat-exposure/detect/ScanError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { callerPath } from "../request/CallerPath.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"

/** The caller's git, which is asked in the folder that a command runs in. */
export const gitOfCaller = Layer.unwrap(
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const folder = yield* callerPath(".")
    const isFolder = yield* Effect.orElseSucceed(
      Effect.map(files.stat(folder), ({ type }) => type === "Directory"),
      () => false
    )
    return isFolder
      ? Git.layerOfCaller(folder)
      : yield* new UsageInvalid({ message: `${folder} is not a folder, or cannot be opened` })
  })
)

/**
 * The top folder of the work tree that a folder is in; undefined where it is in no repository, or git is not installed.
 * A bare repository has no work tree, and git reads none of another user: their files would be read by other rules.
 */
export const topFolderOf = Effect.fn("Worktree.topFolderOf")(function* (folder: string) {
  const git = yield* Git
  return yield* git
    .text(folder, ["rev-parse", "--show-toplevel"])
    .pipe(
      Effect.catch(({ reason }) =>
        reason === gitMissing || isOutsideRepository(reason)
          ? Effect.undefined
          : Effect.fail(new UsageInvalid({ message: new NotARepository({ root: folder, reason }).message }))
      )
    )
})

/** Where git keeps what belongs to a work tree: its own folder, and the one that it may share with other work trees. */
export const gitFoldersOf = Effect.fn("Worktree.gitFoldersOf")(function* (top: string) {
  const git = yield* Git
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const answer = yield* git.text(top, ["rev-parse", "--git-dir", "--git-common-dir"])
  return yield* Effect.forEach(answer.split("\n"), (folder) => files.realPath(path.resolve(top, folder)))
})

/** The top folder of the work tree that the person is in. */
export const callerTopFolder = Effect.gen(function* () {
  const top = yield* topFolderOf(yield* callerPath("."))
  return (
    top ??
    (yield* new UsageInvalid({
      message: "This folder is not in a git work tree, or git is not installed: change to a folder in one"
    }))
  )
})
