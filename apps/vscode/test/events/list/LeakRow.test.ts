/** Tests the row of several events of one leak and day. */
import { afterAll, assert, beforeAll, it, vi } from "vitest"
import { withLeaksOfDay } from "../../../src/events/list/EventGroups.ts"
import { event } from "../../Running.ts"

// Formats keep the time zone of their creation, so the module is loaded again.
beforeAll(() => {
  vi.stubEnv("TZ", "Pacific/Auckland")
  vi.resetModules()
})
afterAll(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

it("names the day by which its events are grouped, in UTC", async () => {
  const { leakRow } = await import("../../../src/events/list/LeakRow.ts")
  const at = (id: number, time: string) => {
    const { metadata, ...rest } = event(id)
    return { ...rest, metadata: { ...metadata, estimated_created_at: `2026-11-20T${time}Z` } }
  }
  const [leak] = withLeaksOfDay([at(1, "23:30:00"), at(2, "00:30:00")])
  assert(leak !== undefined && "events" in leak)
  const { tooltip } = leakRow(leak, { id: "leak", now: Date.UTC(2026, 10, 22), masked: false, isNew: false })
  assert.include(tooltip?.() ?? "", "2 events of this leak on Nov 20, 2026")
})
