import { assert, describe, it } from "@effect/vitest"
import type { AnyEvent } from "../../src/events/AnyEvent.ts"
import { isSelected } from "../../src/events/list/EventSelection.ts"
import { overviewOf, type Tally } from "../../src/overview/Overview.ts"
import { defaultFilter } from "../../src/overview/OverviewFilter.ts"
import { nextVisit } from "../../src/overview/OverviewView.ts"

const now = Date.parse("2026-11-22T23:30:00Z")
const whole = { isOfTenant: true, isPartial: false } as const
const severities = ["info", "low", "medium", "high", "critical", "apocalyptic"]
const day = 86_400_000

const event = (number: number, daysAgo: number): AnyEvent => ({
  metadata: {
    uid: `leak/source_${number % 3}/${number}`,
    type: number % 2 === 0 ? "paste" : "stealer_log",
    severity: severities[number % severities.length] ?? "",
    estimated_created_at: new Date(now - daysAgo * day).toISOString(),
    matched_at: null
  },
  tenant_metadata: { severity: null, tags: [], notes: null },
  highlights: {},
  identifiers: [
    { id: number % 4, name: `identifier ${number % 4}` },
    { id: 9, name: "of all" }
  ]
})

const talliesOf = (overview: ReturnType<typeof overviewOf>): ReadonlyArray<Tally> => [
  overview.all,
  ...overview.bySeverity,
  ...overview.byTime,
  ...overview.byIdentifier,
  ...overview.byType,
  ...overview.bySource,
  ...(overview.fresh === undefined ? [] : [overview.fresh])
]

describe("the overview", () => {
  const events = Array.from({ length: 400 }, (_, number) => event(number, number / 8))

  it.each([
    defaultFilter,
    { period: "days", severity: "high" },
    { period: "months", severity: "info" },
    { period: "months", severity: "critical" }
  ] as const)("counts exactly the events that each number leads to: $period, $severity", (filter) => {
    const overview = overviewOf(events, { ...whole, filter, now, since: new Date(now - day).toISOString() })
    assert.isAbove(overview.all.total, 0)
    for (const { key, parts, selection, total } of talliesOf(overview)) {
      assert.strictEqual(total, events.filter((each) => isSelected(each, selection)).length, key)
      assert.strictEqual(
        parts.reduce((sum, { count }) => sum + count, 0),
        total
      )
      for (const { count, severity } of parts) {
        const narrowed = { ...selection, severities: [severity] }
        assert.strictEqual(count, events.filter((each) => isSelected(each, narrowed)).length, `${key} ${severity}`)
      }
    }
    const inTime = overview.byTime.reduce((sum, { total }) => sum + total, 0)
    assert.strictEqual(inTime, overview.all.total)
  })

  it("has a column for each of 30 days or 12 months, the last one today's", () => {
    const days = overviewOf(events, { ...whole, filter: defaultFilter, now, since: undefined })
    assert.deepStrictEqual(
      [days.byTime.length, days.byTime[0]?.key, days.byTime[29]?.key],
      [30, "2026-10-24", "2026-11-22"]
    )
    assert.strictEqual(days.loaded, 400)
    assert.isUndefined(days.fresh)
    const months = overviewOf(events, {
      ...whole,
      filter: { period: "months", severity: "info" },
      now,
      since: undefined
    })
    assert.deepStrictEqual(
      [months.byTime.length, months.byTime[0]?.key, months.byTime[11]?.key],
      [12, "2025-12", "2026-11"]
    )
  })

  it("orders by number, severities by rank with an unknown one first, and names identifiers", () => {
    const { byIdentifier, bySeverity } = overviewOf(events, { ...whole, filter: defaultFilter, now, since: undefined })
    assert.deepStrictEqual(byIdentifier[0]?.selection.identifier, { id: 9, name: "of all" })
    assert.deepStrictEqual(
      bySeverity.map(({ key }) => key),
      ["apocalyptic", "critical", "high", "medium", "low", "info"]
    )
  })

  it("is empty without events", () => {
    const overview = overviewOf([], { ...whole, filter: defaultFilter, now, since: undefined })
    assert.strictEqual(overview.all.total, 0)
    assert.isTrue(overview.byTime.every(({ total }) => total === 0))
    assert.deepStrictEqual(
      [overview.bySeverity, overview.byIdentifier, overview.byType, overview.bySource],
      [[], [], [], []]
    )
  })
})

describe("a visit", () => {
  it("counts events since the previous visit, which ended at least an hour earlier", () => {
    const first = nextVisit(undefined, 0)
    assert.isUndefined(first.since)
    const second = nextVisit(first, 3_600_000)
    assert.strictEqual(second.since, 0)
    const goesOn = nextVisit(nextVisit(second, 5_000_000), 8_000_000)
    assert.deepStrictEqual(goesOn, { since: 0, last: 8_000_000 })
    assert.strictEqual(nextVisit(goesOn, 20_000_000).since, 8_000_000)
  })
})
