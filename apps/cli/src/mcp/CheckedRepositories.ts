/** Gives an agent access to the repositories below the roots that the server was started with, and to no others. */
import { Git } from "@threat-exposure/detect/git/Git"
import { givenLocation } from "@threat-exposure/detect/git/GitEnvironment"
import { layerNoDeps as scannerLayer } from "@threat-exposure/detect/node/NodeScanner"
import type { Scanner } from "@threat-exposure/detect/Scanner"
import { Clone, layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import { settingsOf } from "@threat-exposure/leak-check/config/ConfigSettings"
import type { Input } from "@threat-exposure/leak-check/search/Plan"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Record from "effect/Record"
import { noSettingFlags } from "../check/CheckFlags.ts"
import { select } from "../check/Selection.ts"
import { appliedSettings, readIgnoreFile } from "../check/AppliedSettings.ts"
import { gitFoldersOf, topFolderOf } from "../check/Worktree.ts"
import type { callerPath } from "../request/CallerPath.ts"
import { ToolFailed } from "./Answer.ts"

/** Input of a plan for the repository: candidates and settings. */
export interface CheckInput extends Input {
  readonly candidates: NonNullable<Input["candidates"]>
}

export class CheckedRepositories extends Context.Service<
  CheckedRepositories,
  {
    /**
     * Reads what `threat-exposure check` reads in this folder: the whole repository, with its config file and its
     * ignore file. Compares real paths with the roots. If the top of the repository is outside the roots, only the
     * folder is read.
     */
    readonly read: (folder: string, scope: "changes" | "tree") => Effect.Effect<CheckInput, ToolFailed>
  }
>()("@threat-exposure/cli/mcp/CheckedRepositories") {
  /** Ignores GIT_DIR and similar variables: the folder alone decides which repository is read. */
  static readonly layer = (roots: ReadonlyArray<string>) =>
    Layer.effect(
      CheckedRepositories,
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const context = yield* Effect.context<
          Scanner | Git | FileSystem.FileSystem | Effect.Services<ReturnType<typeof callerPath>>
        >()
        for (const name of Record.keys(yield* givenLocation)) {
          yield* Effect.logWarning(
            `${name} is ignored: the path of each check_repository decides which repository is read`
          )
        }
        const realRoots = yield* Effect.forEach(roots, (root) => Effect.orElseSucceed(files.realPath(root), () => root))
        const absent = yield* Effect.filter(realRoots, (root) => Effect.map(files.exists(root), (isThere) => !isThere))
        const absence = absent.length === 0 ? "" : `; not found: ${absent.join(", ")}`

        const isAllowed = (real: string) =>
          realRoots.some(
            (root) => real === root || real.startsWith(root.endsWith(path.sep) ? root : `${root}${path.sep}`)
          )

        const within = Effect.fnUntraced(function* (folder: string) {
          const real = yield* Effect.orElseSucceed(
            files.realPath(path.resolve(realRoots[0] ?? "/", folder)),
            () => undefined
          )
          return real !== undefined && isAllowed(real)
            ? real
            : yield* new ToolFailed({
                reason: `Not below a folder that this server may read (--root: ${realRoots.join(", ")}${absence}): ${folder}`
              })
        })

        return CheckedRepositories.of({
          read: Effect.fn("CheckedRepositories.read")(function* (folder, scope) {
            const real = yield* within(folder)
            return yield* Effect.gen(function* () {
              const top = yield* topFolderOf(real)
              const root = top !== undefined && isAllowed(top) ? top : real
              const elsewhere =
                root === top ? (yield* gitFoldersOf(root)).find((folder) => !isAllowed(folder)) : undefined
              if (elsewhere !== undefined) {
                return yield* new ToolFailed({
                  reason: `The repository of ${root} is in ${elsewhere}, which is not below a folder that this server may read (--root): ${realRoots.join(", ")}`
                })
              }
              return yield* Effect.provide(inputOf(root, scope === "tree" ? "Tree" : "Worktree"), cloneLayer({ root }))
            }).pipe(
              Effect.provide(context),
              Effect.mapError(({ message }) => new ToolFailed({ reason: message }))
            )
          })
        })
      })
    ).pipe(Layer.provide(scannerLayer), Layer.provide(Git.layerNoDeps))
}

const inputOf = Effect.fnUntraced(function* (root: string, scope: "Tree" | "Worktree") {
  const applied = yield* appliedSettings(noSettingFlags, { root, event: undefined })
  const { ruleFiles, settings } = applied
  const {
    paths = [],
    exclude = [],
    include,
    "max-candidates": maxCandidates,
    "reading-deadline": maxDuration
  } = settings
  const { scan } = yield* select(
    { _tag: scope },
    { root, paths, exclude, include, maxCandidates, maxDuration, ruleFiles }
  )
  const { repositoryName } = yield* Clone
  const input: CheckInput = {
    repository: yield* repositoryName,
    settings: settingsOf(settings, { isChange: false, now: yield* DateTime.now }),
    candidates: [...scan.added, ...scan.rest],
    ...(yield* readIgnoreFile(applied, { root, range: scan.range })),
    skipped: scan.skipped,
    gaps: [...applied.gaps, ...scan.gaps]
  }
  return input
})
