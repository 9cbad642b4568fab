/** Tallies as a table with bars, largest first: by identifier, type or source. */
import { html } from "../editor/page/Html.ts"
import { number, t } from "../words/Localisation.ts"
import type { Tally } from "./Overview.ts"
import { countLink, partsText, section, severityClass, show, withGap } from "./OverviewElements.ts"

/** Number of bars that are visible at first; the others are collapsed. */
const maxBars = 6
/** Maximum number of collapsed bars. */
const maxRest = 100

export const bars = (
  id: string,
  title: string,
  tallies: ReadonlyArray<Tally>,
  isPartial: boolean,
  nameOf: (tally: Tally) => string
) => {
  if (tallies.length === 0) return undefined
  const maxTotal = Math.max(...tallies.map(({ total }) => total))
  const table = (part: ReadonlyArray<Tally>) =>
    html`<table class="bars" aria-labelledby="${id}">
      <tbody>
        ${part.map((tally) => barRow(tally, nameOf(tally), maxTotal, isPartial))}
      </tbody>
    </table>`
  const rest = tallies.slice(maxBars)
  return section(
    id,
    title,
    html`${table(tallies.slice(0, maxBars))}
    ${
      rest.length === 0
        ? undefined
        : html`<details id="${id}-rest">
            <summary id="${id}-rest-summary">${t("{0} more", number(rest.length))}</summary>
            ${table(rest.slice(0, maxRest))}
            ${rest.length > maxRest ? html`<p class="dim">${t("Only the first {0} are shown.", maxRest)}</p>` : undefined}
          </details>`
    }`
  )
}

const barRow = (tally: Tally, name: string, maxTotal: number, isPartial: boolean) => {
  let x = 0
  const segments = tally.parts.map(({ count, severity }) => {
    const width = (count / maxTotal) * 100
    x += width
    return html`<rect
      class="segment ${severityClass(severity)}"
      x="${(x - width).toFixed(2)}"
      y="0"
      width="${withGap(width).toFixed(2)}"
      height="10"
      ${show({ ...tally.selection, severities: [severity] })}
    >
      <title>${number(count)} ${t(severity)}</title>
    </rect>`
  })
  return html`<tr>
    <th scope="row"><span title="${name}">${name}</span></th>
    <td class="bar" aria-hidden="true">
      <svg viewBox="0 0 100 10" preserveAspectRatio="none">${segments}</svg>
    </td>
    <td class="total">${countLink(`${name}, ${partsText(tally)}`, tally.total, tally.selection, isPartial)}</td>
  </tr>`
}
