import { assert, describe, it } from "@effect/vitest"
import type { AnyEvent } from "../../../src/events/AnyEvent.ts"
import { groupEvents, withLeaksOfDay } from "../../../src/events/list/EventGroups.ts"
import { leakRow } from "../../../src/events/list/LeakRow.ts"

const event = (uid: string, type: string, day: string, severity: "critical" | "high" | "low" = "low"): AnyEvent => ({
  metadata: { uid, type, severity, estimated_created_at: `${day}T05:00:00Z`, matched_at: null },
  tenant_metadata: { severity: null, tags: [], notes: null },
  highlights: {}
})

const events = [
  event("paste/notes/1", "paste", "2026-11-22"),
  event("leak/mothlamp/1", "leaked_credential", "2026-11-22"),
  event("leak/other/1", "leaked_credential", "2026-11-22"),
  event("leak/mothlamp/2", "stealer_log", "2026-11-22", "critical"),
  event("paste/notes/2", "paste", "2026-11-22"),
  event("leak/mothlamp/3", "leaked_credential", "2026-11-21")
]

describe("events of one leak and day", () => {
  const entries = withLeaksOfDay(events)

  it("are one entry at the position of the first; other events, and those of other days, stay separate", () => {
    assert.deepStrictEqual(
      entries.map((entry) =>
        "metadata" in entry ? entry.metadata.uid : entry.events.map(({ metadata }) => metadata.uid)
      ),
      ["paste/notes/1", ["leak/mothlamp/1", "leak/mothlamp/2"], "leak/other/1", "paste/notes/2", "leak/mothlamp/3"]
    )
  })

  it("are described by their leak, with their number, age and highest severity", () => {
    const leak = entries.find((entry) => "events" in entry)
    assert.isDefined(leak)
    const row = leakRow(leak, { id: "row", now: Date.parse("2026-11-22T08:00:00Z"), masked: false, isNew: true })
    assert.deepInclude(row, { label: "3h · mothlamp", description: "2 events · new", state: "closed" })
    assert.strictEqual(row.icon?.id, "debug-breakpoint-log")
    assert.strictEqual(row.accessibleLabel, "critical, new, leak, mothlamp, 2 events, 3 hours ago")
    assert.strictEqual(row.tooltip?.(), "mothlamp\n2 events of this leak on Nov 22, 2026\ncritical")
  })
})

it("has group names that begin with a capital, like every row that is not data", () => {
  const labels = (by: "severity" | "type") => groupEvents(events, by).map(({ label }) => label)
  assert.deepStrictEqual(labels("severity"), ["Critical", "Low"])
  assert.deepStrictEqual(labels("type"), ["Leaked credential", "Paste", "Stealer log"])
})
