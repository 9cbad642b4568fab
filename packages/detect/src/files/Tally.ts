/** Counts what a scan does while it does it. */
import { Struct } from "effect"
import type { Account, NotRead } from "./Account.ts"
import type { LeftOutReason } from "./LeftOut.ts"

export interface Tally {
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
  add(part: Tally): void
  account(): Account
}

export const makeTally = (): Tally => {
  const leftOut: Partial<Record<LeftOutReason, number>> = {}
  const tally: Tally = {
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
      const { bytes, commits, files, leftOut: others, notRead } = part.account()
      tally.files += files
      tally.bytes += bytes
      tally.commits += commits
      tally.notRead.push(...notRead)
      for (const reason of Struct.keys(others)) leftOut[reason] = (leftOut[reason] ?? 0) + (others[reason] ?? 0)
    },
    account: () => ({
      files: tally.files,
      filesTotal: tally.filesTotal,
      bytes: tally.bytes,
      commits: tally.commits,
      commitsTotal: tally.commitsTotal,
      shallow: tally.shallow,
      notRead: [...tally.notRead],
      leftOut: { ...leftOut },
      warnings: [...tally.warnings]
    })
  }
  return tally
}
