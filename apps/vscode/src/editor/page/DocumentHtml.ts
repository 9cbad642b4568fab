/** Generates HTML from the sections of a document, and the elements that such pages share. */
import { ageOf, localTime } from "../../words/Dates.ts"
import { number, t } from "../../words/Localisation.ts"
import type { Entry, Passage, Section } from "./Document.ts"
import { type Content, html, type Html, sends } from "./Html.ts"
import { patternOf, type Reveals } from "./PageWriter.ts"
import type { Reveal } from "./Pages.ts"
import { masked as hidden, revealedTogether } from "./Secrets.ts"

/** Renders a button that sends a message. A page sets the type of its messages. */
export type Action<Message> = (label: string, message: Message, kind?: string) => Html

export const button: Action<object> = (label, message, kind = "") =>
  html`<button type="button" class="${`action ${kind}`}" id="${idOf(message)}" ${sends(message)}>${label}</button>`

/** Links with the same message need distinct ids. */
export const linkTo = (label: Content, message: object, id = idOf(message)): Html =>
  html`<button type="button" class="link" id="${id}" ${sends(message)}>${label}</button>`

/** The visible actions of a page, and a menu with the others. */
export const toolbarOf = (actions: ReadonlyArray<Content>, menu: ReadonlyArray<Html>): Html => html`
  <div class="toolbar" role="group" aria-label="${t("Actions")}">
    ${actions}
    <button type="button" class="action" id="more" popovertarget="menu">${t("More Actions")}</button>
    <div class="menu" id="menu" role="group" aria-label="${t("More Actions")}" popover>${menu}</div>
  </div>
`

/** An item of the menu. Choosing it closes the menu, which returns the focus to the menu's button. */
export const menuItem: Action<object> = (label, message) =>
  html`<button type="button" id="${idOf(message)}" popovertarget="menu" popovertargetaction="hide" ${sends(message)}>
    ${label}
  </button>`

/** A stable id, so that redrawing the page keeps the focus on the same button. */
export const idOf = (message: object): string =>
  Object.values(message)
    .map((part) => String(part))
    .join("-")

export const fieldOf = (label: string, value: Html | string) =>
  html`<dt>${label}</dt>
    <dd>${value}</dd>`

/** The age in words, with the exact time as the tooltip. */
export const timeOf = (at: string, now: number): Html => {
  const age = ageOf(at, now)
  return age === at ? html`${at}` : html`<time datetime="${at}" title="${`${localTime(at)} (${at})`}">${age}</time>`
}

/** Renders text from a leak: marks matched terms, and hides each secret until it is revealed. */
export class DocumentWriter {
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
          <h3 id="${id}">${section.heading}</h3>
          ${button}
        </div>
        <pre id="${id}-text" tabindex="0" aria-labelledby="${id}">${text}</pre>
      </section>`
    }
    const heading = section.heading === undefined ? undefined : html`<h3 id="${id}">${section.heading}</h3>`
    return html`${heading}
      <dl class="fields">${section.entries.map((entry, index) => this.#entry(entry, `${id}-${index}`))}</dl>`
  }

  time(at: string): Html {
    return html`${timeOf(at, this.#now)} <span class="dim">${localTime(at)}</span>`
  }

  #entry(entry: Entry, id: string): Html {
    const label = entry.label
    switch (entry._tag) {
      case "Field":
        return fieldOf(label, this.#line(entry.value, entry.label, id))
      case "Time":
        return fieldOf(label, this.time(entry.at))
      case "List": {
        const items = entry.values
          .slice(0, maxItems)
          .map((value, index) => html`<li>${this.#line(value, entry.label, `${id}-${index}`)}</li>`)
        // Secrets in omitted items still take their numbers.
        for (const { secrets } of entry.values.slice(maxItems)) this.#secrets += revealedTogether(secrets).length
        const total = entry.values.length
        return fieldOf(
          label,
          total <= maxOpenItems
            ? html`<ul>
                ${items}
              </ul>`
            : html`<details id="${id}">
                <summary id="${id}-summary">${t("{0} entries", number(total))}</summary>
                <ul>
                  ${items}
                </ul>
                ${total > maxItems ? html`<p class="dim">${t("Only the first {0} are shown; open as Markdown to see all of them.", maxItems)}</p>` : undefined}
              </details>`
        )
      }
    }
  }

  #line(passage: Passage, label: string, id: string): Html {
    const { text, button } = this.#passage(passage, label)
    if (passage.message !== undefined && button === undefined) return linkTo(text, passage.message, id)
    return html`<span class="value">${text}</span> ${button}`
  }

  /**
   * The button of a single secret is returned for a place beside the text; several secrets each have their button
   * inline.
   */
  #passage({ text, secrets }: Passage, label: string): { readonly text: Html; readonly button: Html | undefined } {
    const groups = revealedTogether(secrets)
    const parts: Array<Html> = []
    let button: Html | undefined
    let from = 0
    for (const [index, together] of groups.entries()) {
      const secret = this.#secrets++
      const isRevealed = this.#reveals(secret)
      for (const { start, end } of together) {
        parts.push(
          this.#marked(text.slice(from, start)),
          isRevealed
            ? html`<span class="secret">${text.slice(start, end)}</span>`
            : html`<span class="secret" role="img" aria-label="${t("hidden")}">${hidden}</span>`
        )
        from = end
      }
      if (groups.length === 1) button = revealButton(secret, isRevealed, label)
      else parts.push(revealButton(secret, isRevealed, `${label} ${index + 1}`))
    }
    parts.push(this.#marked(text.slice(from)))
    return { text: html`${parts}`, button }
  }

  #marked(text: string): Html {
    const shown = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
    if (this.#pattern === undefined) return html`${shown}`
    const parts: Array<Html> = []
    let from = 0
    for (const match of shown.matchAll(this.#pattern)) {
      parts.push(html`${shown.slice(from, match.index)}<mark>${match[0]}</mark>`)
      from = match.index + match[0].length
    }
    return html`${parts}${shown.slice(from)}`
  }
}

const revealButton = (secret: number, isRevealed: boolean, label: string) => {
  const [verb, name] = isRevealed ? [t("Hide"), t("Hide {0}", label)] : [t("Reveal"), t("Reveal {0}", label)]
  const message = sends<Reveal>({ _tag: "Reveal", secret, isRevealed: !isRevealed })
  return html`<button type="button" class="link" id="${`secret-${secret}`}" aria-label="${name}" ${message}>
    ${verb}
  </button>`
}

/** Maximum length of a list that is expanded at first. */
const maxOpenItems = 20
/** Maximum number of list items on a page. */
const maxItems = 1000
/** Maximum length of a text, in UTF-16 units. */
const maxLength = 500_000
