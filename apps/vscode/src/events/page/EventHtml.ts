import { severities } from "@threat-exposure/core/domain/Severity"
import {
  type Action,
  button,
  DocumentWriter,
  fieldOf,
  linkTo,
  menuItem,
  timeOf,
  toolbarOf
} from "../../editor/page/DocumentHtml.ts"
import { html, type Html } from "../../editor/page/Html.ts"
import type { Problem } from "../../editor/Problem.ts"
import { problemHtml } from "../../editor/page/ProblemHtml.ts"
import type { Reveals } from "../../editor/page/PageWriter.ts"
import { localTime } from "../../words/Dates.ts"
import { count, number, t } from "../../words/Localisation.ts"
import { maskText } from "../../words/Mask.ts"
import { type AnyEvent, severityOf, titleOf, webAddress } from "../AnyEvent.ts"
import type { AdviceStep } from "./EventAdvice.ts"
import type { EventDocument } from "./EventDocument.ts"
import { severityText, typesText } from "./EventMarkdown.ts"
import { type EventMessage, on } from "./EventMessage.ts"
import type { EventNeighbours } from "./EventNeighbours.ts"

/** Fields of an event that are known before it is loaded completely. */
export type EventHead = Pick<EventDocument, "uid" | "title" | "types" | "severity" | "reported" | "seenAt">

export interface EventPageOptions {
  readonly now: number
  readonly masked: boolean
  readonly neighbours: EventNeighbours
}

export const eventHtml = (
  event: EventDocument,
  options: EventPageOptions & {
    readonly reveals: Reveals
    readonly terms: ReadonlyArray<string>
    readonly advice: ReadonlyArray<AdviceStep>
  }
): Html => {
  const { now } = options
  const write = new DocumentWriter(options.reveals, options.terms, now)
  const isLinked = webAddress(event.link ?? undefined) !== undefined
  // Render in document order, because secrets are numbered in this order.
  const tenant = event.tenant.map((section, index) => write.section(section, `tenant-${index}`))
  const details = event.details.map((section, index) => write.section(section, `details-${index}`))
  return page(
    event,
    options,
    html`
      ${toolbarOf(
        isOpen(event.state)
          ? [action(t("Mark as Remediated"), { _tag: "Run", command: "events.remediate" }, "primary")]
          : [action(t("Reopen"), { _tag: "Run", command: "events.reopen" }, "primary")],
        menuOf(event.state, isLinked)
      )}
      <section aria-labelledby="summary">
        <h2 id="summary" class="hidden">${t("Summary")}</h2>
        <dl class="fields">
          ${event.severity === event.reported ? undefined : fieldOf(t("Severity"), severityText(event))}
          ${event.state === undefined ? undefined : fieldOf(t("State"), t(event.state))}
          ${event.seenAt === null ? undefined : fieldOf(t("Seen"), localTime(event.seenAt))}
          ${event.matchedAt === null ? undefined : fieldOf(t("Matched"), write.time(event.matchedAt))}
          ${fieldOf(t("Source"), sourceLink(options.masked ? maskText(event.source) : event.source, options.neighbours))}
          ${fieldOf(t("UID"), html`<code>${options.masked ? maskText(event.uid) : event.uid}</code>`)}
        </dl>
      </section>
      ${adviceHtml(options.advice)}
      ${
        tenant.length === 0
          ? undefined
          : html`<section aria-labelledby="tenant">
              <h2 id="tenant">${t("In your tenant")}</h2>
              ${tenant}
            </section>`
      }
      <section aria-labelledby="details">
        <h2 id="details">${t("Details")}</h2>
        ${event.faults.length === 0 ? undefined : html`<p class="dim">${t("Fields that do not match the specification: {0}.", event.faults.join("; "))}</p>`}
        ${details}
        ${
          event.absent.length === 0
            ? undefined
            : html`<details id="absent" class="dim">
                <summary id="absent-summary">
                  ${count(event.absent.length, "{0} field without a value", "{0} fields without a value")}
                </summary>
                <p>${event.absent.join(", ")}</p>
              </details>`
        }
      </section>
    `
  )
}

/** A link if other events of the source are loaded, otherwise plain text. */
const sourceLink = (source: string, { sourceTotal }: EventNeighbours): Html | string =>
  sourceTotal === 0 ? source : link(source, { _tag: "ShowSource" }, "source")

const adviceHtml = (steps: ReadonlyArray<AdviceStep>): Html | undefined =>
  steps.length === 0
    ? undefined
    : html`<section aria-labelledby="advice">
        <h2 id="advice">${t("What to do")}</h2>
        <ol class="advice">
          ${steps.map(
            (step) =>
              html`<li>
                ${step.text} ${step.link === undefined ? undefined : link(step.link.label, step.link.message)}
              </li>`
          )}
        </ol>
      </section>`

/** The page while the event loads, with the fields that a search returned. */
export const loadingHtml = (head: EventHead, options: EventPageOptions): Html =>
  page(
    head,
    options,
    html`<p role="status" class="waiting">${t("Loading the event…")} ${action(t("Cancel"), { _tag: "Cancel" })}</p>`
  )

export const failedHtml = (head: EventHead, options: EventPageOptions, problem: Problem): Html =>
  page(head, options, problemHtml(problem))

const page = (head: EventHead, { masked, neighbours, now }: EventPageOptions, body: Html): Html => {
  const { newer, older, ofSource, sourceTotal } = neighbours
  const titled = (event: AnyEvent) => titleOf(event, masked).text
  return html`
    <article class="document">
      <nav class="steps" aria-label="${t("Loaded events, by time")}">
        ${step("previous", html`${arrow("←")} ${t("Previous")}`, newer === undefined ? undefined : [newer, t("Newer: {0}", titled(newer))])}
        ${step("next", html`${t("Next")} ${arrow("→")}`, older === undefined ? undefined : [older, t("Older: {0}", titled(older))])}
      </nav>
      <header class="${severityClass(head.severity)}">
        <p class="facts">
          ${head.severity === "" ? undefined : html`<span class="badge">${t(head.severity)}</span>`}
          <span>${typesText(head.types)}</span>
          ${head.seenAt === null ? undefined : html`<span class="dim">${timeOf(head.seenAt, now)}</span>`}
        </p>
        <h1>${head.title}</h1>
      </header>
      ${body} ${related(ofSource, sourceTotal, masked, now)}
    </article>
  `
}

const related = (events: ReadonlyArray<AnyEvent>, total: number, masked: boolean, now: number): Html | undefined => {
  if (events.length === 0) return undefined
  const rows = events.map(
    (event) =>
      html`<li class="${severityClass(severityOf(event))}">
        <span class="dot" aria-hidden="true"></span> <span class="hidden">${t(severityOf(event))}</span>
        ${link(titleOf(event, masked).text, { _tag: "GoTo", uid: event.metadata.uid })}
        <span class="dim">${timeOf(event.metadata.estimated_created_at ?? "", now)}</span>
      </li>`
  )
  const all = t("Show all {0} loaded events of this source", number(total + 1))
  return html`<section aria-labelledby="related">
    <h2 id="related">${t("More from this source")}</h2>
    <ul class="related">
      ${rows}
    </ul>
    ${total > events.length ? link(all, { _tag: "ShowSource" }) : undefined}
  </section>`
}

const link = (label: string, message: EventMessage, id?: string) => linkTo(label, message, id)

/** Only known severities become a CSS class: an arbitrary one would let the service choose the class. */
const severityClass = (severity: string) => severities.find((known) => known === severity)

const isOpen = (state: EventDocument["state"]) => state === "open" || state === undefined

const menuOf = (state: EventDocument["state"], isLinked: boolean): ReadonlyArray<Html> => [
  ...(isOpen(state) ? [inMenu(t("Ignore"), { _tag: "Run", command: "events.ignore" })] : []),
  inMenu(t("Severity…"), { _tag: "Run", command: "events.setSeverity" }),
  inMenu(t("Tags…"), { _tag: "Run", command: "events.tag" }),
  inMenu(t("Note…"), { _tag: "Run", command: "events.note" }),
  ...(isLinked ? [inMenu(t("Open in Browser"), { _tag: "OpenInBrowser" })] : []),
  inMenu(t("Copy UID"), { _tag: "Copy", what: "uid" }),
  ...(isLinked ? [inMenu(t("Copy Link"), { _tag: "Copy", what: "link" })] : []),
  inMenu(t("Copy as JSON"), { _tag: "Copy", what: "json" }),
  inMenu(t("Open as Markdown"), { _tag: "Run", command: "events.openMarkdown" }),
  inMenu(t("Open as JSON"), { _tag: "Run", command: "events.openJson" })
]

const action: Action<EventMessage> = button
const inMenu: Action<EventMessage> = menuItem

const arrow = (sign: string) => html`<span aria-hidden="true">${sign}</span>`

const step = (id: string, label: Html, to: readonly [AnyEvent, string] | undefined) =>
  to === undefined
    ? html`<button type="button" class="action" id="${id}" disabled>${label}</button>`
    : html`<button
        type="button"
        class="action"
        id="${id}"
        title="${to[1]}"
        ${on({ _tag: "GoTo", uid: to[0].metadata.uid })}
      >
        ${label}
      </button>`
