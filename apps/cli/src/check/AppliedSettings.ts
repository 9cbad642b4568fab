/** The settings that apply to a check, and its ignore file. */
import { ConfigSettings } from "@threat-exposure/leak-check/config/ConfigSettings"
import { settingDefaults, settingHelp } from "@threat-exposure/leak-check/config/SettingHelp"
import type { Range } from "@threat-exposure/detect/git/Repository"
import type { SettingsForm } from "@threat-exposure/leak-check/config/ConfigFile"
import {
  configFilesOf,
  ignoreFileIn,
  settingsIn,
  type SettingsOptions
} from "@threat-exposure/leak-check/config/RepositoryFiles"
import { leadsOut } from "@threat-exposure/leak-check/config/SettingValue"
import { environmentVariable } from "@threat-exposure/leak-check/EnvironmentVariable"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { callerPath } from "../request/CallerPath.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"
import { settingFlagNames, type SettingFlagValues } from "./CheckFlags.ts"

export interface AppliedSettings {
  readonly settings: ConfigSettings
  /** Whether `--fail-on` is `candidates`, a value that the config file does not accept. */
  readonly failsOnCandidates: boolean
  /** Files of the repository with rules that decide what is searched. */
  readonly ruleFiles: ReadonlyArray<string>
  /** Reasons why settings could not be read. */
  readonly gaps: ReadonlyArray<string>
  readonly given: SettingsOptions["given"]
  readonly form: SettingsForm<typeof ConfigSettings>
}

export const appliedSettings = Effect.fn("appliedSettings")(function* (
  flags: SettingFlagValues,
  { event, root }: Pick<SettingsOptions, "event" | "root">
) {
  const path = yield* Path.Path
  const given: Partial<Record<string, string>> = {}
  const fromVariables = new Set<string>()
  for (const name of settingFlagNames) {
    const flag = Option.getOrUndefined(flags[name])
    const value = flag ?? (yield* environmentVariable(variableOf(name)))
    if (value === undefined) continue
    if (flag === undefined) fromVariables.add(name)
    // File names are relative to the caller's folder; the shared settings expect them relative to the top folder.
    const file = name.endsWith("-file") ? yield* callerPath(value) : undefined
    const inside = file === undefined ? value : path.relative(root, file)
    given[name] = file !== undefined && leadsOut(inside) ? file : inside
  }
  const failsOnCandidates = given["fail-on"] === "candidates"
  if (failsOnCandidates) delete given["fail-on"]
  const form: SettingsForm<typeof ConfigSettings> = {
    schema: ConfigSettings,
    defaults: settingDefaults,
    help: { ...settingHelp, "config-file": { description: "", mustBe: "a path of a YAML file" } },
    label: (name, source) =>
      source === "config file"
        ? `Setting \`${name}\``
        : fromVariables.has(name)
          ? `The variable ${variableOf(name)}`
          : `--${name}`,
    repeatsGiven: false
  }
  const { gaps, settings } = yield* settingsIn(form, { root, event, given }).pipe(
    Effect.mapError(({ message }) => new UsageInvalid({ message }))
  )
  const ruleFiles = configFilesOf(given["config-file"]).filter((file) => !leadsOut(file))
  const applied: AppliedSettings = { settings, failsOnCandidates, ruleFiles, gaps, given, form }
  return applied
})

/** The environment variable of a flag: `THREAT_EXPOSURE_FAIL_ON` for `fail-on`. */
const variableOf = (name: string): string => `THREAT_EXPOSURE_${name.toUpperCase().replaceAll("-", "_")}`

export const readIgnoreFile = Effect.fn("readIgnoreFile")(function* (
  { form, given, settings }: AppliedSettings,
  { range, root }: { readonly root: string; readonly range: Range | undefined }
) {
  return yield* ignoreFileIn(form, {
    root,
    given,
    file: settings["ignore-file"],
    range: Effect.succeed(range)
  }).pipe(Effect.mapError(({ message }) => new UsageInvalid({ message })))
})
