/**
 * Writes a page of Markdown for a reader in an editor.
 *
 * Values come from leaks and are hostile: each stands in a code span or a fenced block, where no preview makes a link, a
 * picture or HTML of it.
 */
import { Redacted } from "effect"
import type { Span } from "../Editor.ts"
import { t } from "../Localisation.ts"

export interface Written {
  readonly text: string
  /** The lines, from 0, on which a secret stands. */
  readonly secretLines: ReadonlyArray<number>
}

export class PageWriter {
  readonly #lines: Array<string> = []
  readonly #secretLines: Array<number> = []
  readonly #isRevealed: boolean

  constructor(isRevealed: boolean) {
    this.#isRevealed = isRevealed
  }

  heading(level: 1 | 2 | 3, text: string): this {
    if (this.#lines.length > 0) this.#blank()
    this.#lines.push(`${"#".repeat(level)} ${escaped(oneLine(text))}`, "")
    return this
  }

  /** Words of ours, never of a leak. */
  paragraph(text: string): this {
    this.#blank()
    this.#lines.push(text, "")
    return this
  }

  field(label: string, value: string): this {
    this.#lines.push(`- **${label}:** ${code(value)}`)
    return this
  }

  list(label: string, values: ReadonlyArray<string>): this {
    this.#lines.push(`- **${label}:**`, ...values.map((value) => `  - ${code(value)}`))
    return this
  }

  /** A link of the service's own, which is trusted as far as the service is. */
  link(label: string, url: string): this {
    this.#lines.push(`- **${label}:** <${url.replaceAll(/[<>\s]/gu, encodeURIComponent)}>`)
    return this
  }

  secret(label: string, value: Redacted.Redacted): this {
    this.#secretLines.push(this.#lines.length)
    this.#lines.push(`- **${label}:** ${this.#isRevealed ? code(Redacted.value(value)) : masked}`)
    return this
  }

  block(label: string, text: string): this {
    const fence = "`".repeat(Math.max(3, longestRun(text) + 1))
    this.heading(3, label)
    this.#lines.push(`${fence}text`, ...visible(text).split(/\r\n|\r|\n/u), fence, "")
    return this
  }

  /** Columns are padded, so that the table reads as one in an editor too. */
  table(headers: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): this {
    this.#blank()
    const cells = rows.map((row) => row.map(cell))
    const widths = headers.map((header, column) =>
      Math.min(48, Math.max(header.length, 3, ...cells.map((row) => row[column]?.length ?? 0)))
    )
    const line = (row: ReadonlyArray<string>) =>
      `| ${widths.map((width, column) => (row[column] ?? "").padEnd(width)).join(" | ")} |`
    this.#lines.push(
      line(headers),
      `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`,
      ...cells.map(line),
      ""
    )
    return this
  }

  /** The line that the next call writes to, from 0. */
  get line(): number {
    return this.#lines.length
  }

  done(): Written {
    return { text: `${this.#lines.join("\n").trimEnd()}\n`, secretLines: this.#secretLines }
  }

  #blank() {
    if (this.#lines.at(-1) !== "" && this.#lines.length > 0) this.#lines.push("")
  }
}

export const masked = "••••••••"

const longestRun = (text: string) => Math.max(0, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length))

/** Control and direction characters would let a leak's text pretend to be something else: they are shown, not obeyed. */
const visible = (text: string) =>
  text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) =>
    char === "\n" || char === "\r" || char === "\t" ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

const oneLine = (text: string) => visible(text).replaceAll(/\s+/gu, " ").trim()

const code = (value: string) => {
  const text = oneLine(value)
  if (text === "") return `*${t("empty")}*`
  const ticks = "`".repeat(longestRun(text) + 1)
  const pad = text.startsWith("`") || text.endsWith("`") ? " " : ""
  return `${ticks}${pad}${text}${pad}${ticks}`
}

/** What could begin a code span, emphasis, a link, a picture or HTML. */
const escaped = (text: string) => text.replaceAll(/[\\`*[\]<>]/gu, String.raw`\$&`)

const cell = (text: string) => {
  const line = escaped(oneLine(text)).replaceAll("|", String.raw`\|`)
  return line.length > 48 ? `${line.slice(0, 47)}…` : line
}

/** Where each of the terms stands in the text, longest first, never two on one place. */
export const spansOf = (text: string, terms: ReadonlyArray<string>): ReadonlyArray<Span> => {
  const wanted = [...new Set(terms.filter((term) => term.trim() !== ""))].toSorted((a, b) => b.length - a.length)
  if (wanted.length === 0) return []
  const pattern = new RegExp(wanted.map(literally).join("|"), "giu")
  return text.split("\n").flatMap((content, line) =>
    [...content.matchAll(pattern)].map((match): Span => ({
      start: { line, character: match.index },
      end: { line, character: match.index + match[0].length }
    }))
  )
}

const literally = (term: string) => term.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)
