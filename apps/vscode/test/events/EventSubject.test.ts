import { assert, it } from "@effect/vitest"
import { EventSubject } from "../../src/events/EventSubjects.ts"

it("copies no matched password of an event", () => {
  const event = {
    metadata: {
      uid: "leak/s/1",
      type: "leak",
      severity: "high",
      estimated_created_at: "2026-11-01T00:00:00Z",
      matched_at: null
    },
    tenant_metadata: { severity: null, tags: [], notes: null },
    highlights: { password: ["<mark>hunter2</mark>"], content: ["of <mark>example.com</mark>"] }
  } as const
  const json = JSON.stringify(new EventSubject(event).copied.json)
  assert.notInclude(json, "hunter2")
  assert.include(json, "of <mark>example.com</mark>")
})
