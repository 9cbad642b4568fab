/** Lines of `.env` and `.gitignore`. */
import type { Span } from "../editor/Editor.ts"
import { Lines } from "../detection/Lines.ts"

/** In single quotes everything is literal; a value that contains one takes double quotes. */
export const variableLine = (name: string, value: string): string => {
  if (/^[\w./:@+,=-]*$/u.test(value)) return `${name}=${value}`
  return `${name}=${value.includes("'") ? JSON.stringify(value).replaceAll("$", String.raw`\$`) : `'${value}'`}`
}

export const namesVariable = (text: string, name: string): boolean =>
  text.split(/\r?\n/u).some((line) => new RegExp(String.raw`^\s*(?:export\s+)?${name}\s*=`, "u").test(line))

/** Whether a `.gitignore` ignores the `.env` beside it; a later line overrides an earlier one. */
export const ignoresEnv = (gitignore: string): boolean =>
  gitignore
    .split(/\r?\n/u)
    .flatMap((line) => /^(!?)\/?(?:\*\*\/)?\.env(?:\*|\.\*)?\s*$/u.exec(line)?.[1] ?? [])
    .at(-1) === ""

/** The edit that adds a line at the end of a text, with the line ending that the text has. */
export const lineAtEnd = (text: string, line: string): { readonly span: Span; readonly text: string } => {
  const end = text.includes("\r\n") ? "\r\n" : "\n"
  return {
    span: new Lines(text).span(text.length, 0),
    text: `${text === "" || text.endsWith("\n") ? "" : end}${line}${end}`
  }
}
