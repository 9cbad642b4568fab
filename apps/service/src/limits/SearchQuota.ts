/**
 * Accounts for global searches. Each block of 100 results costs one unit, wherever a page begins, and is then free for
 * ten minutes. A tenant has a number of units per calendar month (UTC). See docs/api.md#limits-and-quota.
 *
 * Units are counted in memory and stored every second. So a crash loses the units of at most one second. Services over
 * the same data learn of each other's units with the same delay, and in a cluster also of the blocks that are free.
 */
import type { Vault } from "../crypto/Vault.ts"

export const resultsPerUnit = 100
export const freeAgainWithin = 10 * 60 * 1_000

export type SearchName = string

/** Services share these names through the store. The digest differs per tenant and reveals no search. */
export const searchName = (vault: Vault, tenantId: number, search: string): SearchName =>
  String(vault.blindIndex64("search-quota", `${tenantId} ${search}`))

export class SearchQuota {
  readonly #unitsAMonth: number
  #stored = new Map<string, number>()
  #unwritten = new Map<string, number>()
  #leaving = new Map<string, number>()
  #batchNumber = 0
  /** The units of all tenants for pages that were served since the start. Never decreases. */
  charged = 0
  /** When each block was paid, in two generations: dropping the older map forgets the oldest payments. */
  #recent = new Map<string, number>()
  #older = new Map<string, number>()
  /** Payments since the last `takePaid`. */
  #newlyPaid = new Map<string, number>()

  constructor(unitsAMonth: number) {
    this.#unitsAMonth = unitsAMonth
  }

  knows(tenantId: number, month: string): boolean {
    return this.#stored.has(account(tenantId, month))
  }

  /** `batch` is the last batch of this service that the units include. */
  learn({ batch, month, tenantId, units }: QuotaUse & { readonly batch?: number | undefined }): void {
    const name = account(tenantId, month)
    this.#stored.set(name, units)
    // A write whose outcome was unknown has succeeded.
    if (batch === this.#batchNumber) this.#leaving.delete(name)
  }

  /** Call `learn` for the tenant first: units that were not read from the store count as unused. */
  remaining(tenantId: number, now: number): number {
    const name = account(tenantId, monthOf(now))
    const used = (this.#stored.get(name) ?? 0) + (this.#leaving.get(name) ?? 0) + (this.#unwritten.get(name) ?? 0)
    return Math.max(0, this.#unitsAMonth - used)
  }

  /**
   * Charges before the search runs, so that concurrent searches cannot spend the same unit. Undefined if none is left.
   */
  pay(tenantId: number, search: SearchName, position: number, now: number): Payment | undefined {
    const first = blockOf(position)
    // V8 hashes a concatenated string at the first look-up, so the name is built once for all look-ups below.
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

  /** Returns the same batch until `confirmWritten`: a write that failed may have succeeded. */
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

  /** Forgets the stored units, because other services may have spent some, too. */
  confirmWritten(): void {
    this.#leaving = new Map()
    this.#stored = new Map()
  }

  takePaid(): PaidBlocks {
    const paid = this.#newlyPaid
    this.#newlyPaid = new Map()
    return paid
  }

  /** Undoes `takePaid` if the blocks could not be shared: the next call returns them again. */
  restorePaid(paid: PaidBlocks): void {
    this.#newlyPaid = new Map([...paid, ...this.#newlyPaid])
  }

  /** Records blocks that were paid through other services. Idempotent. */
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
    const name = account(tenantId, monthOf(now))
    this.#unwritten.set(name, (this.#unwritten.get(name) ?? 0) + units)
  }

  #isPaid(name: string, now: number): boolean {
    const paidAt = this.#paidAt(name)
    // A time far in the future is from before the clock was set back.
    return paidAt !== undefined && Math.abs(now - paidAt) < freeAgainWithin
  }
}

/** When blocks of results were paid, in milliseconds since 1970. The names contain no secret. */
export type PaidBlocks = ReadonlyMap<string, number>

/** The charge for one page. Call one of these functions exactly once. */
export interface Payment {
  /** Charges the additional units for the page's `count` results. */
  readonly complete: (count: number, hasNext: boolean) => QuotaLeft
  /** Undoes the charge of a page that was not served. */
  readonly refund: () => void
}

export interface QuotaLeft {
  readonly remaining: number
  /** Whether there is a next page, and it costs another unit. */
  readonly batchReached: boolean
}

export interface QuotaUse {
  readonly tenantId: number
  readonly month: string
  readonly units: number
}

export interface QuotaBatch {
  /** The sequence number of the batch in this service, so that a batch which is stored twice counts once. */
  readonly number: number
  readonly uses: ReadonlyArray<QuotaUse>
}

/** The time when the quota renews, in milliseconds since 1970. */
export const quotaRenewal = (now: number): number => {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

/** Maximum number of blocks per generation. A block that is forgotten too early costs its tenant a unit. */
const maximumRecent = 50_000

const account = (tenantId: number, month: string): string => `${tenantId} ${month}`

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
