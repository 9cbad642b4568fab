import { severities } from "@threat-exposure/core/domain/Severity"
import { type Action, button, fieldOf, linkTo, menuItem, toolbarOf } from "../editor/page/DocumentHtml.ts"
import { html, type Html } from "../editor/page/Html.ts"
import type { Problem } from "../editor/Problem.ts"
import { problemHtml } from "../editor/page/ProblemHtml.ts"
import { capitalized, t } from "../words/Localisation.ts"
import type { RecordDocument, RecordItem } from "./RecordDocument.ts"
import type { RecordCommand, RecordMessage } from "./RecordMessage.ts"

export const recordHtml = (record: RecordDocument): Html => html`
  <article class="document">
    <header>
      <p class="facts">
        <span class="badge">${capitalized(record.type)}</span>
        ${record.states.map((state) => html`<span class="dim">${state}</span>`)}
      </p>
      <h1>${record.title}</h1>
    </header>
    ${toolbarOf(
      record.commands.map((command, index) =>
        action(labelOf(command), { _tag: "Run", command }, index === 0 ? "primary" : "")
      ),
      [inMenu(t("Copy ID"), { _tag: "Copy", what: "id" }), inMenu(t("Copy as JSON"), { _tag: "Copy", what: "json" })]
    )}
    <section aria-labelledby="summary">
      <h2 id="summary" class="hidden">${t("Summary")}</h2>
      <dl class="fields">
        ${record.fields.map(({ label, to, value }) =>
          fieldOf(label, to === undefined ? value : link(value, { _tag: "Open", ...to }))
        )}
      </dl>
    </section>
    ${record.lists.map(
      ({ heading, items, note }, index) =>
        html`<section aria-labelledby="${`list-${index}`}">
          <h2 id="${`list-${index}`}">${heading}</h2>
          ${
            items.length === 0
              ? undefined
              : html`<ul class="related">
                  ${items.slice(0, maxItems).map(itemOf)}
                </ul>`
          }
          ${items.length > maxItems ? html`<p class="dim">${t("Only the first {0} are shown.", maxItems)}</p>` : undefined}
          ${note === undefined ? undefined : html`<p class="dim">${note}</p>`}
        </section>`
    )}
  </article>
`

export const loadingHtml = (): Html =>
  html`<article class="document">
    <p role="status" class="waiting">${t("Loading…")} ${action(t("Cancel"), { _tag: "Cancel" })}</p>
  </article>`

export const failedHtml = (problem: Problem): Html => html`<article class="document">${problemHtml(problem)}</article>`

/** Maximum number of rows per list. */
const maxItems = 200

const itemOf = ({ details, label, severity, to }: RecordItem): Html =>
  html`<li class="${severities.find((known) => known === severity)}">
    ${severity === undefined ? undefined : html`<span class="dot" aria-hidden="true"></span>`}
    ${link(label, "uid" in to ? { _tag: "OpenEvent", uid: to.uid } : { _tag: "Open", ...to })}
    <span class="dim">${details}</span>
  </li>`

const link = (label: string, message: RecordMessage): Html => linkTo(label, message)

const action: Action<RecordMessage> = button
const inMenu: Action<RecordMessage> = menuItem

const labelOf = (command: RecordCommand): string =>
  ({
    "identifiers.update": t("Change…"),
    "identifiers.assignPolicies": t("Assign Policies…"),
    "identifiers.group": t("Move to Group…"),
    "identifiers.enable": t("Enable"),
    "identifiers.disable": t("Disable"),
    "identifiers.delete": t("Delete…"),
    "identifiers.forget": t("Forget…"),
    "identifiers.renameGroup": t("Rename…"),
    "identifiers.deleteGroup": t("Delete…"),
    "policies.assign": t("Assign to Identifiers…"),
    "policies.update": t("Change…"),
    "policies.delete": t("Delete…"),
    "policies.forget": t("Forget"),
    "recommendations.accept": t("Accept"),
    "recommendations.reject": t("Reject"),
    "recommendations.createIdentifier": t("Create Identifier…")
  })[command]
