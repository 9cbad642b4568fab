/** Candidates of a tree, a range of commits, a whole history, or what is not committed yet. */
import { Context, type Effect, type Stream } from "effect"
import type { Candidate } from "./Candidate.ts"
import type { LeftOutReason } from "./LeftOut.ts"
import type { ScanError } from "./ScanError.ts"

/** What every scan can be narrowed by. */
export interface ScanOptions {
  /** The folder that is scanned; paths are given relative to it. */
  readonly root: string
  /** Globs with `**`, relative to `root`; a path must match one of them. Everything when empty. */
  readonly paths?: ReadonlyArray<string> | undefined
  /** Globs with `**`, relative to `root`; a path that matches one of them is left out. */
  readonly exclude?: ReadonlyArray<string> | undefined
  /** Candidates of less are left out; `minConfidence` of Candidate.ts unless given. */
  readonly minConfidence?: number | undefined
}

/** The lines that any commit reachable from `head` and not from `base` added, those deleted again included. */
export interface RangeOptions extends ScanOptions {
  /** Any revision; without one, everything `head` reaches is in the range. */
  readonly base?: string | undefined
  readonly head: string
}

/** The lines of the working tree, untracked files included, that `base` does not have. */
export interface ChangesOptions extends ScanOptions {
  /** Any revision; `HEAD` unless given. */
  readonly base?: string | undefined
}

/** Why a file, or a version of it, was not read. */
export type NotReadReason = "submodule" | "too-large" | "unreadable" | "symbolic-link"

export interface NotRead {
  readonly path: string
  readonly reason: NotReadReason
  readonly commit?: string | undefined
}

/** What a scan has done so far. */
export interface Account {
  /** Files read, or versions of files where commits are scanned. */
  readonly files: number
  /** All there are, once that is known. */
  readonly filesTotal: number | undefined
  /** Bytes read. */
  readonly bytes: number
  readonly commits: number
  readonly commitsTotal: number | undefined
  /** What may hold a secret and was not looked at; a report names it. */
  readonly notRead: ReadonlyArray<NotRead>
  /** How many files were left out on purpose, by reason. */
  readonly leftOut: Readonly<Partial<Record<LeftOutReason, number>>>
  /** True where the history ends at the edge of a shallow clone. */
  readonly shallow: boolean
  /** What in the repository's own `.gitleaks.toml` could not be used, one sentence each. */
  readonly warnings: ReadonlyArray<string>
}

export interface Scan {
  /** Each place once, as it is found; to be run once. */
  readonly candidates: Stream.Stream<Candidate, ScanError>
  /** Can be asked at any time; complete once `candidates` has ended. */
  readonly account: Effect.Effect<Account>
}

/** Looks for candidates in files and in git; nothing is written, nothing leaves the machine. */
export class Scanner extends Context.Service<
  Scanner,
  {
    /** Every file below the root; in a git repository those that are tracked, or neither tracked nor ignored. */
    tree(options: ScanOptions): Effect.Effect<Scan, ScanError>

    /** Lines are those of `head`, or of the commit where `head` no longer has them. Merges count for what they add themselves. */
    range(options: RangeOptions): Effect.Effect<Scan, ScanError>

    /** Every line ever added in what HEAD, the branches, the tags and the remotes reach; each value of a path is given once, where it was added last. */
    history(options: ScanOptions): Effect.Effect<Scan, ScanError>

    /** What is not committed, against HEAD or another revision. */
    changes(options: ChangesOptions): Effect.Effect<Scan, ScanError>
  }
>()("@threat-exposure/detect/Scanner") {}
