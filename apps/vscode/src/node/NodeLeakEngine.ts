/** The leak engine for Node. Combines the parts that are loaded later. */
import { Effect, Layer, Option } from "effect"
import { LeakEngine } from "../leaks/check/LeakEngine.ts"
import type { FolderScans } from "../leaks/check/Scans.ts"

const later = Effect.promise(() => import("./LeakCheckPart.ts"))
const scans = Effect.flatMap(later, ({ folderScans }) => folderScans)

export const layer = Layer.succeed(LeakEngine, {
  load: Effect.map(later, ({ engine }) => engine),
  folderScans: Option.some<FolderScans>({
    workspace: (...given) => Effect.flatMap(scans, ({ workspace }) => workspace(...given)),
    changes: (...given) => Effect.flatMap(scans, ({ changes }) => changes(...given))
  })
})
