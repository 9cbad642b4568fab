/**
 * Everything this extension contributes to the editor, described once: each folder describes what it answers for, and
 * here it is put together.
 *
 * The generator in scripts/ writes package.json's `contributes` and both package.nls files from here, and the
 * commands and views are registered under the same names.
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

/** By name without the prefix `threatExposure.`. */
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

/** The kinds of pages that open as panels, and are there again after a reload of the window. */
export const panels: ReadonlyArray<string> = ["credential", "credentials", "event", "record"]

/** By name without the prefix `threatExposure.`. */
export const settings = {
  ...connection.settings,
  ...editor.settings,
  ...identifiers.settings,
  ...events.settings,
  ...leaks.settings
}

/** Settings that an untrusted workspace cannot change: where the token goes, what is searched and shown, what counts as a leak. */
export const restrictedSettings: ReadonlyArray<keyof typeof settings> = [
  "profiles",
  "masking",
  "leakCheck.domains",
  "leakCheck.maxSearches",
  "leakCheck.minSeverity",
  "leakCheck.ignoreFile",
  "leakCheck.include",
  "leakCheck.baseBranch"
]

/** By name without the prefix `threatExposure.`. */
export const colors: Readonly<Record<string, ColorContribution>> = { ...events.colors }

export { tools }
