/** Loads the leak check at the first use, and provides what else the host can do. */
import { Context, type Effect, type Option } from "effect"
import type { LeakCheckEngine } from "./LeakCheckEngine.ts"
import type { FolderScans } from "./Scans.ts"

export class LeakEngine extends Context.Service<
  LeakEngine,
  {
    readonly load: Effect.Effect<LeakCheckEngine>
    /** There are none in a browser. */
    readonly folderScans: Option.Option<FolderScans>
  }
>()("threat-exposure/leaks/check/LeakEngine") {}
