/** Events over time: chart, filters and legend, and an equivalent table. */
import { severities } from "@threat-exposure/core/domain/Severity"
import { html } from "../editor/page/Html.ts"
import { severityText } from "../events/search/EventFilter.ts"
import { dayLabel, dayName } from "../words/Dates.ts"
import { capitalized, count, number, t } from "../words/Localisation.ts"
import type { Overview, Tally } from "./Overview.ts"
import { amount, countLink, eventsText, partsText, severityClass, show, withGap } from "./OverviewElements.ts"
import type { OverviewFilter } from "./OverviewFilter.ts"
import { on } from "./OverviewMessage.ts"

export const timeChart = (overview: Overview) => {
  const { all, bySeverity, byTime, filter, isPartial } = overview
  const title = filter.period === "days" ? t("Events per day") : t("Events per month")
  const first = byTime[0]?.key ?? ""
  const last = byTime.at(-1)?.key ?? ""
  const middle = byTime[Math.floor(byTime.length / 2)]?.key ?? ""
  return html`<section>
    <h2 id="time">${title}</h2>
    <div class="filters">
      ${choice(t("Period"), "period", [
        [t("30 days"), { ...filter, period: "days" }, filter.period === "days"],
        [t("12 months"), { ...filter, period: "months" }, filter.period === "months"]
      ])}
      ${choice(
        t("Severity"),
        "severity",
        severities.map((severity) => [
          severity === "info" ? t("All severities") : capitalized(severityText(severity)),
          { ...filter, severity },
          filter.severity === severity
        ])
      )}
    </div>
    ${columnChart(
      `${t("{0}: {1}", title, `${dayLabel(first)} – ${dayLabel(last)}`)}. ${eventsText(all.total, isPartial)}. ${partsText(all)}`,
      byTime
    )}
    <div class="axis dim" aria-hidden="true">
      <span>${dayLabel(first)}</span><span>${dayLabel(middle)}</span><span>${dayLabel(last)}</span>
    </div>
    <ul class="legend" aria-label="${t("By severity")}">
      <li>
        <button type="button" class="chip" id="all" ${show(all.selection)}>
          <b>${amount(all.total, isPartial)}</b> ${
            filter.period === "days"
              ? count(all.total, "open event in 30 days", "open events in 30 days")
              : count(all.total, "open event in 12 months", "open events in 12 months")
          }
        </button>
      </li>
      ${bySeverity.map(
        ({ key, selection, total }) =>
          html`<li>
            <button type="button" class="chip ${severityClass(key)}" id="severity-${key}" ${show(selection)}>
              <span class="dot"></span> ${t(key)} <b>${amount(total, isPartial)}</b>
            </button>
          </li>`
      )}
    </ul>
    ${timeTable(title, overview)}
  </section>`
}

const choice = (
  label: string,
  id: string,
  options: ReadonlyArray<readonly [label: string, filter: OverviewFilter, isChosen: boolean]>
) =>
  html`<select id="${id}" aria-label="${label}">
    ${options.map(
      ([label, filter, isChosen]) =>
        html`<option ${on({ _tag: "Filter", filter })} ${isChosen ? html`selected` : undefined}>${label}</option>`
    )}
  </select>`

const chartHeight = 100
const columnWidth = 10

/** A stacked column per tally, the highest severity at the bottom. For screen readers, the table has the same data. */
const columnChart = (label: string, tallies: ReadonlyArray<Tally>) => {
  const highest = Math.max(0, ...tallies.map(({ total }) => total))
  const columns = tallies.map((tally, index) => {
    const x = index * columnWidth
    let top = chartHeight
    const segments = tally.parts.map(({ count, severity }) => {
      // At least 1.5 units high, so that a single event is visible next to thousands.
      const height = Math.min(top, Math.max(1.5, (count / highest) * chartHeight))
      top -= height
      const drawn = withGap(height)
      return html`<rect
        class="segment ${severityClass(severity)}"
        x="${x + 1}"
        y="${(top + height - drawn).toFixed(2)}"
        width="${columnWidth - 2}"
        height="${drawn.toFixed(2)}"
        ${show({ ...tally.selection, severities: [severity] })}
      />`
    })
    return html`<g class="column" ${tally.total === 0 ? undefined : show(tally.selection)}>
      <title>${t("{0}: {1}", timeName(tally.key), tally.total === 0 ? t("no events") : partsText(tally))}</title>
      <rect class="space" x="${x}" y="0" width="${columnWidth}" height="${chartHeight}" />
      ${segments}
    </g>`
  })
  return html`<div class="chart">
    <span class="scale dim" aria-hidden="true">${number(highest)}</span>
    <svg
      role="img"
      aria-label="${label}"
      viewBox="0 0 ${tallies.length * columnWidth} ${chartHeight}"
      preserveAspectRatio="none"
    >
      ${columns}
    </svg>
  </div>`
}

const timeName = (key: string) => (key.length === 7 ? dayLabel(key) : dayName(key))

const timeTable = (title: string, { bySeverity, byTime, filter }: Overview) => {
  const filled = byTime.filter(({ total }) => total > 0).toReversed()
  if (filled.length === 0) return undefined
  const columns = bySeverity.map(({ key }) => key)
  return html`<details id="time-table">
    <summary id="time-table-summary">${t("Show as a table")}</summary>
    <table class="numbers">
      <caption class="hidden">
        ${title}
      </caption>
      <thead>
        <tr>
          <th scope="col">${filter.period === "days" ? t("Day") : t("Month")}</th>
          <th scope="col">${t("Total")}</th>
          ${columns.map(severityHeader)}
        </tr>
      </thead>
      <tbody>
        ${filled.map(
          (tally) =>
            html`<tr>
              <th scope="row">${dayLabel(tally.key)}</th>
              <td>${countLink(timeName(tally.key), tally.total, tally.selection)}</td>
              ${columns.map((severity) => {
                const part = tally.parts.find((each) => each.severity === severity)
                return part === undefined
                  ? html`<td class="dim">0</td>`
                  : html`<td>
                      ${countLink(`${timeName(tally.key)}, ${t(severity)}`, part.count, {
                        ...tally.selection,
                        severities: [severity]
                      })}
                    </td>`
              })}
            </tr>`
        )}
      </tbody>
    </table>
  </details>`
}

/** A narrow page shows the symbol of the severity instead of the word. */
const severityHeader = (severity: string) =>
  html`<th scope="col" class="${severityClass(severity)}" title="${capitalized(t(severity))}">
    <span class="dot" aria-hidden="true"></span> <span class="word">${capitalized(t(severity))}</span>
  </th>`
