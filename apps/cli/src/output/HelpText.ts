/** Wraps help texts and messages to the width of the terminal. */
import { displayWidth } from "./Output.ts"

/** Wraps descriptions within their column. Usage and examples stay as they are, so that they can be copied. */
export const wrapHelp = (text: string, columns: number): string => {
  let section = ""
  return text
    .split("\n")
    .flatMap((line) => {
      if (/^\S/u.test(line)) section = line
      const isCopied = section.includes("EXAMPLES") || section.includes("USAGE")
      return isCopied || displayWidth(line) <= columns ? [line] : wrappedLine(line, columns)
    })
    .join("\n")
}

const wrappedLine = (line: string, columns: number): ReadonlyArray<string> => {
  const [, first = "", second = ""] = /^(\s+\S.*?\s{2,})(\S.*)$/u.exec(line) ?? /^(\s*)(\S.*)$/u.exec(line) ?? []
  return wrapLine(first, second, { columns, indent: displayWidth(first) })
}

export const wrapMessage = (text: string, columns: number): string =>
  text
    .split("\n")
    .flatMap((line) => (displayWidth(line) <= columns ? [line] : wrapLine("", line, { columns, indent: 2 })))
    .join("\n")

/**
 * Wraps words after `head` into lines; all lines but the first are indented. Words that are too long are not broken.
 */
export const wrapLine = (
  head: string,
  text: string,
  { columns, indent: spaces }: { readonly columns: number; readonly indent: number }
): ReadonlyArray<string> => {
  const indent = " ".repeat(spaces)
  const lines = [head]
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? ""
    const isEmpty = last === head || last === indent
    if (isEmpty || displayWidth(`${last} ${word}`) <= columns)
      lines[lines.length - 1] = isEmpty ? last + word : `${last} ${word}`
    else lines.push(indent + word)
  }
  return lines
}

/** Wraps a line of an outline: the rest is indented by two more than its start. */
export const wrapIndented = (line: string, columns: number): ReadonlyArray<string> => {
  const text = line.trimStart()
  const spaces = line.length - text.length
  return wrapLine(" ".repeat(spaces), text, { columns, indent: spaces + 2 })
}
