/** One page of a listing. */
export interface Page<Item> {
  /** May be empty in the middle of a listing. */
  readonly items: ReadonlyArray<Item>
  /** Give it as `from`, with everything else unchanged, to go on after this page. Null on the last page, and there alone. */
  readonly next: string | null
}

export type Order = "asc" | "desc"

/** The words known today, and any that the service adds. */
export type Open<Words extends string> = Words | (string & {})
