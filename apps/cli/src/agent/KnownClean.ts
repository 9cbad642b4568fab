/**
 * Whether all values were found clean in the last seven days: an agent uses the same values again and again. The check
 * itself does the same, but its startup takes longer than an agent should wait.
 */
import { readFileSync, statSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"
import { decode } from "@threat-exposure/detect/text/Bytes"
import { configFiles } from "@threat-exposure/leak-check/config/SettingHelp"
import { type CleanEntry, cleanVersion, isCurrent, keyedHashes } from "@threat-exposure/leak-check/search/CleanEntry"

export type Variables = Readonly<Record<string, string | undefined>>

/** Returns false also if a file is not as expected: the check then reports the problem. */
export const areKnownClean = (
  values: ReadonlyArray<string>,
  { cwd, env, now }: { readonly cwd: string; readonly env: Variables; readonly now: number }
): boolean => {
  if (values.length === 0) return true
  try {
    const secret = env["THREAT_EXPOSURE_TOKEN"]?.trim() || env["THREAT_EXPOSURE_API_KEY"]?.trim() || savedSecret(env)
    if (secret === undefined || mayAskForInfo(cwd, env)) return false
    const cache: { readonly version: unknown; readonly entries: ReadonlyArray<CleanEntry> } = JSON.parse(
      readText(cleanFile(env)) ?? ""
    )
    const { tagOf, valueName } = keyedHashes(secret)
    const isKnown = (name: string) =>
      cache.entries.some(
        (entry) =>
          entry.name === name && isCurrent(entry, now) && isForAll.has(entry.minSeverity) && entry.tag === tagOf(entry)
      )
    return cache.version === cleanVersion && values.every((value) => isKnown(valueName(value)))
  } catch {
    return false
  }
}

/** Minimum severities of a search whose result holds for all settings, unless `mayAskForInfo`. */
const isForAll: ReadonlySet<string> = new Set(["info", "low"])

/** Whether the settings may count events of severity `info`, which other searches leave out. */
const mayAskForInfo = (cwd: string, env: Variables): boolean => {
  if (env["THREAT_EXPOSURE_MIN_SEVERITY"] !== undefined || env["THREAT_EXPOSURE_CONFIG_FILE"] !== undefined) return true
  for (let folder = cwd; ; folder = dirname(folder)) {
    // YAML can write the letters of `info` as escapes, which begin with a backslash.
    if (configFiles.some((name) => /info|\\/u.test(readText(join(folder, name)) ?? ""))) return true
    if (folder === dirname(folder)) return false
  }
}

const cleanFile = ({ HOME, LOCALAPPDATA, XDG_CACHE_HOME }: Variables): string =>
  join(absoluteFolder(XDG_CACHE_HOME, LOCALAPPDATA, HOME && join(HOME, ".cache")), "threat-exposure", "clean.json")

/** The secret of the default profile; undefined if the keyring holds it. */
const savedSecret = ({ APPDATA, HOME, XDG_CONFIG_HOME }: Variables): string | undefined => {
  const folder = absoluteFolder(XDG_CONFIG_HOME, APPDATA, HOME && join(HOME, ".config"))
  const saved: { readonly profiles: { readonly default?: { readonly secret?: string } } } = JSON.parse(
    readText(join(folder, "threat-exposure", "profiles.json")) ?? ""
  )
  return saved.profiles.default?.secret
}

const absoluteFolder = (...folders: ReadonlyArray<string | undefined>): string => {
  const found = folders.find((folder) => folder !== undefined && isAbsolute(folder))
  if (found === undefined) throw new Error("There is no folder of the user")
  return found
}

/** The text of the file; undefined if it does not exist. Never reads a pipe, which could block. */
const readText = (file: string): string | undefined => {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (!found.isFile() || found.size > maxBytes) throw new Error("It is no file of the program")
  return decode(readFileSync(file))
}

/**
 * Limit in bytes: the program's own files are smaller, and reading a larger cache takes longer than starting the check.
 */
const maxBytes = 4 * 2 ** 20
