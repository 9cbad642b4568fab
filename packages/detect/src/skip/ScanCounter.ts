/** Counts the progress of a scan. */
import type { ScanSummary, SkipReason } from "./Skipped.ts"

export interface ScanCounter {
  files: number
  filesTotal: number | undefined
  bytes: number
  commits: number
  commitsTotal: number | undefined
  /** Counts a name once per reason, even if it occurs in several commits. */
  skip(reason: SkipReason, name: string): void
  readonly skipped: ReadonlyMap<SkipReason, ReadonlySet<string>>
  /** Adds the counts of another part of the same scan. */
  add(part: ScanCounter): void
  summary(): ScanSummary
}

export const makeScanCounter = (): ScanCounter => {
  const skipped = new Map<SkipReason, Set<string>>()
  const counter: ScanCounter = {
    files: 0,
    filesTotal: undefined,
    bytes: 0,
    commits: 0,
    commitsTotal: undefined,
    skipped,
    skip: (reason, name) => {
      const names = skipped.get(reason)
      if (names === undefined) skipped.set(reason, new Set([name]))
      else names.add(name)
    },
    add: (part) => {
      counter.files += part.files
      counter.bytes += part.bytes
      counter.commits += part.commits
      for (const [reason, names] of part.skipped) for (const name of names) counter.skip(reason, name)
    },
    summary: () => ({
      files: counter.files,
      filesTotal: counter.filesTotal,
      bytes: counter.bytes,
      commits: counter.commits,
      commitsTotal: counter.commitsTotal,
      skipped: Array.from(skipped, ([reason, names]) => ({
        reason,
        count: names.size,
        names: Array.from(names.values().take(maxNames))
      }))
    })
  }
  return counter
}

const maxNames = 100
