/** The end of the overview: events that are not loaded yet, the button that loads them, and its cost. */
import { html } from "../editor/page/Html.ts"
import { count, t } from "../words/Localisation.ts"
import { action } from "./OverviewElements.ts"
import type { LoadPlan, OverviewContent } from "./OverviewContent.ts"

export const loading = ({ load, numbers: { source }, overview: { loaded } }: OverviewContent) => {
  if (source === "tenant" && load.sources > 0) return undefined
  const said =
    source === "tenant"
      ? undefined
      : loaded === 0
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
