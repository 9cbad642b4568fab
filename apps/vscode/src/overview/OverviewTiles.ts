/** Tiles at the top of the overview: each shows a number and links to the counted items. */
import { html } from "../editor/page/Html.ts"
import { clockTime } from "../words/Dates.ts"
import { count, number, t } from "../words/Localisation.ts"
import { amount } from "./OverviewElements.ts"
import { on, type OverviewMessage } from "./OverviewMessage.ts"
import type { OverviewContent } from "./OverviewContent.ts"

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
    /** Full text for the tooltip and for screen readers. */
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

/** An unknown number takes the plural. */
const many = 2

export const freshTile = ({ load, now, numbers, overview, since }: OverviewContent) => {
  const { all, fresh, isPartial, loaded } = overview
  const asksNobody = numbers.source === "loaded" && load.sources === 0
  const isUnknown = loaded === 0 && (isPartial || asksNobody)
  const valueOf = (total: number) => (isUnknown ? "–" : amount(total, isPartial))
  return fresh === undefined || since === undefined
    ? tile(
        "fresh",
        {
          value: valueOf(all.total),
          label: count(isUnknown ? many : all.total, "open event", "open events"),
          more: t("This is your first visit. From the next one, new events are counted here.")
        },
        { _tag: "Show", selection: all.selection }
      )
    : tile(
        "fresh",
        {
          value: valueOf(fresh.total),
          label: count(
            isUnknown ? many : fresh.total,
            "new event since {1}",
            "new events since {1}",
            clockTime(Date.parse(since), now)
          ),
          more: t("Of the counted events, {0} arrived after your last visit.", number(fresh.total))
        },
        { _tag: "Show", selection: fresh.selection }
      )
}

export const accountsTile = ({ accounts, accountsFound }: OverviewContent) => {
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

export const checkTile = ({ check }: OverviewContent) =>
  tile(
    "check",
    check === undefined
      ? {
          value: "–",
          label: t("no leak check yet"),
          more: t("A leak check tells you whether the secrets in your files have leaked.")
        }
      : {
          // Without findings, show 0 only if everything was searched.
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

export const quotaTile = ({ searchesLeft }: OverviewContent) =>
  tile(
    "quota",
    {
      value: searchesLeft === undefined ? "–" : number(searchesLeft),
      label: count(searchesLeft ?? many, "search left", "searches left"),
      more:
        searchesLeft === undefined
          ? t("Known after the next search.")
          : t("Your organisation's quota of searches for this month."),
      isAlarming: searchesLeft === 0
    },
    { _tag: "Run", command: "testConnection" }
  )
