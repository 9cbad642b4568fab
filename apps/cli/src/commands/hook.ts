import { Git } from "@threat-exposure/detect/git/Git"
import { gitLayer } from "@threat-exposure/detect/node/NodeScanner"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Command from "effect/cli/Command"
import { topOf } from "../check/Worktree.ts"
import { hookNames, hookScript, keptName, marker } from "../hook/HookScript.ts"
import { say } from "../output/Output.ts"
import { Misused } from "../request/Misused.ts"

/** Where git looks for hooks in this repository. */
const hooksFolder = Effect.gen(function* () {
  const git = yield* Git
  const path = yield* Path.Path
  const top = yield* topOf
  const folder = yield* git
    .text(top, ["rev-parse", "--git-path", "hooks"])
    .pipe(Effect.mapError(({ message }) => new Misused({ message })))
  return path.resolve(top, folder)
})

const unwritable = (folder: string) =>
  Effect.mapError(
    ({ reason }: { readonly reason: { readonly _tag: string } }) =>
      new Misused({ message: `The hooks in ${folder} cannot be changed (${reason._tag})` })
  )

const install = Command.make(
  "install",
  {},
  Effect.fnUntraced(function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = yield* hooksFolder
    yield* Effect.gen(function* () {
      yield* files.makeDirectory(folder, { recursive: true })
      for (const name of hookNames) {
        const file = path.join(folder, name)
        const before = yield* Effect.orElseSucceed(files.readFileString(file), () => "")
        if (before !== "" && !before.includes(marker)) yield* files.rename(file, path.join(folder, keptName(name)))
        yield* files.writeFileString(file, hookScript(name))
        yield* files.chmod(file, 0o755)
      }
    }).pipe(unwritable(folder))
    yield* say(`Commits and pushes are checked from now on, by ${hookNames.join(" and ")} in ${folder}.`)
  }, Effect.provide(gitLayer))
).pipe(Command.withDescription("Check every commit and push in this repository; existing hooks are kept and run first"))

const uninstall = Command.make(
  "uninstall",
  {},
  Effect.fnUntraced(function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = yield* hooksFolder
    let removed = 0
    yield* Effect.gen(function* () {
      for (const name of hookNames) {
        const file = path.join(folder, name)
        const script = yield* Effect.orElseSucceed(files.readFileString(file), () => "")
        if (!script.includes(marker)) continue
        yield* files.remove(file)
        removed += 1
        const kept = path.join(folder, keptName(name))
        if (yield* files.exists(kept)) yield* files.rename(kept, file)
      }
    }).pipe(unwritable(folder))
    yield* say(
      removed === 0 ? "No hook of threat-exposure is installed here." : "The hooks are removed; earlier ones are back."
    )
  }, Effect.provide(gitLayer))
).pipe(Command.withDescription("Remove the hooks, and put earlier ones back"))

export const hook = Command.make("hook").pipe(
  Command.withDescription("Git hooks that check every commit and push"),
  Command.withSubcommands([install, uninstall])
)
