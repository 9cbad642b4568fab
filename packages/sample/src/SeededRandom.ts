/** The generator mulberry32, not suitable if values must be unpredictable. */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** A number of at least 0 and less than 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  integer(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<const List extends readonly [unknown, ...ReadonlyArray<unknown>]>(list: List): List[number] {
    return list[this.integer(0, list.length - 1)] ?? list[0]
  }

  /** At most `count` distinct items, because repeated picks count once. */
  pickSome<const List extends readonly [unknown, ...ReadonlyArray<unknown>]>(
    list: List,
    count: number
  ): ReadonlyArray<List[number]> {
    return [...new Set(Array.from({ length: count }, () => this.pick(list)))]
  }

  text(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet.charAt(this.integer(0, alphabet.length - 1))).join("")
  }

  uuid(): string {
    return [8, 4, 4, 4, 12].map((length) => this.text("0123456789abcdef", length)).join("-")
  }
}

export const digits = "0123456789"
export const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
export const lower = "abcdefghijklmnopqrstuvwxyz"
