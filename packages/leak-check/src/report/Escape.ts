/** Escapes untrusted text for each format. */

/** A Markdown code span. Characters that could end it or a table cell are replaced. */
export const code = (text: string): string => {
  const plain = oneLine(text).replaceAll("|", "¦")
  if (plain === "") return ""
  const longest = Math.max(0, ...Array.from(plain.matchAll(/`+/g), ([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  const space = plain.startsWith("`") || plain.endsWith("`") || plain.trim() === "" ? " " : ""
  return `${fence}${space}${plain}${space}${fence}`
}

/** The text of an HTML or XML element or attribute. */
export const markup = (text: string): string =>
  oneLine(text).replace(/[^\p{L}\p{N} ._-]/gu, (char) => `&#${char.codePointAt(0)};`)

/** One line of at most 1,000 characters, without invisible ones. */
const oneLine = (text: string) =>
  text
    .replace(/\s+/gu, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}]/gu, "�")
    .slice(0, 1000)
    .toWellFormed()
    .trim()

/** For a terminal: replaces control characters and invisible characters by their code points. */
export const visible = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)

/** A path as a relative URI. */
export const uriOf = (path: string): string =>
  path
    .split("/")
    .map((segment) => encodeURIComponent(segment.toWellFormed()))
    .join("/")

/** The target of a Markdown link. */
export const address = (url: string): string =>
  url.replace(/[^\w:/?#@$&+,;=.~%-]/gu, (char) =>
    Array.from(new TextEncoder().encode(char), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")
  )

/**
 * A CSV cell that no spreadsheet executes as a formula. Programs ignore invisible characters before the sign of a
 * formula; those with another separator start a new cell after it, and a new row after a line break.
 */
export const csvCell = (value: string): string => {
  const text = value.replaceAll(formulaInside, "$1$2'")
  return formulaAtStart.test(value) ? `'${text}` : text
}

const formulaSign = String.raw`(?=[=+\-@\uff0b\uff0d\uff1d\uff20])`
const formulaAtStart = new RegExp(String.raw`^[\s\p{Z}\p{C}]*${formulaSign}`, "u")
const formulaInside = new RegExp(String.raw`([;\t\r\n])((?:(?![\t\r\n])[\s\p{Z}\p{C}])*)${formulaSign}`, "gu")
