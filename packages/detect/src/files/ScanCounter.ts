/** Counts what a scan does while it does it. */
import { Struct } from "effect"
import type { ScanSummary, NotRead } from "./ScanSummary.ts"
import type { LeftOutReason } from "./LeftOut.ts"

export interface ScanCounter {
  files: number
  filesTotal: number | undefined
  bytes: number
  commits: number
  commitsTotal: number | undefined
  shallow: boolean
  readonly notRead: Array<NotRead>
  readonly warnings: Array<string>
  leaveOut(reason: LeftOutReason): void
  /** Adds what another one counted of the same scan. */
  add(part: ScanCounter): void
  summary(): ScanSummary
}

export const makeScanCounter = (): ScanCounter => {
  const leftOut: Partial<Record<LeftOutReason, number>> = {}
  const counter: ScanCounter = {
    files: 0,
    filesTotal: undefined,
    bytes: 0,
    commits: 0,
    commitsTotal: undefined,
    shallow: false,
    notRead: [],
    warnings: [],
    leaveOut: (reason) => {
      leftOut[reason] = (leftOut[reason] ?? 0) + 1
    },
    add: (part) => {
      const { bytes, commits, files, leftOut: others, notRead } = part.summary()
      counter.files += files
      counter.bytes += bytes
      counter.commits += commits
      counter.notRead.push(...notRead)
      for (const reason of Struct.keys(others)) leftOut[reason] = (leftOut[reason] ?? 0) + (others[reason] ?? 0)
    },
    summary: () => ({
      files: counter.files,
      filesTotal: counter.filesTotal,
      bytes: counter.bytes,
      commits: counter.commits,
      commitsTotal: counter.commitsTotal,
      shallow: counter.shallow,
      notRead: [...counter.notRead],
      leftOut: { ...leftOut },
      warnings: [...counter.warnings]
    })
  }
  return counter
}
