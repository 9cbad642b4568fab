import { assert, describe, it } from "@effect/vitest"
import { Credential, CredentialPage, CredentialSearch } from "@threat-exposure/core/domain/Credential"
import { CredentialDeletion } from "@threat-exposure/service/credentials/CredentialDeletion"
import { credentialHandlers } from "@threat-exposure/service/credentials/Credentials"
import { type CredentialListing, CredentialStore } from "@threat-exposure/service/credentials/CredentialStore"
import { LoadTargets } from "@threat-exposure/service/load/LoadTarget"
import { Quota } from "@threat-exposure/service/limits/Quota"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect, Layer, Redacted, Schema, Stream } from "effect"
import { loadForTest } from "../ServiceForTest.ts"
import { jsonText } from "./JsonText.ts"

type Lines = ReadonlyArray<Record<string, unknown>>

const load = (...lines: Lines) =>
  LoadTargets.use(({ credentials }) =>
    loadForTest(
      credentials,
      lines.map((line, index) =>
        Object.assign(
          { id: index + 1, identity_name: "someone@example.com", imported_at: "2026-01-01T00:00:00Z" },
          line
        )
      )
    )
  )

const found = (search: unknown) =>
  Effect.gen(function* () {
    const credentials = yield* credentialHandlers
    const payload = Schema.decodeUnknownSync(CredentialSearch)(search)
    const { answer } = yield* credentials.search({ payload }, { tenantId: 1 })
    return answer.body
  })

const page = Effect.fnUntraced(function* (search: unknown) {
  return decodePage(yield* jsonText(yield* found(search)))
})

const decodePage = Schema.decodeUnknownSync(Schema.fromJsonString(CredentialPage))

const ids = (search: Record<string, unknown>) =>
  Effect.map(page({ size: 10_000, ...search }), ({ items }) => items.map(({ id }) => id))

/** All pages of a search. Runs `between` after each page. */
const walk = Effect.fnUntraced(function* (
  search: Record<string, unknown>,
  between: Effect.Effect<unknown, never, LoadTargets> = Effect.void
) {
  const found: Array<number> = []
  let from: string | null = null
  do {
    const { items, next }: CredentialPage = yield* page({ ...search, from })
    found.push(...items.map(({ id }) => id))
    from = next
    yield* between
  } while (from !== null)
  return found
})
type CredentialPage = typeof CredentialPage.Type

describeOnEngines("Credentials", ({ name, stores }) => {
  const provided = Effect.provide(Quota.layer.pipe(Layer.provideMerge(stores)))

  const people: Lines = [
    { identity_name: "Jane.Doe@Example.com", hash: "hunter2", auth_domains: ["sso.example.org"] },
    { identity_name: "jane@mail.example.com", hash: "Hunter2", auth_domains: ["SSO.example.org", "example.net"] },
    { identity_name: "doe.jane7@notexample.com", hash: "hunter2 " },
    { identity_name: "admin", hash: "hunter2", domain: null },
    { identity_name: "jan@example.net", hash: null, domain: "sub.example.com" },
    { identity_name: "Ünal@bücher.example", hash: "" },
    { identity_name: "+++@xn--bcher-kva.example", hash: "pass\u{1F600}\ud800" },
    { identity_name: "ann@intranet", hash: null, domain: null },
    { identity_name: "ann@host.intranet", hash: null, domain: null }
  ]

  it.live("finds credentials imported at the first and last possible times", () =>
    Effect.gen(function* () {
      yield* load(
        { imported_at: "9999-12-31T23:59:59Z" },
        { imported_at: "0001-01-01T00:00:00Z" },
        { imported_at: "2026-01-01T00:00:00Z" },
        { imported_at: "9999-12-31T23:59:59-05:00" }
      )
      const query = { type: "email", email: "someone@example.com" }
      assert.deepEqual(yield* ids({ query }), [4, 1, 3, 2])
      for (const order of ["desc", "asc"]) assert.lengthOf(yield* walk({ query, order, size: 1 }), 4)
      const within = (gte: string, lte: string) => ids({ query, filters: { imported_at: { gte, lte } } })
      assert.deepEqual(yield* within("2000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"), [4, 1, 3])
      assert.deepEqual(yield* within("0000-01-01T00:00:00+01:00", "2000-01-01T00:00:00Z"), [2])
      assert.deepEqual(yield* within("9999-12-31T23:59:59-23:59", "9999-12-31T23:59:59Z"), [4, 1])
    }).pipe(provided)
  )

  const variants = [
    [{ type: "domain", fqdn: "example.com" }, 5, 2, 1],
    [{ type: "domain", fqdn: "EXAMPLE.com." }, 5, 2, 1],
    [{ type: "domain", fqdn: "mail.example.com" }, 2],
    [{ type: "domain", fqdn: "ample.com" }],
    [{ type: "domain", fqdn: "com" }],
    [{ type: "domain", fqdn: "intranet" }, 8],
    [{ type: "domain", fqdn: "bücher.example" }, 7, 6],
    [{ type: "domain", fqdn: "%" }],
    [{ type: "domain", fqdn: "" }],
    [{ type: "auth_domain", fqdn: "sso.example.org" }, 2, 1],
    [{ type: "auth_domain", fqdn: "example.org" }, 2, 1],
    [{ type: "auth_domain", fqdn: "example.net" }, 2],
    [{ type: "auth_domain", fqdn: "example.com" }],
    [{ type: "secret", secret: "hunter2" }, 4, 1],
    [{ type: "secret", secret: "Hunter2" }, 2],
    [{ type: "secret", secret: "hunter2 " }, 3],
    [{ type: "secret", secret: "hunter" }],
    [{ type: "secret", secret: "" }, 6],
    [{ type: "secret", secret: "pass\u{1F600}\ud800" }, 7],
    [{ type: "secret", secret: "pass\u{1F600}\ufffd" }],
    [{ type: "email", email: "jane.doe@example.COM" }, 1],
    [{ type: "email", email: "doe@example.com" }],
    [{ type: "email", email: "admin" }],
    [{ type: "email", email: "u\u0308nal@bu\u0308cher.example" }, 6],
    [{ type: "keyword", keyword: "jane" }, 3, 2, 1],
    [{ type: "keyword", keyword: "JANE.doe" }, 3, 1],
    [{ type: "keyword", keyword: "jan" }, 5],
    [{ type: "keyword", keyword: "jane7" }, 3],
    [{ type: "keyword", keyword: "7" }, 3],
    [{ type: "keyword", keyword: "admin" }, 4],
    [{ type: "keyword", keyword: "ünal" }, 6],
    [{ type: "keyword", keyword: "+++" }, 7],
    [{ type: "keyword", keyword: "example" }],
    [{ type: "keyword", keyword: "" }]
  ] as const
  it.live("finds what docs/api.md promises for every kind of query", () =>
    Effect.gen(function* () {
      yield* load(...people)
      for (const [query, ...expected] of variants) {
        assert.deepEqual(yield* ids({ query }), expected, JSON.stringify(query))
      }
    }).pipe(provided)
  )

  it.live("returns every field as it was loaded, and the fields that include names", () =>
    Effect.gen(function* () {
      const source = {
        id: "breach",
        name: 'A "breach"\n',
        description_en: null,
        description_fr: "Une fuite",
        breached_at: "2025-01-01T00:00:00.000001Z",
        leaked_at: null,
        is_alert_enabled: true,
        pii_tags: ["email"],
        url: null
      }
      const line = {
        id: 9_007_199_254_740_991,
        identity_name: 'a"\u2028b@example.com',
        domain: "example.com",
        source_id: "breach",
        imported_at: "2026-01-01T00:00:00.123456+00:00",
        hash: '"\\\u0000\ud800é',
        hash_type: "unknown",
        source,
        known_password_id: 5,
        credential_hash: "abc",
        event_uid: "leak/breach/1",
        auth_domains: Array.from({ length: 120 }, (_, n) => `a${n}.example.org`),
        urls: ["https://example.org/?a=1"]
      }
      yield* load(line)
      const query = { type: "email", email: line.identity_name }
      const [plain] = (yield* page({ query })).items
      const { auth_domains, hash, urls: _urls, ...rest } = line
      assert.deepEqual(plain === undefined ? undefined : { ...plain, hash: reveal(plain) }, {
        ...rest,
        hash,
        known_password_id: null
      })
      const include = ["known_password_id", "auth_domains", "urls", "urls"]
      const [full] = (yield* page({ query, include })).items
      assert.deepEqual(full === undefined ? undefined : { ...full, hash: reveal(full) }, {
        ...line,
        auth_domains: auth_domains.slice(0, 100)
      })
    }).pipe(provided)
  )

  it.live("returns null and empty lists for fields that were not loaded", () =>
    Effect.gen(function* () {
      yield* load({ identity_name: "nobody" })
      const { items } = yield* page({
        query: { type: "keyword", keyword: "nobody" },
        include: ["urls", "auth_domains"]
      })
      assert.deepEqual(items, [
        {
          id: 1,
          identity_name: "nobody",
          domain: null,
          source_id: "",
          imported_at: "2026-01-01T00:00:00Z",
          hash: null,
          hash_type: null,
          source: null,
          known_password_id: null,
          credential_hash: null,
          event_uid: null,
          auth_domains: [],
          urls: []
        }
      ])
    }).pipe(provided)
  )

  it.live("finds a replaced credential only by its new content", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* load({ hash: "first" }, { hash: "second" }), { added: 2, replaced: 0, unchanged: 0 })
      assert.deepEqual(yield* load({ hash: "changed" }, { hash: "second" }, { hash: "third" }), {
        added: 1,
        replaced: 1,
        unchanged: 1
      })
      assert.deepEqual(yield* ids({ query: { type: "secret", secret: "first" } }), [])
      assert.deepEqual(yield* ids({ query: { type: "secret", secret: "changed" } }), [1])
      assert.deepEqual(yield* ids({ query: { type: "email", email: "someone@example.com" } }), [3, 2, 1])
    }).pipe(provided)
  )

  describe("in pages", () => {
    /** Twenty-four credentials with four distinct times, so that pages end between credentials with equal times. */
    const moments: Lines = Array.from({ length: 24 }, (_, index) => ({
      id: index + 1,
      identity_name: `jane.doe${index}@example.com`,
      imported_at: `2026-01-0${1 + ((index * 7) % 4)}T00:00:00.00000${index % 2}Z`
    }))
    const inOrder = moments
      .toSorted((a, b) =>
        String(a["imported_at"]) < String(b["imported_at"])
          ? -1
          : String(a["imported_at"]) > String(b["imported_at"])
            ? 1
            : Number(a["id"]) - Number(b["id"])
      )
      .map(({ id }) => id)
    const queries = [
      { type: "domain", fqdn: "example.com" },
      { type: "keyword", keyword: "doe jane" }
    ]

    it.live("returns all items in pages of every size, in both orders", () =>
      Effect.gen(function* () {
        yield* load(...moments)
        for (const query of queries) {
          for (const size of [1, 6, 7, 23, 24, 25]) {
            assert.deepEqual(yield* walk({ query, size, order: "asc" }), inOrder, `${query.type} by ${size}`)
            assert.deepEqual(yield* walk({ query, size }), inOrder.toReversed(), `${query.type} by ${size}`)
          }
        }
      }).pipe(provided)
    )

    it.live("loses and repeats nothing while more is loaded", () =>
      Effect.gen(function* () {
        yield* load(...moments)
        let id = 1_000
        const more = Effect.suspend(() =>
          load(
            ...[1, 2, 3].map(() => ({
              id: (id += 1),
              identity_name: "jane@example.com",
              imported_at: `2026-01-0${1 + (id % 9)}`
            }))
          )
        )
        const found = yield* walk({ query: queries[0], size: 7 }, more)
        assert.deepEqual(
          found.filter((id) => id < 1_000),
          inOrder.toReversed()
        )
        assert.strictEqual(new Set(found).size, found.length)
      }).pipe(provided)
    )

    const many = Array.from({ length: 2_345 }, (_, index) => ({
      id: index + 1,
      identity_name: `jane.doe${index}@example.com`,
      imported_at: `2026-01-01T00:00:${String(index % 60).padStart(2, "0")}Z`,
      auth_domains: index % 60 > 30 && index % 3 === 0 ? ["gone.example.org"] : []
    }))
    const query = { type: "domain", fqdn: "example.com" }

    it.live("returns complete large pages, in both orders", () =>
      Effect.gen(function* () {
        yield* load(...many)
        const inOrder = (yield* walk({ query, order: "asc", size: 100 })).map(Number)
        assert.lengthOf(new Set(inOrder), many.length)
        for (const size of [1_000, 1_001, 2_000, 2_344, 2_345, 2_346, 10_000]) {
          assert.deepEqual(yield* ids({ query, order: "asc", size }), inOrder.slice(0, size), `${size}`)
          assert.deepEqual(yield* walk({ query, order: "asc", size }), inOrder, `${size}`)
          assert.deepEqual(yield* walk({ query, size }), inOrder.toReversed(), `${size}`)
        }
      }).pipe(provided)
    )

    it.live("loses and repeats nothing of a large page while others are replaced and deleted", () =>
      Effect.gen(function* () {
        const deletion = yield* CredentialDeletion
        yield* load(...many)
        const json = yield* found({ query, size: 1_800, order: "asc" })
        const chunks: Array<Uint8Array> = []
        if (!Stream.isStream(json)) return assert.fail("a large page is not collected")
        yield* Stream.runForEach(json, (chunk) =>
          Effect.gen(function* () {
            chunks.push(chunk)
            const others = many.filter(({ auth_domains, id }) => auth_domains.length === 0 && id % 2 === 0)
            yield* load(...others.map((line) => Object.assign({ hash: `other ${chunks.length}` }, line)))
            const gone = { type: "auth_domain", fqdn: "gone.example.org" } as const
            const selected = yield* deletion.select({ query: gone, importedBefore: Number.MAX_SAFE_INTEGER })
            yield* selected.delete
          })
        )
        const { items, next } = decodePage(Buffer.concat(chunks).toString())
        // The text before and after the items; SQLite reads two segments, with a comma between them.
        assert.lengthOf(chunks, name === "OpenSearch" ? 3 : 5)
        assert.lengthOf(items, 1_800)
        assert.isNotNull(next)
        const after = yield* ids({ query, order: "asc", from: next })
        const all = [...items.map(({ id }) => id), ...after]
        assert.strictEqual(new Set(all).size, all.length)
        assert.includeMembers(
          all,
          many.filter(({ auth_domains }) => auth_domains.length === 0).map(({ id }) => id)
        )
      }).pipe(provided)
    )

    it.live("treats searches as the same however often and in which order include names a field", () =>
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const listings: Array<CredentialListing> = []
        const watched = CredentialStore.of({
          ...store,
          page: (listing) => {
            listings.push(listing)
            return store.page(listing)
          }
        })
        const query = { type: "keyword", keyword: "jane" }
        const include = Array.from({ length: 999 }, (_, at) => (["urls", "auth_domains"] as const)[at % 2])
        yield* Effect.provideService(found({ query, include }), CredentialStore, watched)
        assert.deepStrictEqual(listings[0]?.include, ["auth_domains", "urls"])
      }).pipe(provided)
    )

    it.live("includes both bounds of the import time, to the microsecond", () =>
      Effect.gen(function* () {
        yield* load(...[0, 1, 2, 3].map((part) => ({ id: part + 1, imported_at: `2026-01-01T00:00:00.00000${part}Z` })))
        const query = { type: "domain", fqdn: "example.com" }
        const within = (imported_at: unknown) => walk({ query, size: 1, filters: { imported_at } })
        const [one, two] = ["2026-01-01T00:00:00.000001Z", "2026-01-01T01:00:00.000002+01:00"]
        assert.deepEqual(yield* within({ gte: one, lte: two }), [3, 2])
        assert.deepEqual(yield* within({ gte: one, lte: null }), [4, 3, 2])
        assert.deepEqual(yield* within({ lte: two }), [3, 2, 1])
        assert.deepEqual(yield* within({ gte: two, lte: one }), [])
        assert.deepEqual(yield* walk({ query, size: 3, filters: {} }), [4, 3, 2, 1])
      }).pipe(provided)
    )

    it.live("accepts a cursor only for its own search, with any size", () =>
      Effect.gen(function* () {
        yield* load(...moments)
        const search = { query: queries[0], size: 5, order: "asc" }
        const { next } = yield* page(search)
        const refusal = (other: Record<string, unknown>) =>
          Effect.match(found({ ...search, from: next, ...other }), {
            onSuccess: () => undefined,
            onFailure: ({ _tag }) => _tag
          })
        assert.isUndefined(yield* refusal({}))
        assert.isUndefined(yield* refusal({ size: 1 }))
        for (const other of [
          { order: "desc" },
          { query: { type: "auth_domain", fqdn: "example.com" } },
          { query: { type: "domain", fqdn: "example.org" } },
          { filters: { imported_at: { gte: "2020-01-01T00:00:00Z" } } },
          { from: "" },
          { from: `${next}A` }
        ]) {
          assert.strictEqual(yield* refusal(other), "CursorInvalid")
        }
      }).pipe(provided)
    )

    it.live("has the same items in a long page as in a short one", () =>
      Effect.gen(function* () {
        yield* load(...moments)
        const [quick, long] = [yield* found({ query: queries[0] }), yield* found({ query: queries[0], size: 101 })]
        // A reader thread of SQLite builds the long page.
        if (name === "SQLite") assert.deepEqual([typeof quick, typeof long], ["string", "object"])
        const [first, whole] = [
          yield* page({ query: queries[0], size: 100 }),
          yield* page({ query: queries[0], size: 101 })
        ]
        assert.deepEqual(first.items.map(shown), whole.items.map(shown))
      }).pipe(provided)
    )
  })
})

const shown = (credential: Credential) => ({ ...credential, hash: reveal(credential) })
const reveal = ({ hash }: Credential) => (hash === null ? null : Redacted.value(hash))
