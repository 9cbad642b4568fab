/** Finds installed programs. Does not use Effect, because activation uses it. */
import { constants } from "node:fs"
import { access } from "node:fs/promises"
import { delimiter, isAbsolute, join } from "node:path"
import { platform } from "node:process"

/**
 * Finds a program as a shell does, but ignores folders in `path` (the variable `PATH`) that are relative to the working
 * directory.
 */
export const findProgram = async (name: string, path: string): Promise<string | undefined> => {
  const names = platform === "win32" ? [`${name}.exe`, `${name}.cmd`] : [name]
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue
    for (const file of names) {
      const program = join(folder, file)
      const isThere = await access(program, constants.X_OK).then(
        () => true,
        () => false
      )
      if (isThere) return program
    }
  }
  return undefined
}
