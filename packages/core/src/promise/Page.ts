/** One page of a listing. */
export interface Page<Item> {
  /** May be empty in the middle of a listing. */
  readonly items: ReadonlyArray<Item>
  /** The cursor of the next page: pass it as `from`, with everything else unchanged. Null only on the last page. */
  readonly next: string | null
}

export type Order = "asc" | "desc"

/** The known values, and any that the service adds later. */
export type Open<Words extends string> = Words | (string & {})
