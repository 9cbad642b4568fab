/**
 * All contributions to the editor. Each folder describes its own; this module combines them.
 *
 * The generator in scripts/ writes package.json's `contributes` and both package.nls files from them, and commands and
 * views are registered under the same names.
 */
import type { ColorContribution, ViewContribution } from "./editor/Contribution.ts"
import * as connection from "./connection/ConnectionContributions.ts"
import * as identifiers from "./identifiers/IdentifierContributions.ts"
import * as events from "./events/EventContributions.ts"
import * as exported from "./exports/ExportContributions.ts"
import * as overview from "./overview/OverviewContributions.ts"
import * as policies from "./policies/PolicyContributions.ts"
import * as recommendations from "./recommendations/RecommendationContributions.ts"
import * as leaks from "./leaks/LeakContributions.ts"
import * as credentials from "./credentials/CredentialContributions.ts"
import * as requests from "./requests/RequestContributions.ts"
import * as editor from "./editor/EditorContributions.ts"
import { tools } from "./tools/ToolContributions.ts"

/** Keys are names without the prefix `threatExposure.`. */
export const commands = {
  ...connection.commands,
  ...overview.commands,
  ...identifiers.commands,
  ...events.commands,
  ...exported.commands,
  ...policies.commands,
  ...recommendations.commands,
  ...leaks.commands,
  ...credentials.commands,
  ...requests.commands,
  ...editor.commands
}

/** In the order of the sidebar. */
export const views: Readonly<Record<string, ViewContribution>> = {
  overview: overview.view,
  identifiers: identifiers.view,
  events: events.view,
  policies: policies.view,
  recommendations: recommendations.view,
  leaks: leaks.view
}

/** Kinds of pages that open as panels and that are restored when the window reloads. */
export const panels: ReadonlyArray<string> = ["credential", "credentials", "event", "record"]

/** Keys are names without the prefix `threatExposure.`. */
export const settings = {
  ...connection.settings,
  ...editor.settings,
  ...identifiers.settings,
  ...events.settings,
  ...leaks.settings
}

/**
 * Settings that an untrusted workspace cannot change: where the token is sent and how often, what is searched and
 * shown, and what counts as a leak.
 */
export const restrictedSettings: ReadonlyArray<keyof typeof settings> = [
  "profiles",
  "requests.timeoutSeconds",
  "requests.searchesPerSecond",
  "requests.callsPerSecond",
  "masking",
  "leakCheck.domains",
  "leakCheck.maxSearches",
  "leakCheck.minSeverity",
  "leakCheck.ignoreFile",
  "leakCheck.include",
  "leakCheck.baseBranch"
]

/** Keys are names without the prefix `threatExposure.`. */
export const colors: Readonly<Record<string, ColorContribution>> = { ...events.colors }

export { tools }
