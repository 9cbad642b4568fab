/** How an event reads in one row. */
import type { ReportedSeverity } from "@threat-exposure/core/domain/Severity"
import type { Icon, Row } from "../editor/Row.ts"
import { ageOf, localTime, shortAge } from "../words/Dates.ts"
import { t } from "../words/Localisation.ts"
import { maskText } from "../words/Mask.ts"
import { nameOfType } from "../words/TypeNames.ts"
import { type AnyEvent, severityOf, titleOf, webAddress } from "./AnyEvent.ts"
import { plain, truncate } from "./HighlightedText.ts"

const icons: Readonly<Record<string, Icon>> = {
  critical: { id: "flame", color: "threatExposure.severityCritical" },
  high: { id: "error", color: "threatExposure.severityHigh" },
  medium: { id: "warning", color: "threatExposure.severityMedium" },
  low: { id: "info", color: "threatExposure.severityLow" },
  info: { id: "circle-outline", color: "threatExposure.severityInfo" }
}

export const severityIcon = (severity: ReportedSeverity): Icon => icons[severity] ?? { id: "question" }

/** So long that the age beside it can be read in a sidebar as wide as the editor makes it, which is 300 pixels. */
const labelLength = 22

export const eventRow = (
  event: AnyEvent,
  options: { readonly id: string; readonly now: number; readonly masked: boolean; readonly isNew: boolean }
): Row => {
  const { metadata, tenant_metadata } = event
  const severity = severityOf(event)
  const title = titleOf(event)
  const label = truncate(options.masked ? plain(maskText(title.text)) : title, labelLength)
  const shown = options.masked ? plain(maskText(title.text)) : title
  const age = ageOf(metadata.estimated_created_at, options.now)
  const state =
    tenant_metadata.remediated_at !== undefined
      ? t("remediated")
      : tenant_metadata.ignored_at !== undefined
        ? t("ignored")
        : undefined
  const parts = [shortAge(metadata.estimated_created_at, options.now), options.isNew ? t("new") : undefined, state]
  return {
    id: options.id,
    label: label.text,
    highlights: label.ranges,
    description: parts.filter((part) => part !== undefined && part !== "").join(" · "),
    tooltip: () =>
      [
        shown.text,
        `${t(severity)} · ${nameOfType(metadata.type)}`,
        ...(metadata.estimated_created_at === null ? [] : [t("Seen {0}", localTime(metadata.estimated_created_at))]),
        ...("identifiers" in event && event.identifiers.length > 0 && !options.masked
          ? [t("Identifiers: {0}", event.identifiers.map(({ name }) => name).join(", "))]
          : []),
        ...(tenant_metadata.tags.length > 0 ? [t("Tags: {0}", tenant_metadata.tags.join(", "))] : []),
        metadata.uid
      ].join("\n"),
    icon: state === undefined ? severityIcon(severity) : { ...severityIcon(severity), color: "disabledForeground" },
    isDimmed: state !== undefined,
    state: "leaf",
    kinds: ["event", "copyable", ...(webAddress(metadata.svc_url) === undefined ? [] : ["linked"])],
    command: { name: "events.openPage", title: t("Open Event"), args: [metadata.uid] },
    accessibleLabel: [
      t(severity),
      options.isNew ? t("new") : undefined,
      nameOfType(metadata.type),
      shown.text,
      age,
      state
    ]
      .filter((part) => part !== undefined && part !== "")
      .join(", ")
  }
}
