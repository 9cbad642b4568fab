import { Git } from "@threat-exposure/detect/git/Git"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Command from "effect/cli/Command"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { callerTopFolder } from "../check/Worktree.ts"
import { hookNames, hookScript, keptName, marker } from "../hook/HookScript.ts"
import { fileFailure } from "../output/FileFailure.ts"
import { say } from "../output/Output.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"

/** Where git looks for hooks in this repository, and whether no other repository or clone has its hooks there. */
const hooksFolder = Effect.gen(function* () {
  const git = yield* Git
  const path = yield* Path.Path
  const top = yield* callerTopFolder
  const common = yield* git
    .text(top, ["rev-parse", "--git-common-dir"])
    .pipe(Effect.mapError(({ message }) => new UsageInvalid({ message })))
  const configured = yield* Effect.option(git.text(top, ["config", "--type=path", "--get", "core.hooksPath"]))
  const folder = path.resolve(
    top,
    Option.getOrElse(configured, () => path.join(common, "hooks"))
  )
  return { folder, isOwn: folder.startsWith(`${path.resolve(top, common)}${path.sep}`) }
})

/** Whether the hooks would find this program. */
const isOnPath = Effect.gen(function* () {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const program = ChildProcess.make("threat-exposure", ["--version"])
  return yield* spawner.exitCode(program).pipe(
    Effect.map((code) => code === ChildProcessSpawner.ExitCode(0)),
    Effect.orElseSucceed(() => false)
  )
})

/** A link counts whose target is not there: it may be on another branch, and writing would go through it. */
const isThere = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  return (yield* files.exists(file)) || Option.isSome(yield* Effect.option(files.readLink(file)))
})

const isInstalled = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  return (yield* Effect.orElseSucceed(files.readFileString(file), () => "")).includes(marker)
})

const unwritable = (folder: string) =>
  Effect.mapError((error: PlatformError.PlatformError | UsageInvalid) =>
    error._tag === "UsageInvalid"
      ? error
      : new UsageInvalid({ message: `The hooks in ${folder} cannot be changed (${fileFailure(error.reason)})` })
  )

const install = Command.make(
  "install",
  {},
  Effect.fnUntraced(function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { folder, isOwn } = yield* hooksFolder
    if (!isOwn) {
      return yield* new UsageInvalid({
        message: `The hooks of this repository are in ${folder} (core.hooksPath), which other clones or repositories may share: add threat-exposure check --staged to their pre-commit and threat-exposure check --push to their pre-push, as docs/ci.md shows for husky and others`
      })
    }
    yield* Effect.gen(function* () {
      yield* files.makeDirectory(folder, { recursive: true })
      for (const name of hookNames) {
        const file = path.join(folder, name)
        if ((yield* isThere(file)) && !(yield* isInstalled(file))) {
          const kept = path.join(folder, keptName(name))
          if (yield* isThere(kept)) {
            return yield* new UsageInvalid({
              message: `${file} is not the hook that threat-exposure installed, and ${kept} is an earlier hook: merge the two into one of these files, and delete the other`
            })
          }
          yield* files.rename(file, kept)
        }
        yield* files.writeFileString(file, hookScript(name))
        yield* files.chmod(file, 0o755)
      }
    }).pipe(unwritable(folder))
    yield* say(`Commits and pushes are now checked, by ${hookNames.join(" and ")} in ${folder}.`)
    if (!(yield* isOnPath)) {
      yield* say(
        "threat-exposure is not on the PATH: until it is (npm install --global @threat-exposure/cli), every commit and push is stopped."
      )
    }
  })
).pipe(
  Command.withDescription(
    "Add hooks that check every commit and push in this repository; existing hooks are kept and run first"
  ),
  Command.withExamples([{ command: "threat-exposure hook install", description: "Once in each clone" }])
)

const uninstall = Command.make(
  "uninstall",
  {},
  Effect.fnUntraced(function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { folder } = yield* hooksFolder
    let removed = 0
    yield* Effect.gen(function* () {
      for (const name of hookNames) {
        const file = path.join(folder, name)
        if (!(yield* isInstalled(file))) continue
        yield* files.remove(file)
        removed += 1
        const kept = path.join(folder, keptName(name))
        if (yield* isThere(kept)) yield* files.rename(kept, file)
      }
    }).pipe(unwritable(folder))
    yield* say(
      removed === 0
        ? "No threat-exposure hook is installed here."
        : "The hooks are removed, and earlier hooks are restored."
    )
  })
).pipe(
  Command.withDescription("Remove the hooks, and restore earlier ones"),
  Command.withExamples([{ command: "threat-exposure hook uninstall", description: "In this clone" }])
)

export const hook = Command.make("hook").pipe(
  Command.withDescription("Add or remove git hooks that check every commit and push"),
  Command.withSubcommands([install, uninstall])
)
