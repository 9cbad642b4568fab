import { assert, it } from "@effect/vitest"
import { identifierEvent } from "@threat-exposure/core/testing/Samples"
import { IdentifierEvent } from "@threat-exposure/core/domain/Event"
import { Schema } from "effect"
import { EventSubject } from "../../../src/events/EventSubjects.ts"
import { termsOf } from "../../../src/events/page/EventDocument.ts"
import { titleOf } from "../../../src/events/AnyEvent.ts"
import { makeEventCompactor } from "../../../src/events/list/EventCompactor.ts"

const read = (uid: string, given: object = {}) =>
  Schema.decodeUnknownSync(IdentifierEvent)({ ...identifierEvent({ uid }), ...given })

it("changes nothing that rows, pages and copies show of an event", () => {
  for (const event of [read("paste/example/1"), read("paste/example/2", { highlights: {} })]) {
    const compact = makeEventCompactor()(event)
    assert.deepStrictEqual(titleOf(compact), titleOf(event))
    assert.deepStrictEqual(termsOf(compact), termsOf(event))
    assert.deepStrictEqual<unknown>(new EventSubject(compact).copied.json, event)
  }
})

it("keeps equal parts of events once", () => {
  const compact = makeEventCompactor()
  const [one, other] = [compact(read("paste/example/1")), compact(read("paste/example/2"))]
  assert.strictEqual(one.tenant_metadata, other.tenant_metadata)
  assert.strictEqual("identifiers" in one && one.identifiers, "identifiers" in other && other.identifiers)
  const ignored = compact(read("paste/example/3", { tenant_metadata: { ignored_at: "2026-01-01T00:00:00Z" } }))
  assert.strictEqual(ignored.tenant_metadata.ignored_at, "2026-01-01T00:00:00Z")
  assert.notProperty(one.tenant_metadata, "ignored_at")
})
