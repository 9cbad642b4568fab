/** Loads the leak check at its first use, and provides the scans that the host supports. */
import { Context, type Effect, type Option } from "effect"
import type { LeakCheckEngine } from "./LeakCheckEngine.ts"
import type { FolderScans } from "./Scans.ts"

export class LeakEngine extends Context.Service<
  LeakEngine,
  {
    readonly load: Effect.Effect<LeakCheckEngine>
    /** Absent in a browser, which has no processes. */
    readonly folderScans: Option.Option<FolderScans>
  }
>()("threat-exposure/leaks/check/LeakEngine") {}
