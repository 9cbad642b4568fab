import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs"

/**
 * Creates an empty file with mode 0600 if it does not exist; SQLite itself would create it readable for everybody.
 * An existing file is not opened: closing it would release the locks of this process (https://sqlite.org/howtocorrupt.html).
 */
export const createPrivate = (file: string): void => {
  if (!existsSync(file)) closeSync(openSync(file, "a", ownerOnly))
}

/** Returns the names of the files that others could read. Throws if another user owns one of them. */
export const makePrivate = (files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const open = files.filter((file) => existsSync(file) && (statSync(file).mode & forOthers) !== 0)
  for (const file of open) chmodSync(file, ownerOnly)
  return open
}

const ownerOnly = 0o600
const forOthers = 0o077
