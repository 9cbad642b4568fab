/**
 * HTML that is escaped by construction: every value in a template is text, and invisible characters in it become
 * visible.
 */

import { visible } from "../../words/HiddenCharacters.ts"

class Markup {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

/** Only `html` creates values of this type. */
export type { Markup as Html }

export type Content = Markup | string | number | undefined | ReadonlyArray<Content>

/**
 * Template tag that escapes values for the only two allowed positions: text, and attributes in double quotes. A list is
 * concatenated; `undefined` is omitted.
 */
export const html = (literals: TemplateStringsArray, ...values: ReadonlyArray<Content>): Markup =>
  new Markup(
    literals.map((literal, index) => literal + (index < values.length ? markupOf(values[index]) : "")).join("")
  )

/** The attribute with which a button or an option sends a message to the extension. */
export const sends = <Message>(message: Message): Markup => html`data-message="${JSON.stringify(message)}"`

const markupOf = (value: Content): string => {
  if (value === undefined) return ""
  if (value instanceof Markup) return value.markup
  if (typeof value === "object") return value.map(markupOf).join("")
  // Invisible characters become JSON escapes, so that parsing a message restores them.
  return visible(String(value)).replaceAll(/[&<>"']/gu, (character) => `&#${character.codePointAt(0)};`)
}
