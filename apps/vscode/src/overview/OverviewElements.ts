/** Elements that all parts of the overview share: sections, buttons and links to events. */
import { severities } from "@threat-exposure/core/domain/Severity"
import { type Content, html } from "../editor/page/Html.ts"
import type { EventSelection } from "../events/list/EventSelection.ts"
import { count, number, t } from "../words/Localisation.ts"
import type { Tally } from "./Overview.ts"
import { on, type OverviewMessage } from "./OverviewMessage.ts"

export const section = (id: string, title: string, content: Content) =>
  html`<section>
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`

export const action = (label: string, message: OverviewMessage, kind = "") =>
  html`<button type="button" class="action ${kind}" id="${JSON.stringify(message)}" ${on(message)}>${label}</button>`

export const show = (selection: EventSelection) => on({ _tag: "Show", selection })

/** A number, with "+" if not all events are loaded. */
export const amount = (value: number, isPartial: boolean) => `${number(value)}${isPartial ? "+" : ""}`

/** The same for screen readers, with what is counted. */
export const eventsText = (value: number, isPartial: boolean): string =>
  isPartial ? t("{0}+ events", number(value)) : count(value, "{0} event", "{0} events")

export const countLink = (of: string, value: number, selection: EventSelection, isPartial = false) =>
  html`<button
    type="button"
    class="link"
    id="${JSON.stringify(selection)}"
    aria-label="${t("{0}: {1}", of, eventsText(value, isPartial))}"
    ${show(selection)}
  >
    ${amount(value, isPartial)}
  </button>`

export const severityClass = (severity: string) => severities.find((known) => known === severity) ?? "unknown"

/** Counts by severity, such as "critical 3, high 1". The number is last, because adjectives before it have plural forms. */
export const partsText = ({ parts }: Tally) =>
  parts.map(({ count, severity }) => `${t(severity)} ${number(count)}`).join(", ")

/**
 * Shortens a segment, so that gaps separate segments for people who cannot distinguish the colours. The unit is a
 * hundredth of the longest bar.
 */
export const withGap = (length: number) => (length > 4 ? length - 1 : length)
