import type { ReportedSeverity } from "@threat-exposure/core/domain/Severity"
import type { Icon, Row } from "../../editor/tree/Row.ts"
import { nameOfIdentifier } from "../../register/RegisterEntries.ts"
import { ageOf, localTime, shortAge } from "../../words/Dates.ts"
import { t } from "../../words/Localisation.ts"
import { nameOfType } from "../../words/TypeNames.ts"
import { type AnyEvent, givenTitleOf, severityOf, stateOf, titleOf, webAddress } from "../AnyEvent.ts"

/** Diamond, hexagon, triangle, disc and ring, as on pages. */
const icons: Readonly<Record<string, Icon>> = {
  critical: { id: "debug-breakpoint-log", color: "threatExposure.severityCritical" },
  high: { id: "debug-breakpoint-data", color: "threatExposure.severityHigh" },
  medium: { id: "triangle-up", color: "threatExposure.severityMedium" },
  low: { id: "circle-filled", color: "threatExposure.severityLow" },
  info: { id: "circle-outline", color: "threatExposure.severityInfo" }
}

export const severityIcon = (severity: ReportedSeverity): Icon => icons[severity] ?? { id: "question" }

/**
 * The age comes first, because the editor truncates a row at its end, which in a narrow sidebar is in the middle of
 * most titles.
 */
export const agePrefix = (timestamp: string | null, now: number): string => {
  const age = shortAge(timestamp, now)
  return age === "" ? "" : `${age} · `
}

/** Kinds for the conditions of menus. */
export const kindsOfState = (events: ReadonlyArray<AnyEvent>): ReadonlyArray<string> => {
  const isOpen = events.some((event) => stateOf(event) === "open")
  return [
    "triage",
    ...(isOpen ? ["openEvent"] : []),
    ...(events.every((event) => stateOf(event) === "open") ? [] : ["closedEvent"])
  ]
}

export const eventRow = (
  event: AnyEvent,
  options: { readonly id: string; readonly now: number; readonly masked: boolean; readonly isNew: boolean }
): Row => {
  const { metadata, tenant_metadata } = event
  const severity = severityOf(event)
  const type = nameOfType(metadata.type)
  const shown = titleOf(event, options.masked)
  const age = ageOf(metadata.estimated_created_at, options.now)
  const state = stateOf(event) === "open" ? undefined : t(stateOf(event))
  const start = agePrefix(metadata.estimated_created_at, options.now)
  return {
    id: options.id,
    label: start + shown.text,
    highlights: shown.ranges.map(([from, to]) => [from + start.length, to + start.length]),
    description: [options.isNew ? t("new") : undefined, state].filter(isSaid).join(" · "),
    tooltip: () =>
      [
        shown.text,
        [t(severity), type].filter(isSaid).join(" · "),
        ...(metadata.estimated_created_at === null ? [] : [t("Seen {0}", localTime(metadata.estimated_created_at))]),
        ...("identifiers" in event && event.identifiers.length > 0 && !options.masked
          ? [t("Identifiers: {0}", event.identifiers.map(nameOfIdentifier).join(", "))]
          : []),
        ...(tenant_metadata.tags.length > 0 ? [t("Tags: {0}", tenant_metadata.tags.join(", "))] : []),
        metadata.uid
      ]
        .filter(isSaid)
        .join("\n"),
    icon: state === undefined ? severityIcon(severity) : { ...severityIcon(severity), color: "disabledForeground" },
    isDimmed: state !== undefined,
    state: "leaf",
    kinds: [
      "event",
      "copyable",
      ...kindsOfState([event]),
      ...(webAddress(metadata.svc_url) === undefined ? [] : ["linked"])
    ],
    command: { name: "events.openPage", title: t("Open Event"), args: [metadata.uid] },
    accessibleLabel: [
      t(severity),
      options.isNew ? t("new") : undefined,
      givenTitleOf(event) === undefined ? undefined : type,
      shown.text,
      age,
      state
    ]
      .filter(isSaid)
      .join(", ")
  }
}

export const isSaid = (part: string | undefined): part is string => part !== undefined && part !== ""
