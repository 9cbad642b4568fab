import { assert, describe, it } from "@effect/vitest"
import { type AnyEvent, mergeEvents } from "../../../src/events/AnyEvent.ts"
import { arrivalOf, describeSelection, isSelected } from "../../../src/events/list/EventSelection.ts"

const event: AnyEvent = {
  metadata: {
    uid: "leak/mothlamp_logs/1",
    type: "stealer_log",
    severity: "high",
    estimated_created_at: "2026-11-20T23:30:00-02:00",
    matched_at: "2026-11-22T07:00:00Z"
  },
  tenant_metadata: { severity: { original: "high", override: "critical" }, tags: [], notes: null },
  highlights: {},
  identifiers: [{ id: 7, name: "example.com" }]
}

describe("a selection of events", () => {
  it("contains the events that match every field, by the tenant's severity and the day in UTC", () => {
    const fits = {
      severities: ["critical"],
      type: "stealer_log",
      source: "mothlamp_logs",
      identifier: { id: 7, name: "" },
      from: "2026-11-21",
      before: "2026-11-22",
      arrivedAfter: "2026-11-22T06:59:59Z"
    }
    assert.isTrue(isSelected(event, {}))
    assert.isTrue(isSelected(event, fits))
    for (const other of [
      { severities: ["high"] },
      { type: "leak" },
      { source: "leak" },
      { identifier: { id: 8, name: "example.com" } },
      { from: "2026-11-22" },
      { before: "2026-11-21" },
      { arrivedAfter: "2026-11-22T07:00:00Z" }
    ]) {
      assert.isFalse(isSelected(event, { ...fits, ...other }), JSON.stringify(other))
    }
  })

  it("counts an event that was never matched as arrived when it was seen", () => {
    const { metadata, ...rest } = event
    assert.strictEqual(
      arrivalOf({ ...rest, metadata: { ...metadata, matched_at: null } }),
      "2026-11-21T01:30:00.000000000Z"
    )
  })

  it("is described in a few words, with one day or several, and hides names on request", () => {
    const hide = () => "•"
    assert.strictEqual(describeSelection({}, hide), "All loaded events")
    assert.strictEqual(
      describeSelection({ severities: ["critical"], from: "2026-11-21", before: "2026-11-22" }, hide),
      "critical · Nov 21"
    )
    assert.strictEqual(
      describeSelection(
        { type: "bot", identifier: { id: 7, name: "example.com" }, from: "2026-10-24", before: "2026-11-23" },
        hide
      ),
      "bot · • · Oct 24 – Nov 22"
    )
    assert.strictEqual(describeSelection({ from: "2025-12-01", before: "2026-12-01" }, hide), "Dec 2025 – Nov 2026")
  })
})

describe("an event that two searches found", () => {
  it("keeps the identifiers of both, and everything else of the first", () => {
    const { metadata, tenant_metadata } = event
    const global: AnyEvent = { metadata, tenant_metadata, highlights: { title: ["<mark>here</mark>"] } }
    assert.deepStrictEqual(mergeEvents(global, event), { ...event, highlights: global.highlights })
    const other: AnyEvent = { ...event, identifiers: [{ id: 8, name: "example.org" }] }
    assert.deepStrictEqual(mergeEvents(event, other), {
      ...event,
      identifiers: [
        { id: 7, name: "example.com" },
        { id: 8, name: "example.org" }
      ]
    })
    assert.strictEqual(mergeEvents(event, global), event)
  })
})
