/** Spans of a text, in UTF-16 units. */
export interface Span {
  readonly start: number
  /** Exclusive. */
  readonly end: number
}

/** Sorted spans; overlapping ones are merged. */
export class Spans {
  readonly #spans: ReadonlyArray<Span>

  private constructor(spans: ReadonlyArray<Span>) {
    this.#spans = spans
  }

  static of(spans: ReadonlyArray<Span>): Spans {
    const merged: Array<{ start: number; end: number }> = []
    for (const { end, start } of spans.toSorted((a, b) => a.start - b.start)) {
      const last = merged.at(-1)
      if (last !== undefined && start < last.end) last.end = Math.max(last.end, end)
      else merged.push({ start, end })
    }
    return new Spans(merged)
  }

  /** The spans in text order. */
  get all(): ReadonlyArray<Span> {
    return this.#spans
  }

  /** The spans that share a character with `start` to `end`. */
  within(start: number, end: number): ReadonlyArray<Span> {
    let low = 0
    let high = this.#spans.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#spans[middle]?.end ?? 0) <= start) low = middle + 1
      else high = middle
    }
    let after = low
    while ((this.#spans[after]?.start ?? end) < end) after += 1
    return this.#spans.slice(low, after)
  }

  overlap(start: number, end: number): boolean {
    return this.within(start, end).length > 0
  }
}
