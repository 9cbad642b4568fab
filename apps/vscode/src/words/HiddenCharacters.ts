/** Invisible characters change how a text reads: text from a leak could use them to imitate something else. */

/**
 * Replaces invisible characters with JSON escapes, for pages. Keeps line feeds, tabs, and the joiners that emoji and
 * many scripts need.
 */
export const visible = (text: string): string =>
  text.replaceAll(
    /(?<!\P{ASCII})\p{Join_Control}|(?![\p{Join_Control}\n\r\t])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (character) =>
      Array.from(
        { length: character.length },
        (_, at) => String.raw`\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`
      ).join("")
  )

/**
 * Replaces whitespace and invisible characters with as many spaces, for rows, titles and questions. Keeps joiners, and
 * the no-break spaces of French.
 */
export const onOneLine = (text: string): string =>
  text.replaceAll(/(?![ \u00A0\u202F])[\s\p{Cc}]|(?!\p{Join_Control})\p{Cf}/gu, (character) =>
    " ".repeat(character.length)
  )

/** Like `onOneLine`, but keeps line feeds. */
export const onItsLines = (text: string): string => text.split("\n").map(onOneLine).join("\n")
