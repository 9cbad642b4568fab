/**
 * Whether all values were found clean in the last seven days: an agent uses a value again and again. The check itself finds
 * the same, but takes longer to start than an agent should wait.
 */
import { readFileSync, statSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"
import { decode } from "@threat-exposure/detect/text/Bytes"
import { configFiles } from "@threat-exposure/leak-check/config/SettingHelp"
import { type CleanEntry, cleanVersion, isCurrent, keyedHashes } from "@threat-exposure/leak-check/search/CleanEntry"

export type Variables = Readonly<Record<string, string | undefined>>

/** False also if a file is not as expected: the check says what is wrong with it. */
export const areKnownClean = (
  values: ReadonlyArray<string>,
  { cwd, env, now }: { readonly cwd: string; readonly env: Variables; readonly now: number }
): boolean => {
  if (values.length === 0) return true
  try {
    const secret = env["THREAT_EXPOSURE_TOKEN"]?.trim() || env["THREAT_EXPOSURE_API_KEY"]?.trim() || savedSecret(env)
    if (secret === undefined || mayAskForInfo(cwd, env)) return false
    const cache: { readonly version: unknown; readonly entries: ReadonlyArray<CleanEntry> } = JSON.parse(
      textOf(cleanFile(env)) ?? ""
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

/** Severities of a search that finds what any settings count, unless `mayAskForInfo`. */
const isForAll: ReadonlySet<string> = new Set(["info", "low"])

/** Whether the settings may count events of the severity `info`, which a search for others does not find. */
const mayAskForInfo = (cwd: string, env: Variables): boolean => {
  if (env["THREAT_EXPOSURE_MIN_SEVERITY"] !== undefined || env["THREAT_EXPOSURE_CONFIG_FILE"] !== undefined) return true
  for (let folder = cwd; ; folder = dirname(folder)) {
    // An escaped letter of YAML begins with a backslash.
    if (configFiles.some((name) => /info|\\/u.test(textOf(join(folder, name)) ?? ""))) return true
    if (folder === dirname(folder)) return false
  }
}

const cleanFile = ({ HOME, LOCALAPPDATA, XDG_CACHE_HOME }: Variables): string =>
  join(absoluteFolder(XDG_CACHE_HOME, LOCALAPPDATA, HOME && join(HOME, ".cache")), "threat-exposure", "clean.json")

/** The secret of the default profile, unless the keyring has it. */
const savedSecret = ({ APPDATA, HOME, XDG_CONFIG_HOME }: Variables): string | undefined => {
  const folder = absoluteFolder(XDG_CONFIG_HOME, APPDATA, HOME && join(HOME, ".config"))
  const saved: { readonly profiles: { readonly default?: { readonly secret?: string } } } = JSON.parse(
    textOf(join(folder, "threat-exposure", "profiles.json")) ?? ""
  )
  return saved.profiles.default?.secret
}

const absoluteFolder = (...folders: ReadonlyArray<string | undefined>): string => {
  const found = folders.find((folder) => folder !== undefined && isAbsolute(folder))
  if (found === undefined) throw new Error("There is no folder of the user")
  return found
}

/** Undefined if there is none. A pipe is not waited for. */
const textOf = (file: string): string | undefined => {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (!found.isFile() || found.size > maxBytes) throw new Error("It is no file of the program")
  return decode(readFileSync(file))
}

/** Files of the program are smaller; a larger cache takes longer to read than the check to start. */
const maxBytes = 4 * 2 ** 20
