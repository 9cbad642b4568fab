/**
 * The files that the program keeps for the user, found from environment variables. Undefined if no variable names an
 * absolute folder: there is no fallback to the working directory, because a repository must not contain a token.
 */
import { isAbsolute, join } from "node:path"

export type Variables = Readonly<Record<string, string | undefined>>

/** The saved sign-ins. */
export const profilesFileOf = ({ APPDATA, HOME, XDG_CONFIG_HOME }: Variables): string | undefined =>
  fileIn([XDG_CONFIG_HOME, APPDATA, HOME && join(HOME, ".config")], "profiles.json")

/** The keyed hashes of the values that were found clean. */
export const cleanFileOf = ({ HOME, LOCALAPPDATA, XDG_CACHE_HOME }: Variables): string | undefined =>
  fileIn([XDG_CACHE_HOME, LOCALAPPDATA, HOME && join(HOME, ".cache")], "clean.json")

const fileIn = (folders: ReadonlyArray<string | undefined>, name: string): string | undefined => {
  const folder = folders.find((one) => one !== undefined && isAbsolute(one))
  return folder === undefined ? undefined : join(folder, "threat-exposure", name)
}
