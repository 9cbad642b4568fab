/**
 * Remembers that `npm test` passed, so that `npm run test:all` on the same files runs only the other tests. A passed run is
 * valid for the content of every file that git tracks or would add, and for one version of Node.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { lstatSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

export interface PassedTests {
  readonly passed: number
  readonly skipped: number
}

/** A digest of the content of every file that git tracks or would add, and of the version of Node. */
export const treeDigest = (root: string, nodeVersion: string = process.version): string => {
  const listing = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024
  })
  const digest = createHash("sha256").update(nodeVersion)
  for (const name of new Set(listing.split("\0").toSorted())) {
    const entry = readEntry(join(root, name))
    if (entry !== undefined) digest.update(`\0${name}\0${entry.kind}\0${entry.content.length}\0`).update(entry.content)
  }
  return digest.digest("hex")
}

export const rememberPassedTests = (file: string, tree: string, { passed, skipped }: PassedTests): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ tree, passed, skipped }))
}

/** Undefined if the tests have not passed on this tree. */
export const readPassedTests = (file: string, tree: string): PassedTests | undefined => {
  try {
    const { passed, skipped, tree: passedTree } = JSON.parse(readFileSync(file, "utf8"))
    return passedTree === tree ? { passed, skipped } : undefined
  } catch {
    return undefined
  }
}

/** Undefined for a file that is deleted and still in git's index. */
const readEntry = (path: string): { readonly kind: string; readonly content: Buffer } | undefined => {
  const status = lstatSync(path, { throwIfNoEntry: false })
  if (status === undefined) return undefined
  if (status.isSymbolicLink()) return { kind: "link", content: Buffer.from(readlinkSync(path)) }
  // A submodule, or a repository inside this one.
  if (!status.isFile()) return { kind: "other", content: Buffer.alloc(0) }
  return { kind: (status.mode & 0o111) === 0 ? "file" : "program", content: readFileSync(path) }
}
