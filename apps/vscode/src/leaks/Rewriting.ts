/** Changes to files that a fix makes: an entry of the ignore file, a variable of `.env`, and the reference to it. */
import { t } from "../Localisation.ts"

/** The ignore file with one entry more, or what stands in the way. */
export const withIgnoreEntry = (
  text: string,
  entry: { readonly fingerprint: string; readonly reason: string; readonly expires: string; readonly by?: string }
): { readonly text: string } | { readonly fault: string } => {
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

/** `.env` with one variable more. */
export const withVariable = (text: string, name: string, value: string): string => {
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`
  const plain = /^[\w./:@+,=-]*$/u.test(value)
  return `${before}${name}=${plain ? value : JSON.stringify(value)}\n`
}

export const namesVariable = (text: string, name: string): boolean =>
  text.split(/\r?\n/u).some((line) =>
    line
      .trimStart()
      .replace(/^export\s+/u, "")
      .startsWith(`${name}=`)
  )

/** `.gitignore` with `.env` in it, or undefined where it is there already. */
export const withIgnoredEnv = (text: string): string | undefined =>
  text.split(/\r?\n/u).some((line) => /^\/?(?:\*\*\/)?\.env(?:\*|\.\*)?\s*$/u.test(line))
    ? undefined
    : `${text === "" || text.endsWith("\n") ? text : `${text}\n`}.env\n`

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

/** A name for the variable, from what stands before the value on its line. */
export const variableName = (before: string): string => {
  const named = /([A-Za-z_][\w.-]*)["'`]?\s*(?::=|[:=])\s*["'`]?$/u.exec(before)?.[1]
  const words = (named?.split(".").at(-1) ?? "SECRET")
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1_$2")
    .replaceAll(/\W+/gu, "_")
    .toUpperCase()
  return /^[A-Z_]/u.test(words) ? words : `_${words}`
}
