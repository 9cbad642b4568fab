/** The settings that a config file can contain: their types, defaults and descriptions. */
import { severities } from "@threat-exposure/core/domain/Severity"
import { type DateTime, Schema } from "effect"
import { defaults, type Settings } from "../Settings.ts"
import { Count, Domains, Flag, Globs, Inclusions, Instant, DurationInput, OnePath } from "./SettingValue.ts"

/** The keys of a config file, which are also inputs of the action and flags of the command line. */
export const ConfigSettings = Schema.Struct({
  domains: Schema.optionalKey(Domains),
  "login-domains": Schema.optionalKey(Domains),
  paths: Schema.optionalKey(Globs),
  exclude: Schema.optionalKey(Globs),
  include: Schema.optionalKey(Inclusions),
  scan: Schema.Literals(["changes", "tree", "history", "none"]),
  "fail-on": Schema.Literals(["any", "credentials", "events", "none"]),
  "min-severity": Schema.Literals(severities),
  since: Instant,
  "domain-leaks": Schema.optionalKey(Schema.Literals(["fail", "warn", "off"])),
  "max-candidates": Count,
  "reading-deadline": DurationInput,
  "max-searches": Count,
  "quota-reserve": Count,
  deadline: DurationInput,
  "on-incomplete": Schema.Literals(["fail", "warn"]),
  "ignore-file": OnePath,
  annotations: Flag,
  summary: Flag,
  comment: Flag,
  cache: Flag,
  "sarif-file": Schema.optionalKey(OnePath),
  "report-file": Schema.optionalKey(OnePath)
})

export type ConfigSettings = typeof ConfigSettings.Type

/**
 * Converts the settings for a check. `isChange` is true for a change under review, which is rarely the cause of leaks
 * of domains.
 */
export const settingsOf = (
  configured: Pick<
    ConfigSettings,
    "min-severity" | "since" | "domain-leaks" | "max-searches" | "quota-reserve" | "deadline"
  >,
  { isChange, now }: { readonly isChange: boolean; readonly now: DateTime.Utc }
): Settings => ({
  ...defaults(now),
  minSeverity: configured["min-severity"],
  since: configured.since,
  domainLeaks: configured["domain-leaks"] ?? (isChange ? "warn" : "fail"),
  maxSearches: configured["max-searches"],
  quotaReserve: configured["quota-reserve"],
  deadline: configured.deadline
})
