/** Adds entries to the ignore file as people write it: what else stands there stays. */
import { t } from "../words/Localisation.ts"

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
      fault: t("The ignore file has a form that entries cannot be added to. Write its entries one below the other.")
    }
  }
  return { text: `${text.trimEnd()}\n${items(indent)}` }
}
