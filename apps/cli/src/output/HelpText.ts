/** Help texts as wide as the terminal. */
import { displayWidth } from "effect/cli/CliOutput"
import type { HelpDoc } from "effect/cli/HelpDoc"

/** Without the choices of a flag beside its name: its description lists them. */
export const withoutChoices = (doc: HelpDoc): HelpDoc => ({
  ...doc,
  globalFlags: (doc.globalFlags ?? []).map(({ aliases, description, name, required, type }) => ({
    aliases,
    description,
    name,
    required,
    type: type.includes("|") ? "SHELL" : type
  }))
})

/** Wraps descriptions within their column. Usage and examples are left as they are, so that they can be copied. */
export const wrapped = (text: string, columns: number): string => {
  let section = ""
  return text
    .split("\n")
    .flatMap((line) => {
      if (!line.startsWith(" ")) section = line
      const isCopied = section.includes("EXAMPLES") || section.includes("USAGE")
      return isCopied || displayWidth(line) <= columns ? [line] : wrappedLine(line, columns)
    })
    .join("\n")
}

const wrappedLine = (line: string, columns: number): ReadonlyArray<string> => {
  const [, first = "", second = ""] = /^(\s+\S.*?\s{2,})(\S.*)$/u.exec(line) ?? /^(\s*)(\S.*)$/u.exec(line) ?? []
  const indent = " ".repeat(displayWidth(first))
  const lines = [first]
  for (const word of second.split(" ")) {
    const last = lines.at(-1) ?? ""
    const isEmpty = last === first || last === indent
    if (isEmpty || displayWidth(`${last} ${word}`) <= columns)
      lines[lines.length - 1] = isEmpty ? last + word : `${last} ${word}`
    else lines.push(indent + word)
  }
  return lines
}
