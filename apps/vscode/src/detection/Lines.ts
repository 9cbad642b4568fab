/** Positions of values in a text, before and after an edit. */
import type { Location } from "@threat-exposure/detect/Candidate"
import type { Position, Span } from "../editor/Editor.ts"

/** A text with an index of its line starts, so that a lookup does not scan the text again. */
export class Lines {
  readonly #text: string
  readonly #starts: Array<number> = [0]

  constructor(text: string) {
    this.#text = text
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#starts.push(at + 1)
  }

  /** A line without its line ending. Lines are counted from 0. */
  line(number: number): string {
    const start = this.#starts[number]
    if (start === undefined) return ""
    return this.#text.slice(start, this.#starts[number + 1] ?? this.#text.length).replace(/\r?\n$/u, "")
  }

  offset({ line, character }: Position): number {
    return (this.#starts[line] ?? this.#text.length) + character
  }

  text({ start, end }: Span): string {
    return this.#text.slice(this.offset(start), this.offset(end))
  }

  span(start: number, length: number): Span {
    return { start: this.#position(start), end: this.#position(start + length) }
  }

  /** The occurrence of a text that is nearest to a position; undefined if there is none. */
  nearest(wanted: string, to: Position): Span | undefined {
    let best: Span | undefined
    for (let at = this.#text.indexOf(wanted); at >= 0; at = this.#text.indexOf(wanted, at + 1)) {
      const span = this.span(at, wanted.length)
      if (best === undefined || distance(span.start, to) < distance(best.start, to)) best = span
    }
    return best
  }

  #position(offset: number): Position {
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low, character: offset - (this.#starts[low] ?? 0) }
  }
}

export const spanOf = ({ column, endColumn, endLine, line }: Location): Span => ({
  start: { line: line - 1, character: column - 1 },
  end: { line: endLine - 1, character: endColumn - 1 }
})

/** A distance in lines outweighs any distance in columns. */
const distance = (a: Position, b: Position) =>
  Math.abs(a.line - b.line) * 1_000_000 + Math.min(999_999, Math.abs(a.character - b.character))
