/**
 * Writes a Markdown page for an editor.
 *
 * Values come from leaks and are untrusted. Each one is in a code span or a fenced block, where a preview creates no
 * links, images or HTML. The same applies to field names from the service.
 */
import { Redacted } from "effect"
import type { Span } from "../Editor.ts"
import { visible } from "../../words/HiddenCharacters.ts"
import { t } from "../../words/Localisation.ts"
import { masked, type Range, revealedTogether, withoutSecrets } from "./Secrets.ts"

export interface Written {
  readonly text: string
  /** Line of each secret, counted from 0, in the order of writing. */
  readonly secretLines: ReadonlyArray<number>
}

/** Whether a secret is revealed, by its number on the page, counted from 0. */
export type Reveals = (secret: number) => boolean

/** A text, optionally with the positions of its secrets. */
export type Content = string | { readonly text: string; readonly secrets: ReadonlyArray<Range> }

export class PageWriter {
  readonly #lines: Array<string> = []
  readonly #secretLines: Array<number> = []
  readonly #reveals: Reveals

  constructor(reveals: Reveals = () => false) {
    this.#reveals = reveals
  }

  heading(level: 1 | 2 | 3, text: string): this {
    this.#blank()
    this.#lines.push(`${"#".repeat(level)} ${escapeMarkdown(oneLine(text))}`, "")
    return this
  }

  /** A paragraph of escaped text. */
  paragraph(text: string): this {
    this.#blank()
    this.#lines.push(escapeMarkdown(oneLine(text)), "")
    return this
  }

  /** A note in italics. */
  aside(text: string): this {
    this.#blank()
    this.#lines.push(`*${escapeMarkdown(oneLine(text))}*`, "")
    return this
  }

  field(label: string, value: Content): this {
    this.#lines.push(`${named(label)} ${code(this.#shown(value))}`)
    return this
  }

  list(label: string, values: ReadonlyArray<Content>): this {
    this.#lines.push(named(label))
    for (const value of values) this.#lines.push(`  - ${code(this.#shown(value))}`)
    return this
  }

  /**
   * A link from the service, which is trusted as much as the service. Anything but a web address is written as a plain
   * value.
   */
  link(label: string, url: string): this {
    if (!/^https?:\/\//iu.test(url)) return this.field(label, url)
    this.#lines.push(`${named(label)} <${visible(url).replaceAll(/[<>\s\\]/gu, encodeURIComponent)}>`)
    return this
  }

  secret(label: string, value: Redacted.Redacted): this {
    const isRevealed = this.#secret()
    this.#lines.push(`${named(label)} ${isRevealed ? code(Redacted.value(value)) : masked}`)
    return this
  }

  block(label: string, content: Content): this {
    this.heading(3, label)
    const shown = visible(this.#shown(content, true))
    const fence = "`".repeat(Math.max(3, longestRun(shown) + 1))
    this.#lines.push(`${fence}text`)
    for (const line of linesOf(shown)) this.#lines.push(line)
    this.#lines.push(fence, "")
    return this
  }

  /** Pads columns, so that the table is readable as text, too. */
  table(headers: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): this {
    this.#blank()
    const cells = rows.map((row) => row.map(cell))
    const widths = headers.map((header, column) =>
      cells.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), Math.max(header.length, 3))
    )
    const line = (row: ReadonlyArray<string>) =>
      `| ${widths.map((width, column) => (row[column] ?? "").padEnd(width)).join(" | ")} |`
    this.#lines.push(line(headers), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`)
    for (const row of cells) this.#lines.push(line(row))
    this.#lines.push("")
    return this
  }

  done(): Written {
    return { text: `${this.#lines.join("\n").trimEnd()}\n`, secretLines: this.#secretLines }
  }

  /** The text without hidden secrets. Counts the lines of secrets, which in a block start after its fence. */
  #shown(content: Content, isBlock = false): string {
    if (typeof content === "string") return content
    const { secrets, text } = content
    const hidden: Array<Range> = []
    let line = this.#lines.length + (isBlock ? 1 : 0)
    let from = 0
    for (const together of revealedTogether(secrets)) {
      const { start = 0 } = together[0] ?? {}
      if (isBlock) line += linesOf(text.slice(from, start)).length - 1
      from = start
      if (this.#secret(line)) continue
      hidden.push(...together)
      from = together.at(-1)?.end ?? from
    }
    return withoutSecrets(text, hidden)
  }

  /** Registers a secret in the line, and returns whether it is revealed. */
  #secret(line = this.#lines.length): boolean {
    return this.#reveals(this.#secretLines.push(line) - 1)
  }

  #blank() {
    if (this.#lines.at(-1) !== "" && this.#lines.length > 0) this.#lines.push("")
  }
}

const linesOf = (text: string) => text.split(/\r\n|\r|\n/u)

const longestRun = (text: string) => {
  let longest = 0
  for (const [run] of text.matchAll(/`+/gu)) longest = Math.max(longest, run.length)
  return longest
}

const oneLine = (text: string) => visible(text).replaceAll(/\s+/gu, " ").trim()

const code = (value: string) => {
  const text = oneLine(value)
  if (text === "") return `*${t("empty")}*`
  const ticks = "`".repeat(longestRun(text) + 1)
  const pad = text.startsWith("`") || text.endsWith("`") ? " " : ""
  return `${ticks}${pad}${text}${pad}${ticks}`
}

const named = (label: string) => `- **${t("{0}:", escapeMarkdown(oneLine(label)))}**`

/** Characters that could start a code span, emphasis, a link, an image or HTML; and a bare URL, which a preview turns into a link. */
const escapeMarkdown = (text: string) => text.replaceAll(/[\\`*[\]<>]|:(?=\/\/)/gu, String.raw`\$&`)

const cell = (text: string) => {
  const line = oneLine(text)
  const short = line.length > 48 ? `${line.slice(0, 47).replace(/\p{Cs}$/u, "")}…` : line
  return escapeMarkdown(short).replaceAll("|", String.raw`\|`)
}

/**
 * Positions of the terms in the text, without overlaps; longer terms take precedence. Terms within a linked URL do not
 * count.
 */
export const spansOf = (text: string, terms: ReadonlyArray<string>): ReadonlyArray<Span> => {
  const pattern = patternOf(terms)
  if (pattern === undefined) return []
  return text.split("\n").flatMap((content, line) =>
    [...content.replaceAll(/<https?:[^>]*>/giu, (link) => " ".repeat(link.length)).matchAll(pattern)].map(
      (match): Span => ({
        start: { line, character: match.index },
        end: { line, character: match.index + match[0].length }
      })
    )
  )
}

/** A pattern that matches any of the terms, longer ones first; undefined if there are none. */
export const patternOf = (terms: ReadonlyArray<string>): RegExp | undefined => {
  const wanted = [...new Set(terms.filter((term) => term.trim() !== ""))].toSorted((a, b) => b.length - a.length)
  return wanted.length === 0 ? undefined : new RegExp(wanted.map(literally).join("|"), "giu")
}

const literally = (term: string) => term.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)
