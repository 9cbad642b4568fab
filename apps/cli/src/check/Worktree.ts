import { Git, gitMissing, isOutsideRepository } from "@threat-exposure/detect/git/Git"
import { NotARepository } from "@threat-exposure/detect/ScanError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { callerPath, cwdFlag } from "../request/CallerPath.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"

/** git with the caller's own settings, run in the folder of the command. */
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
      : yield* new UsageInvalid({
          message: `${Option.isSome(yield* cwdFlag) ? "--cwd: " : ""}${folder} is not a folder, or cannot be opened`
        })
  })
)

/**
 * The top folder of the work tree that contains the folder; undefined if the folder is in no repository or git is not
 * installed. Fails for a bare repository and for another user's, which git refuses: without git, other rules would
 * apply to their files.
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

/** The git folder of a work tree, and the common one that it may share with other work trees. */
export const gitFoldersOf = Effect.fn("Worktree.gitFoldersOf")(function* (top: string) {
  const git = yield* Git
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const answer = yield* git.text(top, ["rev-parse", "--git-dir", "--git-common-dir"])
  return yield* Effect.forEach(answer.split("\n"), (folder) => files.realPath(path.resolve(top, folder)))
})

/** The top folder of the work tree that contains the caller's folder. */
export const callerTopFolder = Effect.gen(function* () {
  const top = yield* topFolderOf(yield* callerPath("."))
  return (
    top ??
    (yield* new UsageInvalid({
      message: "This folder is not in a git work tree, or git is not installed: change to a folder in one"
    }))
  )
})
