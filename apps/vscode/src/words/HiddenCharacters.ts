/** Invisible characters that change how a text reads: text of a leak could use them to look like something else. */

/**
 * As the escapes that JSON has for them, for pages. Line feeds and tabs stay, and joiners where emoji and many scripts are
 * written with them.
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

/** As spaces, one unit for one unit, for a row, a title or a question. Joiners stay, and the no-break spaces of French. */
export const onOneLine = (text: string): string =>
  text.replaceAll(/(?![\u00A0\u202F])[\s\p{Cc}]|(?!\p{Join_Control})\p{Cf}/gu, (character) =>
    " ".repeat(character.length)
  )

/** As `onOneLine`, for a text of several lines. */
export const onItsLines = (text: string): string => text.split("\n").map(onOneLine).join("\n")
