/**
 * What global searches cost: a tenant has so many units a calendar month (UTC), one unit buys one search of up to a
 * hundred results, its later pages are the same search, and the same search within ten minutes is free. SPEC 8.
 *
 * Counted in memory and written down every second: a crash forgets a second's worth at most, and two services over one
 * database know of each other's spending as late.
 */
import * as Schema from "effect/Schema"
import { type Connection, query } from "../sqlite/Connection.ts"
import { job } from "../sqlite/Job.ts"

export const resultsPerUnit = 100
export const freeAgainWithin = 10 * 60 * 1_000

/** What a search is known by: it must tell queries apart, and hold no secret. */
export type SearchName = string

export class SearchQuota {
  readonly #connection: Connection
  readonly #unitsAMonth: number
  /** As last read from the database. */
  #written = new Map<string, number>()
  #unwritten = new Map<string, number>()
  /** On its way to the database. */
  #leaving = new Map<string, number>()
  /** In two generations, so that forgetting the oldest is forgetting a map. */
  #recent = new Map<string, Paid>()
  #older = new Map<string, Paid>()

  constructor(connection: Connection, unitsAMonth: number) {
    this.#connection = connection
    this.#unitsAMonth = unitsAMonth
  }

  remaining(tenantId: number, now: number): number {
    return Math.max(0, this.#unitsAMonth - this.#usedBy(tenantId, monthOf(now)))
  }

  /**
   * Pays for the page that starts `position` results into its search before it is looked for, so that searches on their
   * way at once cannot spend the same unit. Undefined where the tenant has nothing left.
   */
  pay(tenantId: number, search: SearchName, position: number, now: number): Payment | undefined {
    const units = unitsFor(position + 1)
    const paid = this.#paid(`${tenantId} ${search}`, now)
    if (units > paid && this.remaining(tenantId, now) === 0) return undefined
    this.#chargeUpTo(units, tenantId, search, now)
    return {
      served: (count, hasNext) => {
        const end = position + count
        const nextCosts = unitsFor(end + 1) > this.#chargeUpTo(unitsFor(end), tenantId, search, now)
        return { remaining: this.remaining(tenantId, now), batchReached: hasNext && nextCosts }
      },
      refund: () => this.#refund(Math.max(0, units - paid), tenantId, search, now)
    }
  }

  /** What was spent since this was last asked, to be written down. `learn` or `giveBack` says how that ended. */
  takeUnwritten(): ReadonlyArray<QuotaUse> {
    this.#leaving = this.#unwritten
    this.#unwritten = new Map()
    return [...this.#leaving].map(([account, units]) => {
      const [tenantId = "", month = ""] = account.split(" ")
      return { tenantId: Number(tenantId), month, units }
    })
  }

  /** Nothing is left to be written: the database knows best, what another process spent included. */
  learn(): void {
    this.#leaving = new Map()
    this.#written = new Map()
  }

  /** What could not be written down stays to be written. */
  giveBack(): void {
    for (const [account, units] of this.#leaving) add(this.#unwritten, account, units)
    this.#leaving = new Map()
  }

  /** The units paid for the search then. */
  #chargeUpTo(units: number, tenantId: number, search: SearchName, now: number): number {
    const name = `${tenantId} ${search}`
    const paid = this.#paid(name, now)
    if (units <= paid) return paid
    this.#use(units - paid, tenantId, now)
    if (this.#recent.size >= maximumRecent) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(name, { at: now, units })
    return units
  }

  #refund(units: number, tenantId: number, search: SearchName, now: number): void {
    const name = `${tenantId} ${search}`
    this.#use(-units, tenantId, now)
    this.#recent.set(name, { at: now, units: Math.max(0, this.#paid(name, now) - units) })
  }

  #use(units: number, tenantId: number, now: number): void {
    add(this.#unwritten, `${tenantId} ${monthOf(now)}`, units)
  }

  #usedBy(tenantId: number, month: string): number {
    const account = `${tenantId} ${month}`
    let written = this.#written.get(account)
    if (written === undefined) {
      written = this.#connection.first(unitsUsed, tenantId, month)?.units ?? 0
      this.#written.set(account, written)
    }
    return written + (this.#leaving.get(account) ?? 0) + (this.#unwritten.get(account) ?? 0)
  }

  #paid(name: string, now: number): number {
    const paid = this.#recent.get(name) ?? this.#older.get(name)
    return paid === undefined || now - paid.at >= freeAgainWithin ? 0 : paid.units
  }
}

/** For one page: end it with one of these. */
export interface Payment {
  /** The page had `count` results: whatever they cost beyond its beginning is charged. */
  readonly served: (count: number, hasNext: boolean) => QuotaLeft
  /** The page was never served, and costs nothing. */
  readonly refund: () => void
}

export interface QuotaLeft {
  /** Units. */
  readonly remaining: number
  /** Whether there is a next page, and it costs another unit. */
  readonly batchReached: boolean
}

interface Paid {
  readonly at: number
  readonly units: number
}

export interface QuotaUse {
  readonly tenantId: number
  readonly month: string
  readonly units: number
}

export const writeQuotaUse = job("limits.writeQuotaUse", ({ connection }, uses: ReadonlyArray<QuotaUse>): void => {
  for (const { month, tenantId, units } of uses) {
    connection.run(
      `INSERT INTO quota_use (tenant_id, month, units) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET units = units + excluded.units`,
      tenantId,
      month,
      units
    )
  }
})

/** Whole seconds until the quota is whole again. */
export const secondsToNextMonth = (now: number): number => {
  const date = new Date(now)
  return Math.ceil((Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) - now) / 1_000)
}

/** Searches remembered as paid for; forgetting one early costs the tenant a unit, memory costs everybody. */
const maximumRecent = 50_000

const unitsUsed = query(
  Schema.Struct({ units: Schema.Int }),
  "SELECT units FROM quota_use WHERE tenant_id = ? AND month = ?"
)

const add = (units: Map<string, number>, account: string, more: number): void => {
  units.set(account, (units.get(account) ?? 0) + more)
}

const unitsFor = (results: number): number => Math.max(1, Math.ceil(results / resultsPerUnit))

let monthStart = 0
let monthEnd = 0
let monthName = ""

/** As in `2026-11`. */
const monthOf = (now: number): string => {
  if (now < monthStart || now >= monthEnd) {
    const date = new Date(now)
    monthStart = Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
    monthEnd = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
    monthName = date.toISOString().slice(0, 7)
  }
  return monthName
}
