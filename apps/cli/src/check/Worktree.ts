import { Git } from "@threat-exposure/detect/git/Git"
import * as Effect from "effect/Effect"
import { callerPath } from "../output/CallerPath.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"

/**
 * The top folder of the work tree that a folder is in; undefined where it is in no repository, or git is not installed.
 * A bare repository has no work tree, and git reads none of another user: their files would be read by other rules.
 */
export const topFolderOf = Effect.fn("Worktree.topFolderOf")(function* (folder: string) {
  const git = yield* Git
  return yield* git.text(folder, ["rev-parse", "--show-toplevel"]).pipe(
    Effect.catch(({ exitCode, reason }) =>
      exitCode === undefined || reason.includes("not a git repository")
        ? Effect.undefined
        : Effect.fail(
            new UsageInvalid({
              message: `${folder} has no work tree that git reads (${reason}): change to a folder in one`
            })
          )
    )
  )
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
