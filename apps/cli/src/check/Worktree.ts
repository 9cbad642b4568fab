import { Git } from "@threat-exposure/detect/git/Git"
import * as Effect from "effect/Effect"
import { callerPath } from "../output/CallerPath.ts"
import { Misused } from "../request/Misused.ts"

/** The top folder of the work tree that a folder is in; undefined where it is in none. */
export const topFolderOf = Effect.fn("Worktree.topFolderOf")(function* (folder: string) {
  const git = yield* Git
  const top = yield* Effect.orElseSucceed(git.text(folder, ["rev-parse", "--show-toplevel"]), () => "")
  return top === "" ? undefined : top
})

/** The top folder of the work tree that the person is in. */
export const topOf = Effect.gen(function* () {
  const top = yield* topFolderOf(yield* callerPath("."))
  return top ?? (yield* new Misused({ message: "This folder is in no git work tree: go to one" }))
})
