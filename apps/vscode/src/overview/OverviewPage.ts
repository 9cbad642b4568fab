/** The overview as a page: numbers, charts with a table behind each, and a link on everything that is counted. */
import { severities } from "@threat-exposure/core/domain/Severity"
import { type Content, type Html, html } from "../editor/page/Html.ts"
import { severityText } from "../events/search/EventFilter.ts"
import type { EventSelection } from "../events/list/EventSelection.ts"
import { nameOfIdentifier } from "../register/RegisterEntries.ts"
import { clockTime, dayLabel, dayName } from "../words/Dates.ts"
import { capitalized, count, number, t } from "../words/Localisation.ts"
import { nameOfType } from "../words/TypeNames.ts"
import type { Overview, Tally } from "./Overview.ts"
import type { OverviewFilter } from "./OverviewFilter.ts"
import { on, type OverviewMessage } from "./OverviewMessage.ts"

/** The most that one press of the button loads. */
export interface LoadPlan {
  /** Identifiers and saved searches that can be asked. */
  readonly sources: number
  /** 0 once all of the last twelve months is loaded. */
  readonly requests: number
  /** The number of requests that cost a search of the quota. */
  readonly searches: number
}

/** The accounts that one search of credentials brought. */
export interface Accounts {
  /** The id of the search. */
  readonly search: string
  readonly name: string
  readonly found: number
  readonly hasMore: boolean
}

/** Where the numbers come from. */
export interface NumbersState {
  /**
   * The open events of the tenant; or, because it has none, what the views and the button have loaded of searches; or the
   * same, because the service does not list the events of the tenant.
   */
  readonly source: "tenant" | "searches" | "loaded"
  /** When the numbers were current, in milliseconds since 1970; undefined if they are now. */
  readonly asOf: number | undefined
  readonly isLoading: boolean
  /** How many events are loaded by now. */
  readonly loaded: number
  /** Why they are not newer, or not complete. */
  readonly problem: string | undefined
}

export interface Shown {
  readonly overview: Overview
  readonly numbers: NumbersState
  /** Milliseconds since 1970. */
  readonly now: number
  /** When the last visit ended, in ISO 8601. */
  readonly since: string | undefined
  readonly load: LoadPlan
  readonly accounts: ReadonlyArray<Accounts>
  /** The accounts of all of these searches together. */
  readonly accountsFound: number
  /** Domains whose accounts were not looked up yet. */
  readonly domains: ReadonlyArray<string>
  /** The result of the last leak check. */
  readonly check: { readonly leaked: number; readonly verdict: string; readonly isWhole: boolean } | undefined
  /** As the service last said. */
  readonly searchesLeft: number | undefined
  /** Masks names while a screen is shared. */
  readonly hide: (name: string) => string
}

export const signedOutPage = (isExpired: boolean): Html =>
  html`<p>
      ${
        isExpired
          ? t("Your sign-in has expired.")
          : t("Sign in to a threat-exposure service to see which of your data has leaked.")
      }
    </p>
    <p class="actions">
      ${action(isExpired ? t("Sign In Again") : t("Sign In"), { _tag: "Run", command: "signIn" }, "primary")}
      ${isExpired ? action(t("Switch Profile"), { _tag: "Run", command: "switchProfile" }) : undefined}
    </p>`

export const overviewPage = (shown: Shown): Html => {
  const { hide, overview } = shown
  return html`${numbersText(shown)}
    <div class="tiles">${freshTile(shown)}${accountsTile(shown)}${checkTile(shown)}${quotaTile(shown)}</div>
    ${
      overview.loaded === 0 && shown.numbers.source !== "tenant"
        ? undefined
        : html`${timeChart(overview)}
            <div class="columns">
              ${bars(
                "identifiers",
                t("By identifier"),
                overview.byIdentifier,
                overview.isPartial,
                ({ key, selection }) =>
                  hide(selection.identifier === undefined ? key : nameOfIdentifier(selection.identifier))
              )}
              ${bars("types", t("By type"), overview.byType, overview.isPartial, ({ key }) => nameOfType(key))}
              ${bars("sources", t("By source"), overview.bySource, overview.isPartial, ({ key }) => hide(key))}
              ${accountsList(shown)}
            </div>`
    }
    ${loading(shown)}`
}

/** Says above the numbers what they are, unless they are all there and of now. */
const numbersText = ({ now, numbers, overview }: Shown): Html | undefined => {
  const { asOf, isLoading, loaded, problem, source } = numbers
  const loadedText = count(loaded, "{0} event loaded so far.", "{0} events loaded so far.")
  const parts = [
    ...(asOf === undefined ? [] : [t("As of {0}.", clockTime(asOf, now))]),
    ...(problem === undefined ? [] : [problem]),
    ...(isLoading ? [asOf === undefined ? loadedText : t("Updating: {0}", loadedText)] : []),
    ...(source === "loaded" ? [t("The service does not list the events of your tenant.")] : []),
    ...(source === "tenant" || overview.loaded === 0
      ? []
      : [
          count(
            overview.loaded,
            "Counted from the {0} event loaded so far.",
            "Counted from the {0} events loaded so far."
          )
        ])
  ]
  return parts.length === 0 ? undefined : html`<p class="dim" role="status" id="numbers">${parts.join(" ")}</p>`
}

/** "40+" while not all are loaded. */
const amount = (value: number, isPartial: boolean) => `${number(value)}${isPartial ? "+" : ""}`

const action = (label: string, message: OverviewMessage, kind = "") =>
  html`<button type="button" class="action ${kind}" id="${JSON.stringify(message)}" ${on(message)}>${label}</button>`

const show = (selection: EventSelection) => on({ _tag: "Show", selection })

const tile = (
  id: string,
  {
    value,
    label,
    more,
    isAlarming = false
  }: {
    readonly value: string
    readonly label: string
    /** In full, on hover and read aloud. */
    readonly more: string
    readonly isAlarming?: boolean
  },
  message: OverviewMessage
) =>
  html`<button
    type="button"
    class="tile ${isAlarming ? "alarming" : undefined}"
    id="${id}"
    title="${more}"
    aria-label="${value} ${label}. ${more}"
    ${on(message)}
  >
    <span class="value">${value}</span> <span class="label">${label}</span>
  </button>`

const freshTile = ({ now, overview: { all, fresh, isPartial }, since }: Shown) =>
  fresh === undefined || since === undefined
    ? tile(
        "fresh",
        {
          value: amount(all.total, isPartial),
          label: count(all.total, "open event", "open events"),
          more: t("This is your first visit. From the next one, new events are counted here.")
        },
        { _tag: "Show", selection: all.selection }
      )
    : tile(
        "fresh",
        {
          value: amount(fresh.total, isPartial),
          label: t("new since {0}", clockTime(Date.parse(since), now)),
          more: t("Of the counted events, {0} arrived after your last visit.", number(fresh.total))
        },
        { _tag: "Show", selection: fresh.selection }
      )

const accountsTile = ({ accounts, accountsFound }: Shown) => {
  const latest = accounts.at(-1)
  return latest === undefined
    ? tile(
        "accounts",
        { value: "–", label: t("exposed accounts"), more: t("Search credentials to see which accounts are exposed.") },
        { _tag: "Run", command: "credentials.search" }
      )
    : tile(
        "accounts",
        {
          value: `${number(accountsFound)}${accounts.some(({ hasMore }) => hasMore) ? "+" : ""}`,
          label: count(accountsFound, "exposed account", "exposed accounts"),
          more: t("Found by your credential searches. Opens the latest.")
        },
        { _tag: "OpenAccounts", search: latest.search }
      )
}

const checkTile = ({ check }: Shown) =>
  tile(
    "check",
    check === undefined
      ? {
          value: "–",
          label: t("no leak check yet"),
          more: t("A leak check tells you whether the secrets in your files have leaked.")
        }
      : {
          // If not everything was searched, no finding does not mean zero.
          ...(check.leaked > 0 || check.isWhole
            ? {
                value: number(check.leaked),
                label: count(check.leaked, "leak in the last check", "leaks in the last check")
              }
            : { value: "–", label: check.verdict }),
          more: t("The last leak check: {0}", check.verdict),
          isAlarming: check.leaked > 0
        },
    { _tag: "Run", command: "leaks.focus" }
  )

const quotaTile = ({ searchesLeft }: Shown) =>
  tile(
    "quota",
    {
      value: searchesLeft === undefined ? "–" : number(searchesLeft),
      label: t("searches left"),
      more:
        searchesLeft === undefined
          ? t("Known after the next search.")
          : t("Your organisation's quota of searches for this month."),
      isAlarming: searchesLeft === 0
    },
    { _tag: "Run", command: "testConnection" }
  )

const severityClass = (severity: string) => severities.find((known) => known === severity) ?? "unknown"

/** "3 critical, 1 high". */
const partsText = ({ parts }: Tally) => parts.map(({ count, severity }) => `${number(count)} ${t(severity)}`).join(", ")

const timeChart = (overview: Overview) => {
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
      `${t("{0}: {1}", title, `${dayLabel(first)} – ${dayLabel(last)}`)}. ${count(all.total, "{0} event", "{0} events")}. ${partsText(all)}`,
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
              <span class="dot"></span> <b>${amount(total, isPartial)}</b> ${t(key)}
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

/** Leaves a gap after each segment of a bar, for readers who cannot distinguish the colours. In hundredths of the longest bar. */
const withGap = (length: number) => (length > 4 ? length - 1 : length)

const chartHeight = 100
const columnWidth = 10

/** One column for each tally, the most severe at the bottom. For the eye and the mouse: the table says the same. */
const columnChart = (label: string, tallies: ReadonlyArray<Tally>) => {
  const most = Math.max(1, ...tallies.map(({ total }) => total))
  const columns = tallies.map((tally, index) => {
    const x = index * columnWidth
    let top = chartHeight
    const segments = tally.parts.map(({ count, severity }) => {
      // A single event is seen beside thousands.
      const height = Math.min(top, Math.max(1.5, (count / most) * chartHeight))
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
    <span class="scale dim" aria-hidden="true">${number(most)}</span>
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
  if (filled.length === 0) return html`<p class="dim">${t("No event in this period.")}</p>`
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

/** A narrow page shows the sign of the severity in place of the word. */
const severityHeader = (severity: string) =>
  html`<th scope="col" class="${severityClass(severity)}" title="${capitalized(t(severity))}">
    <span class="dot" aria-hidden="true"></span> <span class="word">${capitalized(t(severity))}</span>
  </th>`

const countLink = (of: string, value: number, selection: EventSelection, isPartial = false) =>
  html`<button
    type="button"
    class="link"
    id="${JSON.stringify(selection)}"
    aria-label="${t("{0}: {1}", of, count(value, "{0} event", "{0} events"))}"
    ${show(selection)}
  >
    ${amount(value, isPartial)}
  </button>`

/** Shown at once; the others unfold. */
const maxBars = 6

const bars = (
  id: string,
  title: string,
  tallies: ReadonlyArray<Tally>,
  isPartial: boolean,
  nameOf: (tally: Tally) => string
) => {
  if (tallies.length === 0) return undefined
  const longest = Math.max(...tallies.map(({ total }) => total))
  const table = (part: ReadonlyArray<Tally>) =>
    html`<table class="bars" aria-labelledby="${id}">
      <tbody>
        ${part.map((tally) => barRow(tally, nameOf(tally), longest, isPartial))}
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
            ${table(rest.slice(0, 100))}
          </details>`
    }`
  )
}

const section = (id: string, title: string, content: Content) =>
  html`<section>
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`

const barRow = (tally: Tally, name: string, longest: number, isPartial: boolean) => {
  let x = 0
  const segments = tally.parts.map(({ count, severity }) => {
    const width = (count / longest) * 100
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

const accountsList = ({ accounts, domains, hide }: Shown) =>
  accounts.length + domains.length === 0
    ? undefined
    : section(
        "exposed",
        t("Exposed accounts"),
        html`<table class="bars" aria-labelledby="exposed">
            <tbody>
              ${accounts.map(
                ({ found, hasMore, name, search }) =>
                  html`<tr>
                    <th scope="row"><span title="${name}">${name}</span></th>
                    <td class="total">
                      <button
                        type="button"
                        class="link"
                        id="accounts-${search}"
                        aria-label="${t("{0}: {1}", name, count(found, "{0} account", "{0} accounts"))}"
                        ${on({ _tag: "OpenAccounts", search })}
                      >
                        ${number(found)}${hasMore ? "+" : ""}
                      </button>
                    </td>
                  </tr>`
              )}
            </tbody>
          </table>
          ${domains.map(
            (domain) =>
              html`<p>
                ${action(t("Look Up Accounts of {0}", hide(domain)), { _tag: "LookUpAccounts", domain })}
                <br />
                <span class="dim">${t("1 search of your quota")}</span>
              </p>`
          )}`
      )

const loading = ({ load, numbers: { source }, overview: { loaded } }: Shown) => {
  if (source === "tenant" && load.sources > 0) return undefined
  const said =
    loaded === 0
      ? t("No events are loaded yet.")
      : load.sources > 0 && load.requests === 0
        ? t("All events of the last 12 months are loaded.")
        : undefined
  return html`<footer>
    ${said === undefined ? undefined : html`<p class="dim">${said}</p>`}
    ${
      load.sources === 0
        ? html`<p>${t("Add an identifier to monitor, or save a search: the overview counts what they find.")}</p>
            <p class="actions">
              ${action(t("Create Identifier"), { _tag: "Run", command: "identifiers.create" }, "primary")}
              ${action(t("New Saved Search"), { _tag: "Run", command: "events.saveSearch" })}
            </p>`
        : load.requests === 0
          ? undefined
          : html`<p class="actions">
                ${action(
                  loaded === 0 ? t("Load Events") : t("Load More Events"),
                  { _tag: "Run", command: "overview.loadEvents" },
                  loaded === 0 ? "primary" : ""
                )}
              </p>
              <p class="dim">${costText(load)}</p>`
    }
  </footer>`
}

/** The cost of a load, shown before it begins. */
const costText = ({ requests, searches }: LoadPlan) =>
  searches === 0
    ? count(
        requests,
        "At most {0} request, which does not use your search quota.",
        "At most {0} requests, none of which use your search quota."
      )
    : searches === requests
      ? count(searches, "At most {0} search of your quota.", "At most {0} searches of your quota.")
      : count(
          searches,
          "At most {1} requests, {0} of which uses your search quota.",
          "At most {1} requests, {0} of which use your search quota.",
          requests
        )
