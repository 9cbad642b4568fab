/** The pages that the measurements of packages/core read. */
import { credentialAt } from "./SyntheticCredentials.ts"

export const pageSize = 10_000

/** Everybody is found by it. */
export const query = { type: "domain", fqdn: "example.com" } as const

/** The text of a page; `next` is as wide for every page. */
export const pageText = (number: number, isLast = false): string =>
  JSON.stringify({
    items: Array.from({ length: pageSize }, (_, at) => credentialAt(number * pageSize + at)),
    next: isLast ? null : cursorAfter(number)
  })

export const cursorAfter = (number: number): string => `page-${String(number + 1).padStart(10, "0")}`

export const numberOf = (cursor: string | null | undefined): number => (cursor == null ? 0 : Number(cursor.slice(5)))
