/** HTML of the results of a credential search, and of one credential. */
import type { Credential } from "@threat-exposure/core/domain/Credential"
import {
  type Action,
  button,
  DocumentWriter,
  linkTo,
  menuItem,
  timeOf,
  toolbarOf
} from "../editor/page/DocumentHtml.ts"
import { html, type Html, sends } from "../editor/page/Html.ts"
import type { Problem } from "../editor/Problem.ts"
import { problemHtml } from "../editor/page/ProblemHtml.ts"
import type { Reveals } from "../editor/page/PageWriter.ts"
import { masked as hidden } from "../editor/page/Secrets.ts"
import type { Listed } from "../listing/Listing.ts"
import { count, number, t } from "../words/Localisation.ts"
import { accountName, maskText } from "../words/Mask.ts"
import { type CredentialDocument, kindOf, hostsOf } from "./CredentialDocument.ts"
import type { Column, CredentialMessage, SearchValues } from "./CredentialMessage.ts"
import { searchForm, type SearchFaults } from "./CredentialSearchForm.ts"

export interface CredentialPageOptions {
  readonly now: number
  readonly masked: boolean
}

/** State of a search: progress or failure. */
export type SearchState =
  | { readonly _tag: "New" | "Ready" | "Loading" }
  /** A search from before the window reloaded that was not repeated. */
  | { readonly _tag: "NotKept" }
  | { readonly _tag: "Failed"; readonly problem: Problem }

/** Sort order and text filter of the table. */
export interface TableView {
  readonly by: Column
  readonly isDescending: boolean
  readonly filter: string
}

export const defaultView: TableView = { by: "imported", isDescending: true, filter: "" }

export interface SearchFields {
  readonly values: SearchValues
  readonly faults: SearchFaults
}

export const credentialsHtml = (
  title: string,
  { hasMore, items }: Listed<Credential>,
  state: SearchState,
  options: CredentialPageOptions,
  view: TableView,
  fields: SearchFields
): Html => html`
  <article class="document">
    <header><h1>${title}</h1></header>
    ${
      state._tag === "New"
        ? searchForm(fields.values, fields.faults)
        : html`<details id="search">
            <summary id="search-summary">${t("Change the Search")}</summary>
            ${searchForm(fields.values, fields.faults)}
          </details>`
    }
    ${stateOf(state)}
    ${
      state._tag === "New" || state._tag === "NotKept" || (items.length === 0 && state._tag !== "Ready")
        ? undefined
        : html`<p>${amountOf(items.length, hasMore)}</p>
            <div class="toolbar" role="group" aria-label="${t("Actions")}">
              ${hasMore && state._tag === "Ready" ? action(t("Load More"), { _tag: "LoadMore" }, "primary") : undefined}
              ${
                items.length === 0
                  ? undefined
                  : [
                      action(t("Export…"), { _tag: "Export" }),
                      action(t("Open as Markdown"), { _tag: "OpenText", kind: "credentials" })
                    ]
              }
            </div>
            ${items.length === 0 ? undefined : table(items, options, view)}`
    }
  </article>
`

const stateOf = (state: SearchState): Html | undefined => {
  switch (state._tag) {
    case "New":
    case "Ready":
      return undefined
    case "Loading":
      return html`<p role="status" class="waiting">
        ${t("Searching credentials…")} ${action(t("Cancel"), { _tag: "Cancel" })}
      </p>`
    case "NotKept":
      return html`<p>
          ${t("Results are not kept when the window reloads. Searching again uses one unit of quota for every hundred results.")}
        </p>
        <div class="toolbar">${action(t("Search Again"), { _tag: "Again" }, "primary")}</div>`
    case "Failed":
      return problemHtml(state.problem)
  }
}

const amountOf = (shown: number, hasMore: boolean): string =>
  shown === 0
    ? t("No credential matches.")
    : hasMore
      ? count(shown, "The first one is shown; there are more.", "The first {0} are shown; there are more.")
      : count(shown, "{0} credential matches.", "{0} credentials match.")

const sourceOf = ({ source, source_id }: Credential) => source?.name ?? source_id

const textIn = (item: Credential, column: Column): string => {
  switch (column) {
    case "account":
      return item.identity_name
    case "secret":
      return kindOf(item)
    case "source":
      return sourceOf(item)
    case "imported":
      return item.imported_at
  }
}

/**
 * Items that contain all words of the filter, in the order of the view. Stable: items that compare equal keep the order
 * of the service.
 */
export const rowsOf = (items: ReadonlyArray<Credential>, { by, filter, isDescending }: TableView) => {
  const words = filter.toLowerCase().split(/\s+/u)
  const found = items.filter((item) => {
    const text = [textIn(item, "account"), kindOf(item), sourceOf(item), ...(item.auth_domains ?? [])]
      .join("\n")
      .toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const way = isDescending ? -1 : 1
  return found.toSorted((a, b) => {
    const [x, y] = [textIn(a, by), textIn(b, by)]
    return x === y ? 0 : x < y ? -way : way
  })
}

const table = (items: ReadonlyArray<Credential>, { masked, now }: CredentialPageOptions, view: TableView): Html => {
  const found = rowsOf(items, view)
  const hasEvents = items.some(({ event_uid }) => event_uid !== null)
  const hasHosts = items.some(({ auth_domains }) => auth_domains !== undefined)
  const rows = found.slice(0, maxRows).map(
    (item) =>
      html`<tr>
        <th scope="row" class="long">${openLink(item, masked)}</th>
        <td>${item.hash === null ? undefined : html`<span aria-hidden="true">${hidden}</span> `}${kindOf(item)}</td>
        <td class="long">${sourceLink(item, masked)}</td>
        <td>${timeOf(item.imported_at, now)}</td>
        ${hasHosts ? html`<td class="long">${hostsOf(item, masked)}</td>` : undefined}
        ${hasEvents ? html`<td>${eventLink(item)}</td>` : undefined}
      </tr>`
  )
  const header = (label: string, by: Column) => sortHeader(label, by, view)
  return html`<p class="filters">
      <label for="filter">${t("Filter")}</label>
      <input type="search" id="filter" value="${view.filter}" ${sends({ _tag: "FilterResults" })} />
      ${view.filter === "" ? undefined : html`<span role="status">${t("{0} of {1}", number(found.length), number(items.length))}</span>`}
    </p>
    <div class="scrolled">
      <table class="rows">
        <caption class="hidden">
          ${t("Results of the search")}
        </caption>
        <thead>
          <tr>
            ${header(t("Account"), "account")} ${header(t("Secret"), "secret")} ${header(t("Source"), "source")}
            ${header(t("Imported"), "imported")}
            ${hasHosts ? html`<th scope="col">${t("Login domains")}</th>` : undefined}
            ${hasEvents ? html`<th scope="col">${t("Event")}</th>` : undefined}
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
    ${found.length > maxRows ? html`<p class="dim">${t("Only the first {0} are shown; export the results to see all of them.", number(maxRows))}</p>` : undefined}`
}

/** Maximum number of rows on a page. */
const maxRows = 1000

const openLink = (item: Credential, masked: boolean): Html => {
  const message: CredentialMessage = { _tag: "Open", id: item.id }
  const name = accountName(item.identity_name, masked)
  return linkTo(name, message)
}

/** A link that filters the table by the credential's source. */
const sourceLink = (item: Credential, masked: boolean): Html => {
  const name = sourceOf(item)
  const message: CredentialMessage = { _tag: "FilterResults", text: name }
  return linkTo(masked ? maskText(name) : name, message, `source-${item.id}`)
}

const eventLink = ({ event_uid: uid, id }: Credential): Html | undefined => {
  if (uid === null) return undefined
  const message: CredentialMessage = { _tag: "OpenEvent", uid }
  return linkTo(t("Open Event"), message, `event-${id}`)
}

const sortHeader = (label: string, by: Column, view: TableView): Html => {
  const message: CredentialMessage = { _tag: "Sort", by }
  const isSorted = view.by === by
  const order = view.isDescending ? "descending" : "ascending"
  return html`<th scope="col" ${isSorted ? html`aria-sort="${order}"` : undefined}>
    ${linkTo([label, isSorted ? arrow(view.isDescending ? " ↓" : " ↑") : undefined], message)}
  </th>`
}

export interface OneCredential {
  readonly item: Credential
  readonly document: CredentialDocument
  readonly previous: Credential | undefined
  readonly next: Credential | undefined
}

export const credentialHtml = (
  { document, item, next, previous }: OneCredential,
  { masked, now, reveals }: CredentialPageOptions & { readonly reveals: Reveals }
): Html => {
  const write = new DocumentWriter(reveals, [], now)
  const { event_uid: uid } = item
  return html`
    <article class="document">
      <nav class="steps" aria-label="${t("Results of the search")}">
        ${step("previous", html`${arrow("←")} ${t("Previous")}`, previous, masked)}
        ${step("next", html`${t("Next")} ${arrow("→")}`, next, masked)}
      </nav>
      <header>
        <p class="facts">
          <span class="badge">${t("Credential")}</span>
          <span class="dim">${timeOf(item.imported_at, now)}</span>
        </p>
        <h1>${document.account}</h1>
      </header>
      ${toolbarOf(
        [
          uid === null ? undefined : action(t("Open Event"), { _tag: "OpenEvent", uid }, "primary"),
          action(t("Show All Results"), { _tag: "OpenResults" }),
          /@/u.test(item.identity_name) ? action(t("Search This Account"), { _tag: "SearchAccount" }) : undefined
        ],
        [
          inMenu(t("Copy Account"), { _tag: "Copy", what: "account" }),
          inMenu(t("Copy as JSON"), { _tag: "Copy", what: "json" }),
          inMenu(t("Open as Markdown"), { _tag: "OpenText", kind: "credential" }),
          inMenu(t("Open as JSON"), { _tag: "OpenText", kind: "credentialJson" })
        ]
      )}
      ${document.sections.map((section, index) => write.section(section, `section-${index}`))}
    </article>
  `
}

/** The page of a credential whose search is no longer known. */
export const goneHtml = (): Html => html`
  <article class="document">
    <header><h1>${t("Credential")}</h1></header>
    <p>${t("This search is no longer available. Search again.")}</p>
    <div class="toolbar">${action(t("Show All Results"), { _tag: "OpenResults" }, "primary")}</div>
  </article>
`

const action: Action<CredentialMessage> = button
const inMenu: Action<CredentialMessage> = menuItem

const arrow = (sign: string) => html`<span aria-hidden="true">${sign}</span>`

const step = (id: string, label: Html, to: Credential | undefined, masked: boolean) => {
  if (to === undefined) return html`<button type="button" class="action" id="${id}" disabled>${label}</button>`
  const message: CredentialMessage = { _tag: "Open", id: to.id }
  return html`<button
    type="button"
    class="action"
    id="${id}"
    title="${accountName(to.identity_name, masked)}"
    ${sends(message)}
  >
    ${label}
  </button>`
}
