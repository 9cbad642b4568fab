/** What a scan has read, and what it has not. */
import type { LeftOutReason } from "./LeftOut.ts"

/**
 * Why a file, or a version of it, was not read: a repository of its own, over 50 MB, refused by the file system, or tracked but
 * left out of a sparse checkout.
 */
export type NotReadReason = "submodule" | "too-large" | "unreadable" | "not-checked-out"

export interface NotRead {
  readonly path: string
  readonly reason: NotReadReason
  readonly commit?: string | undefined
}

/** What a scan has done so far. */
export interface ScanSummary {
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
