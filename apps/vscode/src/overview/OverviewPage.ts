/** Renders the overview: numbers, charts with equivalent tables, and links to all counted events. */
import { type Html, html } from "../editor/page/Html.ts"
import { nameOfIdentifier } from "../register/RegisterEntries.ts"
import { clockTime } from "../words/Dates.ts"
import { count, number, t } from "../words/Localisation.ts"
import { nameOfType } from "../words/TypeNames.ts"
import { bars } from "./OverviewBars.ts"
import type { OverviewContent } from "./OverviewContent.ts"
import { action, section } from "./OverviewElements.ts"
import { loading } from "./OverviewLoading.ts"
import { on } from "./OverviewMessage.ts"
import { accountsTile, checkTile, freshTile, quotaTile } from "./OverviewTiles.ts"
import { timeChart } from "./OverviewTime.ts"

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
      ${
        isExpired
          ? action(t("Switch Profile"), { _tag: "Run", command: "switchProfile" })
          : action(t("Try with Sample Data"), { _tag: "Run", command: "trySample" })
      }
    </p>`

export const overviewPage = (shown: OverviewContent): Html => {
  const { hide, overview } = shown
  return html`${numbersText(shown)}
    <div class="tiles">${freshTile(shown)}${accountsTile(shown)}${checkTile(shown)}${quotaTile(shown)}</div>
    ${
      overview.loaded === 0 && (shown.numbers.source !== "tenant" || overview.isPartial)
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

/** A note above the numbers if they are incomplete or old, or if their source needs explanation. */
const numbersText = ({ now, numbers, overview }: OverviewContent): Html | undefined => {
  const { asOf, isLoading, loaded, problem, source } = numbers
  const loadedText = count(loaded, "{0} event loaded so far.", "{0} events loaded so far.")
  const parts = [
    ...(asOf === undefined ? [] : [t("As of {0}.", clockTime(asOf, now))]),
    ...(problem === undefined ? [] : [problem]),
    ...(isLoading
      ? [asOf !== undefined ? t("Updating: {0}", loadedText) : loaded > 0 ? loadedText : t("Loading…")]
      : []),
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

const accountsList = ({ accounts, domains, hide }: OverviewContent) =>
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
                        aria-label="${t("{0}: {1}", name, hasMore ? t("{0}+ accounts", number(found)) : count(found, "{0} account", "{0} accounts"))}"
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
