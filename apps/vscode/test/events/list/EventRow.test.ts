import { assert, describe, it } from "@effect/vitest"
import { eventRow, severityIcon } from "../../../src/events/list/EventRow.ts"
import { nextChange, shortAge } from "../../../src/words/Dates.ts"

const now = Date.parse("2026-11-22T08:00:00Z")
const event = {
  metadata: {
    uid: "leak/somewhere/1",
    type: "stealer_log",
    severity: "critical" as const,
    estimated_created_at: "2026-11-22T05:00:00Z",
    matched_at: null,
    title: "Selling initial access to the shop of Example Corp"
  },
  tenant_metadata: { severity: null, tags: [], notes: null },
  highlights: {}
}
const row = (given: Parameters<typeof eventRow>[0] = event, isNew = false) =>
  eventRow(given, { id: "row", now, masked: false, isNew })

describe("the row of an event", () => {
  it("has its age first, which is visible beside any title in a sidebar of 300 pixels, and the rest in the tooltip", () => {
    const { accessibleLabel, description, label, tooltip } = row()
    assert.strictEqual(label, "3h · Selling initial access to the shop of Example Corp")
    assert.strictEqual(description, "")
    assert.include(tooltip?.() ?? "", "Selling initial access to the shop of Example Corp")
    assert.include(tooltip?.() ?? "", "stealer log")
    assert.strictEqual(
      accessibleLabel,
      "critical, stealer log, Selling initial access to the shop of Example Corp, 3 hours ago"
    )
    assert.strictEqual(row(event, true).description, "new")
  })

  it("marks the matched words of its title, and leaves it to the editor to shorten the title", () => {
    const title = "Selling initial access to the shop of <mark>Example</mark> Corp"
    const { highlights, label } = row({ ...event, highlights: { title: [title] } })
    assert.deepStrictEqual(
      highlights?.map(([from, to]) => label.slice(from, to)),
      ["Example"]
    )
  })

  it("shows type and source if the service returns no title", () => {
    const { title: _, ...metadata } = event.metadata
    const { accessibleLabel, label, tooltip } = row({ ...event, metadata })
    assert.strictEqual(label, "3h · stealer log · somewhere")
    assert.strictEqual(accessibleLabel, "critical, stealer log · somewhere, 3 hours ago")
    assert.include(tooltip?.() ?? "", event.metadata.uid)
  })

  it("is called an event if the service says nothing about it", () => {
    const { accessibleLabel, label, tooltip } = row({
      ...event,
      metadata: { uid: "", type: "", severity: "", estimated_created_at: null, matched_at: null }
    })
    assert.deepStrictEqual([label, accessibleLabel, tooltip?.()], ["Event", "Event", "Event"])
  })

  it("names an identifier that is a secret by its number", () => {
    assert.include(row({ ...event, identifiers: [{ id: 11, name: "<redacted>" }] }).tooltip?.() ?? "", "Secret 11")
  })

  it("has its own icon and colour for critical and for high", () => {
    assert.notStrictEqual(severityIcon("critical").id, severityIcon("high").id)
    assert.notStrictEqual(severityIcon("critical").color, severityIcon("high").color)
  })

  it("is dimmed once the event is remediated or ignored", () => {
    assert.isFalse(row().isDimmed)
    for (const field of ["remediated_at", "ignored_at"]) {
      const { description, isDimmed } = row({
        ...event,
        tenant_metadata: { ...event.tenant_metadata, [field]: "2026-11-22T06:00:00Z" }
      })
      assert.isTrue(isDimmed)
      assert.include(description, field === "remediated_at" ? "remediated" : "ignored")
    }
  })
})

describe("the ages of rows", () => {
  it("have different units, and are left out if there is no time", () => {
    const day = 86_400_000
    const ages = [1000, 60_000, 3_600_000, day, 31 * day, 366 * day].map((age) =>
      shortAge(new Date(now - 5 * age).toISOString(), now)
    )
    assert.deepStrictEqual(ages, ["5s", "5m", "5h", "5d", "5mo", "5y"])
    assert.strictEqual(shortAge("yesterday", now), "")
    assert.strictEqual(shortAge(null, now), "")
  })

  it("change when the next unit is over", () => {
    const minutes = (count: number) => new Date(now - count * 60_000).toISOString()
    assert.strictEqual(nextChange(minutes(150.5), now), now + 29.5 * 60_000)
    assert.strictEqual(nextChange(minutes(2.25), now), now + 45_000)
    for (const time of [null, "no time"]) assert.strictEqual(nextChange(time, now), Number.POSITIVE_INFINITY)
  })
})
