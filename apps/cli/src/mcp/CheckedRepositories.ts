/** The repositories that an agent may check: those below the roots that the server was started with. */
import type { Candidate } from "@threat-exposure/detect/Candidate"
import type { Git } from "@threat-exposure/detect/git/Git"
import type { Scanner } from "@threat-exposure/detect/Scanner"
import { Clone, layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import type { EventScan } from "@threat-exposure/leak-check/range/ScanEvent"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { select } from "../check/Selection.ts"
import { ToolFailed } from "./Answer.ts"

export interface CheckedRepository extends Pick<EventScan, "skipped" | "gaps"> {
  /** Salts the fingerprints. */
  readonly repository: string
  readonly candidates: ReadonlyArray<Candidate>
}

export class CheckedRepositories extends Context.Service<
  CheckedRepositories,
  {
    /** Resolves symbolic links before it compares the folder with the roots. */
    readonly read: (folder: string, scope: "changes" | "tree") => Effect.Effect<CheckedRepository, ToolFailed>
  }
>()("@threat-exposure/cli/mcp/CheckedRepositories") {
  static readonly layer = (roots: ReadonlyArray<string>) =>
    Layer.effect(
      CheckedRepositories,
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const context = yield* Effect.context<Scanner | Git>()
        const realRoots = yield* Effect.forEach(roots, (root) => Effect.orElseSucceed(files.realPath(root), () => root))

        const within = Effect.fnUntraced(function* (folder: string) {
          const real = yield* Effect.orElseSucceed(
            files.realPath(path.resolve(realRoots[0] ?? "/", folder)),
            () => undefined
          )
          const isAllowed =
            real !== undefined && realRoots.some((root) => real === root || real.startsWith(`${root}${path.sep}`))
          return isAllowed
            ? real
            : yield* new ToolFailed({
                reason: `${folder} is not below a folder that this server may read (--root): ${realRoots.join(", ")}`
              })
        })

        return CheckedRepositories.of({
          read: Effect.fn("CheckedRepositories.read")(function* (folder, scope) {
            const root = yield* within(folder)
            const { repository, selection } = yield* Effect.all({
              selection: select({ _tag: scope === "tree" ? "Tree" : "Worktree" }, { root, paths: [], exclude: [] }),
              repository: Effect.flatMap(Clone, (clone) => clone.repositoryName)
            }).pipe(
              Effect.provide(cloneLayer({ root })),
              Effect.provide(context),
              Effect.mapError(({ message }) => new ToolFailed({ reason: message }))
            )
            const { scan } = selection
            return {
              repository,
              candidates: [...scan.added, ...scan.rest],
              skipped: scan.skipped,
              gaps: scan.gaps
            }
          })
        })
      })
    )
}
