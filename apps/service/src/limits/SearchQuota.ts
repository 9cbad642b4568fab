/**
 * Accounts for global searches: each block of 100 results costs a unit, wherever a page begins, and is then free for ten
 * minutes. A tenant has a number of units per calendar month (UTC). See docs/api.md#limits-and-quota.
 *
 * Units are counted in memory and stored every second: a crash loses one second's units at most, and services over the same
 * data learn of each other's units, and in a cluster of what is free, with the same delay.
 */
import type { Vault } from "../crypto/Vault.ts"

export const resultsPerUnit = 100
export const freeAgainWithin = 10 * 60 * 1_000

/** Identifies a search. Must differ between queries and contain no secret. */
export type SearchName = string

/**
 * Services share the names of paid searches through the store. A name has a digest of its own for each tenant: who reads the
 * store can neither find the records that were searched for, nor see that two tenants searched for the same.
 */
export const searchName = (vault: Vault, tenantId: number, search: string): SearchName =>
  String(vault.blindIndex64("search-quota", `${tenantId} ${search}`))

export class SearchQuota {
  readonly #unitsAMonth: number
  /** As last read from the store. */
  #stored = new Map<string, number>()
  #unwritten = new Map<string, number>()
  /** Being stored, as one batch. */
  #leaving = new Map<string, number>()
  /** The number of the last batch. */
  #batchNumber = 0
  /** Units of every tenant, for pages that were served since the start: it never falls. */
  charged = 0
  /** When each block was paid. Two generations: dropping the older map forgets the oldest payments. */
  #recent = new Map<string, number>()
  #older = new Map<string, number>()
  /** Payments since the last `takePaid`. */
  #newlyPaid = new Map<string, number>()

  constructor(unitsAMonth: number) {
    this.#unitsAMonth = unitsAMonth
  }

  /** Whether the use of the tenant was read from the store within about the last second. */
  knows(tenantId: number, month: string): boolean {
    return this.#stored.has(account(tenantId, month))
  }

  /** Records what the store says that a tenant used, and up to which batch of this service. */
  learn({ batch, month, tenantId, units }: QuotaUse & { readonly batch?: number | undefined }): void {
    const name = account(tenantId, month)
    this.#stored.set(name, units)
    // A write whose outcome was unknown succeeded.
    if (batch === this.#batchNumber) this.#leaving.delete(name)
  }

  /** Call `learn` for the tenant first: units that were not read from the store count as unused. */
  remaining(tenantId: number, now: number): number {
    const name = account(tenantId, monthOf(now))
    const used = (this.#stored.get(name) ?? 0) + (this.#leaving.get(name) ?? 0) + (this.#unwritten.get(name) ?? 0)
    return Math.max(0, this.#unitsAMonth - used)
  }

  /**
   * Charges a page before the search, so that concurrent searches cannot spend the same unit. `position` is the number of
   * results before the page. Undefined if the tenant has no units left.
   */
  pay(tenantId: number, search: SearchName, position: number, now: number): Payment | undefined {
    const first = blockOf(position)
    // V8 hashes a concatenated text at the first look-up: the name is built once for all look-ups below.
    const name = blockName(tenantId, search, first)
    const isFree = this.#isPaid(name, now)
    if (!isFree && this.remaining(tenantId, now) === 0) return undefined
    if (!isFree) this.#charge(tenantId, name, now)
    return {
      complete: (count, hasNext) => {
        const end = position + count
        this.charged += isFree ? 0 : 1
        for (let block = first + 1; block <= blockOf(end - 1); block += 1) {
          const name = blockName(tenantId, search, block)
          if (this.#isPaid(name, now)) continue
          this.#charge(tenantId, name, now)
          this.charged += 1
        }
        return {
          remaining: this.remaining(tenantId, now),
          batchReached: hasNext && !this.#isPaid(blockName(tenantId, search, blockOf(end)), now)
        }
      },
      refund: () => {
        if (isFree) return
        this.#use(-1, tenantId, now)
        this.#recent.delete(name)
        this.#older.delete(name)
        this.#newlyPaid.delete(name)
      }
    }
  }

  /**
   * Returns what was spent since the last batch, to be stored. Call `confirmWritten` once it is stored: until then, the next call
   * returns the same batch, because a write that failed may have succeeded.
   */
  takeUnwritten(): QuotaBatch {
    if (this.#leaving.size === 0) {
      this.#leaving = this.#unwritten
      this.#unwritten = new Map()
      this.#batchNumber += 1
    }
    const uses = [...this.#leaving].map(([name, units]) => {
      const [tenantId = "", month = ""] = name.split(" ")
      return { tenantId: Number(tenantId), month, units }
    })
    return { number: this.#batchNumber, uses }
  }

  /** All of it was stored. The use of every tenant must be read again, because other services may have spent units too. */
  confirmWritten(): void {
    this.#leaving = new Map()
    this.#stored = new Map()
  }

  /** The blocks that were paid here, and when, for other services. */
  takePaid(): PaidBlocks {
    const paid = this.#newlyPaid
    this.#newlyPaid = new Map()
    return paid
  }

  /** Restores payments that were not shared with other services: the next `takePaid` returns them again. */
  restorePaid(paid: PaidBlocks): void {
    this.#newlyPaid = new Map([...paid, ...this.#newlyPaid])
  }

  /** Blocks that were paid through other services: the same page twice changes nothing. */
  learnPaid(paid: PaidBlocks): void {
    for (const [name, paidAt] of paid) if (paidAt > (this.#paidAt(name) ?? 0)) this.#remember(name, paidAt)
  }

  #charge(tenantId: number, name: string, now: number): void {
    this.#use(1, tenantId, now)
    this.#remember(name, now)
    this.#newlyPaid.set(name, now)
  }

  #remember(name: string, paidAt: number): void {
    if (this.#recent.size >= maximumRecent) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(name, paidAt)
  }

  #paidAt(name: string): number | undefined {
    return this.#recent.get(name) ?? this.#older.get(name)
  }

  #use(units: number, tenantId: number, now: number): void {
    add(this.#unwritten, account(tenantId, monthOf(now)), units)
  }

  #isPaid(name: string, now: number): boolean {
    const paidAt = this.#paidAt(name)
    // A payment that is far in the future was made before the clock was set back.
    return paidAt !== undefined && Math.abs(now - paidAt) < freeAgainWithin
  }
}

/** When blocks of results were paid, in milliseconds since 1970. The names contain no secret. */
export type PaidBlocks = ReadonlyMap<string, number>

/** The charge for one page; complete it with one of these. */
export interface Payment {
  /** Charges the units that the page's `count` results cost beyond the first. */
  readonly complete: (count: number, hasNext: boolean) => QuotaLeft
  /** Undoes the charge, for a page that was not served. */
  readonly refund: () => void
}

export interface QuotaLeft {
  /** Units. */
  readonly remaining: number
  /** Whether there is a next page that costs another unit. */
  readonly batchReached: boolean
}

export interface QuotaUse {
  readonly tenantId: number
  readonly month: string
  readonly units: number
}

export interface QuotaBatch {
  /** Counts the batches of one service; one that is stored twice counts once. */
  readonly number: number
  readonly uses: ReadonlyArray<QuotaUse>
}

/** The time when the quota renews, in milliseconds since 1970. */
export const quotaRenewal = (now: number): number => {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

/** Blocks in a generation. Forgetting one early costs its tenant a unit. */
const maximumRecent = 50_000

const account = (tenantId: number, month: string): string => `${tenantId} ${month}`

const add = (units: Map<string, number>, name: string, more: number): void => {
  units.set(name, (units.get(name) ?? 0) + more)
}

/** The hundred results that one unit buys, counted from 0. */
const blockOf = (position: number): number => Math.floor(position / resultsPerUnit)

const blockName = (tenantId: number, search: SearchName, block: number): string => `${tenantId} ${search} ${block}`

let monthStart = 0
let monthEnd = 0
let monthName = ""

/** As in `2026-11`. */
export const monthOf = (now: number): string => {
  if (now < monthStart || now >= monthEnd) {
    const date = new Date(now)
    monthStart = Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
    monthEnd = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
    monthName = date.toISOString().slice(0, 7)
  }
  return monthName
}
