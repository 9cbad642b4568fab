/** Changes to files that a fix makes: an entry of the ignore file, a variable of `.env`, and the reference to it. */
import type { Span } from "../editor/Editor.ts"
import { t } from "../words/Localisation.ts"
import { Lines } from "../detection/Lines.ts"

/** The ignore file with one entry more, in place of an earlier one for the same value; or what stands in the way. */
export const withIgnoreEntry = (
  before: string,
  entry: { readonly fingerprint: string; readonly reason: string; readonly expires: string; readonly by?: string }
): { readonly text: string } | { readonly fault: string } => {
  const ends = before.includes("\r\n") ? "\r\n" : "\n"
  const text = withoutEntry(before.replaceAll("\r\n", "\n"), entry.fingerprint)
  const added = withAddedEntry(text, entry)
  return "fault" in added ? added : { text: added.text.replaceAll("\n", ends) }
}

/** An entry begins with its dash and ends before the next, or before a line that is indented less. */
const withoutEntry = (text: string, fingerprint: string): string => {
  const lines = text.split("\n")
  const indentOf = (line: string) => line.length - line.trimStart().length
  for (let start = 0; start < lines.length; start++) {
    const first = lines[start] ?? ""
    if (!first.trimStart().startsWith("- ")) continue
    let end = start + 1
    while (end < lines.length && ((lines[end] ?? "").trim() === "" || indentOf(lines[end] ?? "") > indentOf(first)))
      end++
    const names = new RegExp(String.raw`\bfingerprint:\s*["']?${fingerprint}\b`, "u")
    if (!lines.slice(start, end).some((line) => names.test(line.replace(/#.*$/u, "")))) continue
    return [...lines.slice(0, start), ...lines.slice(end)].join("\n")
  }
  return text
}

const withAddedEntry = (
  text: string,
  entry: Parameters<typeof withIgnoreEntry>[1]
): ReturnType<typeof withIgnoreEntry> => {
  const fields = [
    `fingerprint: ${entry.fingerprint}`,
    `reason: ${JSON.stringify(entry.reason)}`,
    `expires: ${entry.expires}`,
    ...(entry.by === undefined ? [] : [`by: ${JSON.stringify(entry.by)}`])
  ]
  const items = (indent: string) =>
    `${fields.map((field, index) => `${indent}${index === 0 ? "- " : "  "}${field}`).join("\n")}\n`
  const content = text.replaceAll(/#.*$/gmu, "").trim()
  if (content === "") return { text: `${text.trim() === "" ? "" : `${text.trimEnd()}\n`}ignore:\n${items("  ")}` }
  if (/^ignore:\s*(?:\[\s*\]|null|~)?$/u.test(content)) {
    return { text: `${text.trimEnd().replace(/ignore:[^\n]*$/mu, "ignore:")}\n${items("  ")}` }
  }
  const indent = /^([ ]*)-\s/mu.exec(text)?.[1]
  if (!/^ignore:\s*$/mu.test(text) || indent === undefined) {
    return {
      fault: t("The ignore file is written in a way that cannot be added to: write its entries one below the other.")
    }
  }
  return { text: `${text.trimEnd()}\n${items(indent)}` }
}

/** `.env` with one variable more. In single quotes everything means itself; a value that has one takes double quotes. */
export const withVariable = (text: string, name: string, value: string): string =>
  withLine(
    text,
    `${name}=${/^[\w./:@+,=-]*$/u.test(value) ? value : value.includes("'") ? JSON.stringify(value).replaceAll("$", String.raw`\$`) : `'${value}'`}`
  )

export const namesVariable = (text: string, name: string): boolean =>
  text.split(/\r?\n/u).some((line) => new RegExp(String.raw`^\s*(?:export\s+)?${name}\s*=`, "u").test(line))

/** `.gitignore` with `.env` in it, or undefined where it is there already. */
export const withIgnoredEnv = (text: string): string | undefined =>
  text.split(/\r?\n/u).some((line) => /^\/?(?:\*\*\/)?\.env(?:\*|\.\*)?\s*$/u.test(line))
    ? undefined
    : withLine(text, ".env")

/** With a line more, which ends as the others do. */
const withLine = (text: string, line: string): string => {
  const end = text.includes("\r\n") ? "\r\n" : "\n"
  return `${text}${text === "" || text.endsWith("\n") ? "" : end}${line}${end}`
}

/** How a language reads the environment; quotes around the value go where the reference needs none. */
export const reference = (
  languageId: string,
  name: string
): { readonly text: string; readonly replacesQuotes: boolean } => {
  switch (languageId) {
    case "javascript":
    case "typescript":
    case "javascriptreact":
    case "typescriptreact":
    case "vue":
    case "svelte":
      return { text: `process.env.${name}`, replacesQuotes: true }
    case "python":
      return { text: `os.environ["${name}"]`, replacesQuotes: true }
    case "ruby":
      return { text: `ENV.fetch("${name}")`, replacesQuotes: true }
    case "go":
      return { text: `os.Getenv("${name}")`, replacesQuotes: true }
    case "rust":
      return { text: `std::env::var("${name}").unwrap()`, replacesQuotes: true }
    case "php":
      return { text: `getenv('${name}')`, replacesQuotes: true }
    case "java":
    case "kotlin":
    case "scala":
      return { text: `System.getenv("${name}")`, replacesQuotes: true }
    case "csharp":
      return { text: `Environment.GetEnvironmentVariable("${name}")`, replacesQuotes: true }
    default:
      return { text: `\${${name}}`, replacesQuotes: false }
  }
}

/** What to replace by the reference; undefined where that would leave code that does not run. */
export const referenceIn = (
  text: string,
  span: Span,
  { replacesQuotes, text: written }: ReturnType<typeof reference>
): { readonly span: Span; readonly text: string } | undefined => {
  if (!replacesQuotes) return { span, text: written }
  const lines = new Lines(text)
  const [before, after] = [text[lines.offset(span.start) - 1], text[lines.offset(span.end)]]
  return before !== undefined && `"'\``.includes(before) && before === after
    ? {
        span: {
          start: { ...span.start, character: span.start.character - 1 },
          end: { ...span.end, character: span.end.character + 1 }
        },
        text: written
      }
    : undefined
}

/** A name for the variable, from what stands before the value on its line. */
export const variableName = (before: string): string => {
  const named = /([A-Za-z_][\w.-]*)["'`]?\s*(?::=|[:=])\s*["'`]?$/u.exec(before)?.[1]
  const words = (named?.split(".").at(-1) ?? "SECRET")
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1_$2")
    .replaceAll(/\W+/gu, "_")
    .toUpperCase()
  return /^[A-Z_]/u.test(words) ? words : `_${words}`
}
