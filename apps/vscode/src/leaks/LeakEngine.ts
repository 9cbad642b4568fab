/** What detects and checks, loaded when the first check needs it, and what the host can do besides. */
import type { Candidate } from "@threat-exposure/detect/Candidate"
import { Context, type Effect, type Option } from "effect"
import type { Engine } from "./Engine.ts"

export interface Scanned {
  readonly candidates: ReadonlyArray<Candidate>
  /** What could not be read, one sentence each. */
  readonly gaps: ReadonlyArray<string>
}

/** What only a machine with processes can do: git, and reading a folder fast. */
export interface FolderScans {
  readonly workspace: (root: string) => Effect.Effect<Scanned, { readonly message: string }>
  /** What is not committed, and what the branch adds to `base`; the remote's default branch where that is empty. */
  readonly changes: (root: string, base: string) => Effect.Effect<Scanned, { readonly message: string }>
}

export class LeakEngine extends Context.Service<
  LeakEngine,
  {
    readonly load: Effect.Effect<Engine>
    /** None in a browser. */
    readonly folderScans: Option.Option<FolderScans>
  }
>()("threat-exposure/leaks/LeakEngine") {}
