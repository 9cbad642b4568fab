/**
 * Everything this extension contributes to the editor, described once: each folder describes what it answers for, and
 * here it is put together.
 *
 * The generator in scripts/ writes package.json's `contributes` and both package.nls files from here, and the
 * commands and views are registered under the same names.
 */
import type { ViewContribution, ViewName } from "./editor/Contribution.ts"
import * as connection from "./connection/ConnectionContributions.ts"
import * as identifiers from "./identifiers/IdentifierContributions.ts"
import * as events from "./events/EventContributions.ts"
import * as exported from "./exports/ExportContributions.ts"
import * as policies from "./policies/PolicyContributions.ts"
import * as recommendations from "./recommendations/RecommendationContributions.ts"
import * as leaks from "./leaks/LeakContributions.ts"
import * as credentials from "./credentials/CredentialContributions.ts"
import * as requests from "./requests/RequestContributions.ts"
import * as pages from "./editor/PageContributions.ts"
import * as rows from "./editor/RowContributions.ts"
import { tools } from "./tools/ToolContributions.ts"

/** By name without the prefix `threatExposure.`. */
export const commands = {
  ...connection.commands,
  ...identifiers.commands,
  ...events.commands,
  ...exported.commands,
  ...policies.commands,
  ...recommendations.commands,
  ...leaks.commands,
  ...credentials.commands,
  ...requests.commands,
  ...pages.commands,
  ...rows.commands
}

export type CommandName = keyof typeof commands

/** In the order of the sidebar. */
export const views: Readonly<Record<ViewName, ViewContribution>> = {
  identifiers: identifiers.view,
  events: events.view,
  policies: policies.view,
  recommendations: recommendations.view,
  leaks: leaks.view
}

/** By name without the prefix `threatExposure.`. */
export const settings = { ...connection.settings, ...events.settings, ...leaks.settings }

export type SettingName = keyof typeof settings

/** Settings that an untrusted workspace cannot change: they decide where the token and what is searched go. */
export const restrictedSettings: ReadonlyArray<SettingName> = [
  "profiles",
  "leakCheck.domains",
  "leakCheck.maxSearches",
  "leakCheck.ignoreFile",
  "leakCheck.baseBranch"
]

export { tools }

export type ToolName = keyof typeof tools
