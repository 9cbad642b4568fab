/** Edits the ignore file as people write it: comments and everything else in it stay. */

export interface NewIgnoreEntry {
  readonly fingerprint: string
  readonly reason: string
  /** A day, such as 2027-02-01. */
  readonly expires: string
  readonly by?: string
}

/**
 * The file with one entry more, in place of an earlier one for the same value. Undefined if its list is not written with
 * one entry below the other.
 */
export const withIgnoreEntry = (before: string, entry: NewIgnoreEntry): string | undefined =>
  edited(before, (text) => withAddedEntry(withoutEntry(text, entry.fingerprint), entry))

/** The file without the entries of these values. */
export const withoutIgnoreEntries = (before: string, fingerprints: ReadonlyArray<string>): string =>
  edited(before, (text) => fingerprints.reduce(withoutEntry, text)) ?? before

/** Keeps the line breaks of the file. */
const edited = (before: string, edit: (text: string) => string | undefined): string | undefined => {
  const text = edit(before.replaceAll("\r\n", "\n"))
  return before.includes("\r\n") ? text?.replaceAll("\n", "\r\n") : text
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

const withAddedEntry = (text: string, entry: NewIgnoreEntry): string | undefined => {
  const fields = [
    `fingerprint: ${entry.fingerprint}`,
    `reason: ${JSON.stringify(entry.reason)}`,
    `expires: ${entry.expires}`,
    ...(entry.by === undefined ? [] : [`by: ${JSON.stringify(entry.by)}`])
  ]
  const items = (indent: string) =>
    `${fields.map((field, index) => `${indent}${index === 0 ? "- " : "  "}${field}`).join("\n")}\n`
  const content = text.replaceAll(/#.*$/gmu, "").trim()
  if (content === "") return `${text.trim() === "" ? "" : `${text.trimEnd()}\n`}ignore:\n${items("  ")}`
  if (/^ignore:\s*(?:\[\s*\]|null|~)?$/u.test(content)) {
    return `${text.trimEnd().replace(/ignore:[^\n]*$/mu, "ignore:")}\n${items("  ")}`
  }
  const indent = /^([ ]*)-\s/mu.exec(text)?.[1]
  return /^ignore:\s*$/mu.test(text) && indent !== undefined ? `${text.trimEnd()}\n${items(indent)}` : undefined
}
