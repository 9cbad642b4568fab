/**
 * The global set-up of vitest that gives tests and the programs they start a temporary folder in memory: on a disk, tests that
 * create many small files take a fifth longer. Where memory is short, they use the temporary folder of the system.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { availableMemory, pid } from "node:process"

/** A file system in memory, on Linux. In a container it can be small, or run no programs. */
const sharedMemory = "/dev/shm"

/** The prefix is short: the path of a socket has at most 107 bytes. */
const namePattern = /^te-(\d+)$/

/** Bytes; several times what a run has in its folder at once. */
const minFree = 4 * 1024 ** 3

export default function (): (() => void) | undefined {
  if (process.env["TMPDIR"] !== undefined || !hasRoom()) return undefined
  removeLeftFolders()
  const folder = join(sharedMemory, `te-${pid}`)
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  mkdirSync(folder)
  // Tests run programs as other users, too.
  chmodSync(folder, 0o1777)
  // An interrupted run has no teardown.
  process.once("exit", remove)
  if (runsPrograms(folder)) process.env["TMPDIR"] = folder
  return remove
}

const hasRoom = (): boolean => {
  if (!existsSync(sharedMemory)) return false
  const { bavail, bsize } = statfsSync(sharedMemory)
  // The limit of a container counts the files as well.
  return Math.min(bavail * bsize, availableMemory() / 2) >= minFree
}

/** A killed run has left its folder, which takes memory until the machine restarts. */
const removeLeftFolders = (): void => {
  for (const name of readdirSync(sharedMemory)) {
    const owner = namePattern.exec(name)?.[1]
    if (owner !== undefined && !isRunning(Number(owner)))
      rmSync(join(sharedMemory, name), { recursive: true, force: true })
  }
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

const runsPrograms = (folder: string): boolean => {
  const program = join(folder, "program")
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0
}
