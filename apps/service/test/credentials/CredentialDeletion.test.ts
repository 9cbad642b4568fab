import { assert, it } from "@effect/vitest"
import { CredentialDeletion } from "@threat-exposure/service/credentials/CredentialDeletion"
import { EventDeletion } from "@threat-exposure/service/events/EventDeletion"
import { LoadTargets } from "@threat-exposure/service/load/LoadTarget"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import { eventForTest, loadForTest } from "../ServiceForTest.ts"

const january = Date.parse("2026-01-31T00:00:00Z") * 1_000
const credential = (id: number, more: Record<string, unknown> = {}) => ({
  id,
  identity_name: `a${id}@example.com`,
  imported_at: "2026-01-01T00:00:00Z",
  ...more
})

describeOnEngines("a deletion", ({ stores }) => {
  it.live("keeps a record that was replaced after it was selected, if the new content does not match", () =>
    Effect.gen(function* () {
      const targets = yield* LoadTargets
      const credentials = yield* CredentialDeletion
      const events = yield* EventDeletion
      yield* loadForTest(
        targets.credentials,
        [1, 2, 3, 4].map((id) => credential(id))
      )
      const paste = (number: number, content: string, more = {}) => eventForTest(number, "paste", { content }, more)
      yield* loadForTest(
        targets.events,
        [1, 2, 3, 4].map((number) => paste(number, "northwind leak"))
      )

      const domain = { type: "domain", fqdn: "example.com" } as const
      const words = { type: "keyword", keyword: "northwind" } as const
      const oldCredentials = yield* credentials.select({ query: undefined, importedBefore: january })
      const ofDomain = yield* credentials.select({ query: domain, importedBefore: Number.MAX_SAFE_INTEGER })
      const oldEvents = yield* events.select({ query: undefined, createdBefore: january })
      const withWords = yield* events.select({ query: words, createdBefore: Number.MAX_SAFE_INTEGER })
      assert.deepEqual([oldCredentials.count, ofDomain.count, oldEvents.count, withWords.count], [4, 4, 4, 4])

      yield* loadForTest(targets.credentials, [
        credential(1, { imported_at: "2026-02-02T00:00:00Z" }),
        credential(2, { imported_at: "2026-02-02T00:00:00Z", identity_name: "a2@example.org" })
      ])
      const february = { estimated_created_at: "2026-02-02T00:00:00Z" }
      yield* loadForTest(targets.events, [paste(1, "northwind leak", february), paste(2, "contoso leak", february)])

      assert.deepEqual([yield* oldCredentials.delete, yield* oldEvents.delete], [2, 2])
      assert.deepEqual([yield* ofDomain.delete, yield* withWords.delete], [1, 1])
      const left = yield* credentials.select({ query: undefined, importedBefore: Number.MAX_SAFE_INTEGER })
      const leftEvents = yield* events.select({ query: undefined, createdBefore: Number.MAX_SAFE_INTEGER })
      assert.deepEqual([left.count, leftEvents.count], [1, 1])
    }).pipe(Effect.provide(stores))
  )
})
