/**
 * Whether all values were found clean in the last seven days: an agent uses the same values again and again. The check
 * itself does the same, but its startup takes longer than an agent should wait.
 */
import { readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { decode } from "@threat-exposure/detect/text/Bytes"
import { configFiles } from "@threat-exposure/leak-check/config/SettingHelp"
import { type CleanEntry, cleanVersion, isCurrent, keyedHashes } from "@threat-exposure/leak-check/search/CleanEntry"
import { cleanFileOf, profilesFileOf, type Variables } from "../connection/UserFiles.ts"

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
      readText(cleanFileOf(env)) ?? ""
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

/** The secret of the default profile; undefined if the keyring holds it. */
const savedSecret = (env: Variables): string | undefined => {
  const saved: { readonly profiles: { readonly default?: { readonly secret?: string } } } = JSON.parse(
    readText(profilesFileOf(env)) ?? ""
  )
  return saved.profiles.default?.secret
}

/** The text of the file; undefined if it does not exist. Never reads a pipe, which could block. */
const readText = (file: string | undefined): string | undefined => {
  const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })
  if (file === undefined || found === undefined) return undefined
  if (!found.isFile() || found.size > maxBytes) throw new Error("It is no file of the program")
  return decode(readFileSync(file))
}

/**
 * Limit in bytes: the program's own files are smaller, and reading a larger cache takes longer than starting the check.
 */
const maxBytes = 4 * 2 ** 20
