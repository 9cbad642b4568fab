/** Expressions in source code that read an environment variable. */
import type { Span } from "../../editor/Editor.ts"
import { Lines } from "../../detection/Lines.ts"

export interface EnvReference {
  readonly text: string
  /** An expression replaces a string literal including its quotes; shell syntax also expands within a word. */
  readonly kind: "expression" | "shell"
}

/** A file with code or settings. */
export interface SourceFile {
  readonly uri: string
  readonly languageId: string
}

/** Undefined for unknown languages. Formats such as JSON or `.env` cannot read the environment. */
export const referenceTo = (name: string, { languageId, uri }: SourceFile): EnvReference | undefined => {
  // The editor's settings may classify it as a shell script.
  if (/\/(?:[^/]*\.env|\.env[^/]*)$/u.test(uri)) return undefined
  switch (languageId) {
    case "javascript":
    case "typescript":
    case "javascriptreact":
    case "typescriptreact":
    case "vue":
    case "svelte":
      return { text: `process.env.${name}`, kind: "expression" }
    case "python":
      return { text: `os.environ["${name}"]`, kind: "expression" }
    case "ruby":
      return { text: `ENV.fetch("${name}")`, kind: "expression" }
    case "go":
      return { text: `os.Getenv("${name}")`, kind: "expression" }
    case "rust":
      return { text: `std::env::var("${name}").unwrap()`, kind: "expression" }
    case "php":
      return { text: `getenv('${name}')`, kind: "expression" }
    case "java":
    case "kotlin":
    case "scala":
      return { text: `System.getenv("${name}")`, kind: "expression" }
    case "csharp":
      return { text: `Environment.GetEnvironmentVariable("${name}")`, kind: "expression" }
    case "shellscript":
    case "dockercompose":
      return { text: `\${${name}}`, kind: "shell" }
    default:
      return undefined
  }
}

/** The span to replace, and the text; undefined if the code would behave differently. */
export const replacementIn = (
  text: string,
  span: Span,
  { kind, text: written }: EnvReference
): { readonly span: Span; readonly text: string } | undefined => {
  const lines = new Lines(text)
  const [before, after] = [text[lines.offset(span.start) - 1], text[lines.offset(span.end)]]
  const isQuoted = before !== undefined && `"'\``.includes(before) && before === after
  const withQuotes = {
    start: { ...span.start, character: span.start.character - 1 },
    end: { ...span.end, character: span.end.character + 1 }
  }
  if (kind === "expression") return isQuoted ? { span: withQuotes, text: written } : undefined
  // Shells do not expand variables in single quotes.
  if (isQuoted && before === "'") return { span: withQuotes, text: `"${written}"` }
  const line = lines.line(span.start.line).slice(0, span.start.character)
  return (line.match(/'/gu)?.length ?? 0) % 2 === 1 ? undefined : { span, text: written }
}

/**
 * Whether the line of a shell script sets this variable itself, so that a reference to it would be circular. `before`
 * is the line up to the value.
 */
export const setsVariable = (before: string, name: string, { languageId }: SourceFile): boolean =>
  languageId === "shellscript" && new RegExp(String.raw`(?:^|[\s;])${name}=["']?$`, "u").test(before)

/** Suggests a name for the variable from the text before the value. */
export const variableName = (before: string): string => {
  const named = /([A-Za-z_][\w.-]*)["'`]?\s*(?::=|[:=])\s*["'`]?$/u.exec(before)?.[1]
  const words = (named?.split(".").at(-1) ?? "SECRET")
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1_$2")
    .replaceAll(/\W+/gu, "_")
    .toUpperCase()
  return /^[A-Z_]/u.test(words) ? words : `_${words}`
}
