/** An event as a page in HTML. */
import { severities } from "@threat-exposure/core/domain/Severity"
import { html, type Html } from "../editor/Html.ts"
import { patternOf, type Reveals, visible } from "../editor/PageWriter.ts"
import { masked as hidden } from "../editor/Secrets.ts"
import { ageOf, localTime } from "../words/Dates.ts"
import { count, t } from "../words/Localisation.ts"
import { maskText } from "../words/Mask.ts"
import { nameOfType } from "../words/TypeNames.ts"
import { type AnyEvent, severityOf, titleOf, webAddress } from "./AnyEvent.ts"
import type { Entry, EventDocument, Passage, Section } from "./EventDocument.ts"
import { severityText } from "./EventMarkdown.ts"
import { type EventMessage, on } from "./EventMessage.ts"
import type { EventNeighbours } from "./EventNeighbours.ts"

/** What is known of an event before it has been loaded in full. */
export type EventHead = Pick<EventDocument, "uid" | "title" | "type" | "severity" | "reported" | "seenAt">

export interface EventPageOptions {
  readonly now: number
  readonly masked: boolean
  readonly neighbours: EventNeighbours
}

export const eventHtml = (
  event: EventDocument,
  options: EventPageOptions & { readonly reveals: Reveals; readonly terms: ReadonlyArray<string> }
): Html => {
  const { now } = options
  const write = new Writer(options.reveals, options.terms, now)
  const link = webAddress(event.link ?? undefined)
  // In the order of the document, which numbers the secrets.
  const tenant = event.tenant.map((section, index) => write.section(section, `tenant-${index}`))
  const details = event.details.map((section, index) => write.section(section, `details-${index}`))
  return page(
    event,
    options,
    html`
      <div class="toolbar" role="group" aria-label="${t("Actions")}">${actionsOf(link !== undefined)}</div>
      <section aria-labelledby="summary">
        <h2 id="summary" class="hidden">${t("Summary")}</h2>
        <dl class="fields">
          ${fieldOf(t("Severity"), severityText(event))}
          ${event.seenAt === null ? undefined : fieldOf(t("Seen"), write.time(event.seenAt))}
          ${event.matchedAt === null ? undefined : fieldOf(t("Matched"), write.time(event.matchedAt))}
          ${fieldOf(t("Source"), options.masked ? maskText(event.source) : visible(event.source))}
          ${fieldOf(t("UID"), html`<code>${options.masked ? maskText(event.uid) : visible(event.uid)}</code>`)}
        </dl>
      </section>
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
        ${event.faults.length === 0 ? undefined : html`<p class="dim">${t("Not as specified: {0}.", event.faults.join("; "))}</p>`}
        ${details}
        ${
          event.absent.length === 0
            ? undefined
            : html`<details id="absent" class="dim">
                <summary id="absent-summary">
                  ${count(event.absent.length, "{0} field without a value", "{0} fields without a value")}
                </summary>
                <p>${visible(event.absent.join(", "))}</p>
              </details>`
        }
      </section>
    `
  )
}

/** While the event is loaded; what a search told of it stands above. */
export const loadingHtml = (head: EventHead, options: EventPageOptions): Html =>
  page(
    head,
    options,
    html`<p role="status" class="waiting">${t("Loading the event…")} ${action(t("Cancel"), { _tag: "Cancel" })}</p>`
  )

export const failedHtml = (head: EventHead, options: EventPageOptions, message: string): Html =>
  page(
    head,
    options,
    html`<p role="alert" class="problem">${visible(message)}</p>
      <div class="toolbar">
        ${action(t("Retry"), { _tag: "Retry" }, "primary")} ${action(t("Show Log"), { _tag: "ShowLog" })}
      </div>`
  )

const page = (head: EventHead, { masked, neighbours, now }: EventPageOptions, body: Html): Html => {
  const { newer, older, ofSource, sourceTotal } = neighbours
  const titled = (event: AnyEvent) => titleText(event, masked)
  return html`
    <article class="event">
      <nav class="steps" aria-label="${t("Loaded events, by time")}">
        ${step("previous", html`${arrow("←")} ${t("Previous")}`, newer === undefined ? undefined : [newer, t("Newer: {0}", titled(newer))])}
        ${step("next", html`${t("Next")} ${arrow("→")}`, older === undefined ? undefined : [older, t("Older: {0}", titled(older))])}
      </nav>
      <header class="${severityClass(head.severity)}">
        <p class="facts">
          <span class="badge">${t(head.severity)}</span>
          <span>${nameOfType(head.type)}</span>
          ${head.seenAt === null ? undefined : html`<span class="dim">${timeOfEvent(head.seenAt, now)}</span>`}
        </p>
        <h1>${visible(head.title)}</h1>
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
        ${plainLink(titleText(event, masked), { _tag: "GoTo", uid: event.metadata.uid })}
        <span class="dim">${timeOfEvent(event.metadata.estimated_created_at ?? "", now)}</span>
      </li>`
  )
  const all = t("Show all {0} loaded events of this source", total + 1)
  return html`<section aria-labelledby="related">
    <h2 id="related">${t("More from this source")}</h2>
    <ul class="related">
      ${rows}
    </ul>
    ${total > events.length ? plainLink(all, { _tag: "ShowSource" }) : undefined}
  </section>`
}

const plainLink = (label: string, message: EventMessage) =>
  html`<button type="button" class="link" id="${idOf(message)}" ${on(message)}>${label}</button>`

const titleText = (event: AnyEvent, masked: boolean) =>
  visible(masked ? maskText(titleOf(event).text) : titleOf(event).text)

/** The name of a severity that the styles do not know would be a class of the service's choice. */
const severityClass = (severity: string) => severities.find((known) => known === severity)

const actionsOf = (isLinked: boolean): ReadonlyArray<Html> => [
  ...(isLinked ? [action(t("Open in Browser"), { _tag: "OpenInBrowser" }, "primary")] : []),
  action(t("Check These Values in My Code"), { _tag: "Run", command: "events.checkValues" }),
  action(t("Copy UID"), { _tag: "Copy", what: "uid" }),
  ...(isLinked ? [action(t("Copy Link"), { _tag: "Copy", what: "link" })] : []),
  action(t("Copy as JSON"), { _tag: "Copy", what: "json" }),
  action(t("Open as Markdown"), { _tag: "Run", command: "events.openMarkdown" }),
  action(t("Open as JSON"), { _tag: "Run", command: "events.openJson" })
]

const action = (label: string, message: EventMessage, kind = "") =>
  html`<button type="button" class="${`action ${kind}`}" id="${idOf(message)}" ${on(message)}>${label}</button>`

/** Keeps the focus on the same button when the page is drawn again. */
const idOf = (message: EventMessage): string =>
  Object.values(message)
    .map((part) => String(part))
    .join("-")

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

const fieldOf = (label: string, value: Html | string) =>
  html`<dt>${label}</dt>
    <dd>${value}</dd>`

/** In words, and exactly where the pointer rests. */
const timeOfEvent = (at: string, now: number): Html => {
  const age = ageOf(at, now)
  return age === at
    ? html`${visible(at)}`
    : html`<time datetime="${at}" title="${`${localTime(at)} (${at})`}">${age}</time>`
}

/** Writes texts of a leak: matched words marked, each secret hidden until it is revealed. */
class Writer {
  readonly #reveals: Reveals
  readonly #pattern: RegExp | undefined
  readonly #now: number
  #secrets = 0

  constructor(reveals: Reveals, terms: ReadonlyArray<string>, now: number) {
    this.#reveals = reveals
    this.#pattern = patternOf(terms)
    this.#now = now
  }

  section(section: Section, id: string): Html {
    if (section._tag === "Text") {
      const { text, button } = this.#passage(section.content, section.heading)
      return html`<section aria-labelledby="${id}">
        <div class="heading">
          <h3 id="${id}">${visible(section.heading)}</h3>
          ${button}
        </div>
        <pre id="${id}-text" tabindex="0" aria-labelledby="${id}">${text}</pre>
      </section>`
    }
    const heading = section.heading === undefined ? undefined : html`<h3 id="${id}">${visible(section.heading)}</h3>`
    return html`${heading}
      <dl class="fields">${section.entries.map((entry, index) => this.#entry(entry, `${id}-${index}`))}</dl>`
  }

  time(at: string): Html {
    return html`${timeOfEvent(at, this.#now)} <span class="dim">${localTime(at)}</span>`
  }

  #entry(entry: Entry, id: string): Html {
    const label = visible(entry.label)
    switch (entry._tag) {
      case "Field":
        return fieldOf(label, this.#line(entry.value, entry.label))
      case "Time":
        return fieldOf(label, this.time(entry.at))
      case "List": {
        const items = entry.values.slice(0, most).map((value) => html`<li>${this.#line(value, entry.label)}</li>`)
        // Those that are not shown keep their numbers.
        this.#secrets += entry.values.slice(most).filter(({ secrets }) => secrets.length > 0).length
        const total = entry.values.length
        return fieldOf(
          label,
          total <= listed
            ? html`<ul>
                ${items}
              </ul>`
            : html`<details id="${id}">
                <summary id="${id}-summary">${t("{0} entries", total)}</summary>
                <ul>
                  ${items}
                </ul>
                ${total > most ? html`<p class="dim">${t("The first {0}; open as Markdown for all.", most)}</p>` : undefined}
              </details>`
        )
      }
    }
  }

  #line(passage: Passage, label: string): Html {
    const { text, button } = this.#passage(passage, label)
    return html`<span class="value">${text}</span> ${button}`
  }

  #passage({ text, secrets }: Passage, label: string): { readonly text: Html; readonly button: Html | undefined } {
    if (secrets.length === 0) return { text: this.#marked(text), button: undefined }
    const secret = this.#secrets++
    const isRevealed = this.#reveals(secret)
    const parts: Array<Html> = []
    let from = 0
    for (const { start, end } of secrets) {
      parts.push(
        this.#marked(text.slice(from, start)),
        isRevealed
          ? html`<span class="secret">${visible(text.slice(start, end))}</span>`
          : html`<span class="secret" role="img" aria-label="${t("hidden")}">${hidden}</span>`
      )
      from = end
    }
    parts.push(this.#marked(text.slice(from)))
    const [verb, name] = isRevealed ? [t("Hide"), t("Hide {0}", label)] : [t("Reveal"), t("Reveal {0}", label)]
    return {
      text: html`${parts}`,
      button: html`<button
        type="button"
        class="link"
        id="${`secret-${secret}`}"
        aria-label="${visible(name)}"
        ${on({ _tag: "Reveal", secret, isRevealed: !isRevealed })}
      >
        ${verb}
      </button>`
    }
  }

  #marked(text: string): Html {
    const shown = text.length > longest ? `${text.slice(0, longest)}…` : text
    if (this.#pattern === undefined) return html`${visible(shown)}`
    const parts: Array<Html> = []
    let from = 0
    for (const match of shown.matchAll(this.#pattern)) {
      parts.push(html`${visible(shown.slice(from, match.index))}<mark>${visible(match[0])}</mark>`)
      from = match.index + match[0].length
    }
    return html`${parts}${visible(shown.slice(from))}`
  }
}

/** Lists up to this length stand open. */
const listed = 20
/** A page holds no more items of a list. */
const most = 1000
/** And no more of a text, in UTF-16 units. */
const longest = 500_000
