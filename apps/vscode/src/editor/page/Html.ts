/** HTML that is escaped by construction: whatever a template holds besides its own literals is text, in which nothing is hidden. */

import { visible } from "../../words/HiddenCharacters.ts"

class Markup {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

/** Made by `html` alone. */
export type { Markup as Html }

export type Content = Markup | string | number | undefined | ReadonlyArray<Content>

/**
 * `html`: values are escaped for text and for attributes in double quotes, the only two places where a template may have
 * them. A list is written one after the other, `undefined` as nothing.
 */
export const html = (literals: TemplateStringsArray, ...values: ReadonlyArray<Content>): Markup =>
  new Markup(
    literals.map((literal, index) => literal + (index < values.length ? markupOf(values[index]) : "")).join("")
  )

/** The attribute of a button or an option that sends a message to the extension when it is chosen. */
export const sends = <Message>(message: Message): Markup => html`data-message="${JSON.stringify(message)}"`

const markupOf = (value: Content): string => {
  if (value === undefined) return ""
  if (value instanceof Markup) return value.markup
  if (typeof value === "object") return value.map(markupOf).join("")
  // As in JSON, so that a message comes out as it went in.
  return visible(String(value)).replaceAll(/[&<>"']/gu, (character) => `&#${character.codePointAt(0)};`)
}
