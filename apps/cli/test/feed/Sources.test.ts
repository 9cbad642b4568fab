import { assert, describe, it } from "@effect/vitest"
import { ApiClient } from "@threat-exposure/core/client/ApiClient"
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { Events } from "@threat-exposure/core/client/Events"
import type { Credential } from "@threat-exposure/core/domain/Credential"
import { type FeedQuery, sourcesOf } from "@threat-exposure/cli/feed/Sources"
import { Effect, Layer, Stream } from "effect"
import { withMessages } from "./FeedDoubles.ts"

const query: FeedQuery = {
  identifiers: [],
  query: undefined,
  severity: [],
  types: [],
  credentialDomains: []
}

const credential = (id: number, imported_at: string): Credential => ({
  id,
  identity_name: `person.${id}@example.com`,
  domain: "example.com",
  source_id: "breach",
  imported_at,
  hash: null,
  hash_type: null,
  source: null,
  known_password_id: null,
  credential_hash: null,
  event_uid: null
})

const sourcesWith = (given: Partial<FeedQuery>, pages: ReadonlyArray<ReadonlyArray<Credential>> = []) => {
  const reads: Array<unknown> = []
  const layer = Layer.mergeAll(
    ApiClient.layer({ baseUrl: "https://exposure.example.com", token: "unused" }),
    Layer.mock(Events, {
      pagesOfTenant: (search) => {
        reads.push(search)
        return Stream.make({ items: [], next: null })
      }
    }),
    Layer.mock(Credentials, {
      pagesOfTenant: ({ from } = {}) =>
        Stream.fromIterable(
          pages
            .map((items, page) => ({ items, next: page === pages.length - 1 ? null : String(page + 1) }))
            .slice(Number(from ?? 0))
        )
    })
  )
  return Effect.gen(function* () {
    const { sources } = yield* sourcesOf({ ...query, ...given }, { maxSearches: undefined, quotaReserve: 0 })
    return { sources: yield* sources, reads }
  }).pipe(Effect.provide(layer), withMessages([]))
}

describe("the credentials of the tenant", () => {
  const pages = [
    [credential(5, "2026-11-24T00:00:00Z"), credential(4, "2026-11-23T00:00:00Z")],
    [credential(3, "2026-11-22T00:00:00Z"), credential(2, "2026-11-01T00:00:00Z")],
    [credential(1, "2026-10-01T00:00:00Z")]
  ]
  const read = Effect.fnUntraced(function* (since: string, from: string | null, listed = pages) {
    const { sources } = yield* sourcesWith({ tenantCredentials: true }, listed)
    const source = sources.find(({ name }) => name === "credentials of the tenant")
    const found = yield* Stream.runCollect(source?.pages(since, from) ?? Stream.empty)
    return found.map(({ found, next }) => [found.map(({ uid }) => uid.slice("credential/".length)).join(" "), next])
  })

  it.effect.each([
    [
      "2026-11-10T00:00:00Z",
      null,
      [
        ["5 4", "1"],
        ["3", null]
      ]
    ],
    ["2026-11-10T00:00:00Z", "1", [["3", null]]],
    [
      "2026-11-22T00:00:00Z",
      null,
      [
        ["5 4", "1"],
        ["3", null]
      ]
    ],
    [
      "2026-01-01T00:00:00Z",
      null,
      [
        ["5 4", "1"],
        ["3 2", "2"],
        ["1", null]
      ]
    ]
  ] as const)("are read, newest first, back to %s from %s", ([since, from, expected]) =>
    Effect.map(read(since, from), (found) => assert.deepEqual<unknown>(found, expected))
  )

  it.effect("have one without a time, and those after it", () =>
    Effect.map(
      read("2026-11-10T00:00:00Z", null, [
        [credential(5, "2026-11-24T00:00:00Z"), credential(4, "")],
        [credential(3, "2026-11-22T00:00:00Z")]
      ]),
      (found) =>
        assert.deepEqual<unknown>(found, [
          ["5 4", "1"],
          ["3", null]
        ])
    )
  )
})

describe("the events of the tenant", () => {
  it.effect.each([true, false])("have ignored and remediated ones only to see changes: %s", (changes) =>
    Effect.gen(function* () {
      const { reads, sources } = yield* sourcesWith({ changes })
      const [source] = sources
      assert.strictEqual(source?.listsSettled, changes)
      yield* Stream.runDrain(source?.pages("2026-11-10T00:00:00Z", null) ?? Stream.empty)
      const status = changes ? { status: ["open", "ignored", "remediated"] } : {}
      assert.deepInclude(reads.at(-1), {
        order: "asc",
        filters: { ...status, estimated_created_at: { gte: "2026-11-10T00:00:00Z" } }
      })
    })
  )
})
