import { assert, describe, it } from "@effect/vitest"
import { eventPage } from "@threat-exposure/cli/export/EventPage"
import { titleOf } from "@threat-exposure/cli/export/Records"

const event = {
  event_type: "stealer_log",
  metadata: {
    uid: "stealer_log/harrowfox/1",
    severity: "medium",
    estimated_created_at: "2026-11-27T14:18:00.026345Z",
    svc_url: "https://exposure.example.com/1"
  },
  tenant_metadata: { severity: { override: "critical" }, remediated_at: "2026-11-28T09:00:00Z" },
  highlights: { content: ["user <mark>example.com</mark> and <em>example.com</em>"], other: ["<mark>jane</mark>"] },
  identifiers: [{ id: 7, name: "example.com" }],
  data: { victim_information: { username: "jane\u001b[2J" }, empty: [] }
}

describe("the title of an event", () => {
  it("names no type if the service gives none", () => {
    assert.deepStrictEqual([titleOf({}), titleOf({ metadata: { type: "paste" } })], ["Event", "Event of type paste"])
  })
})

describe("the page of an event", () => {
  it("says what it is, when, where, what matched, what is ours and what to do", () => {
    assert.deepStrictEqual(eventPage(event, { colors: false, linkField: "svc_url", width: undefined }), [
      "CRITICAL  Event of type stealer_log",
      "",
      "Type          stealer_log",
      "Created       2026-11-27 14:18 UTC",
      "Source        harrowfox",
      "Matched words example.com, jane",
      "Yours         example.com",
      "Remediated    2026-11-28 09:00 UTC",
      "Link          https://exposure.example.com/1",
      "UID           stealer_log/harrowfox/1",
      "",
      "What was found",
      "  victim_information:",
      "    username: jane [2J",
      "",
      "What to do",
      "  - Take the infected machine off the network and rebuild it; change every password that was saved on it, and end the sessions of its user.",
      "  - Secrets are hidden here; the link shows the event at the service."
    ])
  })

  it.each([
    ["Ledger", { title: "Ledger", name: "other", url: "https://paste.example.com/1" }],
    ["jane@example.com", { identity_name: "jane@example.com" }],
    ["https://paste.example.com/1", { title: null, url: "https://paste.example.com/1" }]
  ])("is called %s", (title, data) => {
    const [head] = eventPage({ ...event, data }, { colors: false, linkField: "svc_url", width: undefined })
    assert.strictEqual(head, `CRITICAL  ${title}`)
  })

  it("wraps words at the width of a terminal, and breaks no link", () => {
    const wide = {
      ...event,
      tenant_metadata: { tags: ["team: shop", "vip"] },
      metadata: { ...event.metadata, svc_url: `https://exposure.example.com/${"a".repeat(40)}` },
      data: { content: "one two three four five six seven eight nine ten eleven", list: ["x y z ".repeat(8).trim()] }
    }
    const lines = eventPage(wide, { colors: false, linkField: "svc_url", width: 40 })
    assert.deepStrictEqual(lines.slice(5, 18), [
      "Matched words example.com, jane",
      "Yours         example.com",
      "Tags          team: shop, vip",
      `Link          https://exposure.example.com/${"a".repeat(40)}`,
      "UID           stealer_log/harrowfox/1",
      "",
      "What was found",
      "  content: one two three four five six",
      "    seven eight nine ten eleven",
      "  list:",
      "    - x y z x y z x y z x y z x y z x y",
      "      z x y z x y z",
      ""
    ])
  })

  it("is a page for an event without anything", () => {
    assert.include(eventPage({}, { colors: false, linkField: "svc_url", width: undefined })[0], "UNKNOWN SEVERITY")
  })
})
