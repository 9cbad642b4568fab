import { assert, it } from "@effect/vitest"
import { PolicyUuid } from "@threat-exposure/core/domain/MatchingPolicy"
import { LoadTargets } from "@threat-exposure/service/load/LoadTarget"
import { MatchingPolicyStore } from "@threat-exposure/service/matching-policies/MatchingPolicyStore"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import { eventForTest, loadForTest, ServiceForTest } from "../ServiceForTest.ts"

const uuid = "5d0b1f6a-3c52-4e0e-8a27-6f1d9c4b7e10"
const path = `/v4/matching-policies/${uuid}`

const policy = (keywords: ReadonlyArray<string>, tenantId = 1, itsUuid = uuid) =>
  MatchingPolicyStore.use((store) =>
    store.insert({
      tenantId,
      name: "Payments",
      type: "INCLUDED_KEYWORDS",
      value: { keywords },
      uuid: PolicyUuid.make(itsUuid),
      createdAt: "2026-01-01T00:00:00.000Z"
    })
  )

const identifier = (name: string, tenantId = 1) =>
  ServiceForTest.use(({ call }) =>
    Effect.map(call(tenantId, "POST", "/v2/assets/", { name, type: "keyword" }), ({ body }): number => body.asset.id)
  )

const eventsOf = (id: number) =>
  ServiceForTest.use(({ call }) =>
    Effect.map(call(1, "POST", `/v4/events/identifiers/${id}/_search`, {}), ({ body }) =>
      body.items.map((item: { metadata: { uid: string } }) => Number(item.metadata.uid.split("/")[2]))
    )
  )

const paste = (number: number, content: string) => eventForTest(number, "paste", { content })

describeOnEngines("MatchingPolicies", ({ stores }) => {
  const provided = Effect.provide(ServiceForTest.over(stores))

  it.live("let only events with one of their keywords match, from the assignment on", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      yield* loadEvents(paste(1, "acme"), paste(2, "acme card number"))
      yield* policy(["Card Number", "refund"])
      const id = yield* identifier("acme")
      const { body, status } = yield* call(1, "POST", `${path}/assignments`, { identifier_ids: [id] })
      assert.strictEqual(status, 200)
      assert.isUndefined(body)
      assert.deepStrictEqual(yield* eventsOf(id), [2, 1])
      yield* loadEvents(paste(3, "acme"), paste(4, "acme REFUND"), paste(5, "refund"), paste(6, "acme number card"))
      assert.deepStrictEqual(yield* eventsOf(id), [4, 2, 1])

      assert.strictEqual((yield* call(1, "DELETE", path)).status, 200)
      yield* loadEvents(paste(7, "acme"))
      assert.deepStrictEqual(yield* eventsOf(id), [7, 4, 2, 1])
      assert.strictEqual((yield* call(1, "DELETE", path)).status, 404)
    }).pipe(provided)
  )

  it.live("remove past events on request, only of the assigned identifiers", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      yield* loadEvents(
        paste(1, "acme"),
        paste(2, "acme refund"),
        paste(3, "otter"),
        paste(4, "seal refund"),
        paste(5, "seal")
      )
      yield* policy(["refund"])
      const acme = yield* identifier("acme")
      const otter = yield* identifier("otter")
      const seal = yield* identifier("seal")
      yield* call(1, "POST", `${path}/assignments`, { identifier_ids: [acme, seal, acme], clean_past_events: true })
      assert.deepStrictEqual(yield* eventsOf(seal), [4])
      assert.deepStrictEqual(yield* eventsOf(acme), [2])
      assert.deepStrictEqual(yield* eventsOf(otter), [3])
    }).pipe(provided)
  )

  it.live("must all match if there are several", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const second = "00000000-0000-4000-8000-000000000002"
      yield* policy(["refund"])
      yield* policy(["card"], 1, second)
      const id = yield* identifier("acme")
      yield* call(1, "POST", `${path}/assignments`, { identifier_ids: [id] })
      yield* call(1, "POST", `/v4/matching-policies/${second}/assignments`, { identifier_ids: [id] })
      yield* loadEvents(paste(1, "acme refund"), paste(2, "acme card"), paste(3, "acme card refund"))
      assert.deepStrictEqual(yield* eventsOf(id), [3])
    }).pipe(provided)
  )

  it.live("list their assignments in pages, and an identifier its policies", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      yield* policy(["refund"])
      const ids: Array<number> = []
      for (const name of ["one", "two", "three"]) ids.push(yield* identifier(name))
      yield* call(1, "POST", `${path}/assignments`, { identifier_ids: ids })
      yield* call(1, "POST", `${path}/assignments`, { identifier_ids: [ids[0]], clean_past_events: true })

      const list = (query: string) => call(1, "GET", `${path}/assignments${query}`)
      const all = yield* list("")
      assert.strictEqual(all.body.next, null)
      assert.sameDeepMembers(
        all.body.items.map((item: Record<string, unknown>) => [
          item["identifier_id"],
          item["identifier_name"],
          item["clean_past_events"],
          typeof item["assigned_at"]
        ]),
        [
          [ids[0], "one", true, "string"],
          [ids[1], "two", false, "string"],
          [ids[2], "three", false, "string"]
        ]
      )
      for (const order of ["asc", "desc"]) {
        const seen: Array<number> = []
        let from = ""
        do {
          const { body } = yield* list(`?order=${order}&size=2${from}`)
          seen.push(...body.items.map(({ identifier_id }: { identifier_id: number }) => identifier_id))
          from = body.next === null ? "" : `&from=${encodeURIComponent(body.next)}`
        } while (from !== "")
        assert.sameMembers(seen, ids)
        assert.strictEqual(seen.length, 3)
      }
      const first = yield* list("?size=1")
      const other = yield* list(`?size=1&order=asc&from=${encodeURIComponent(first.body.next)}`)
      assert.strictEqual(other.status, 422)
      assert.deepStrictEqual(other.body.detail[0].loc, ["query", "from"])
      assert.strictEqual((yield* list("?size=101")).status, 422)

      const ofIdentifier = yield* call(1, "GET", `/v4/matching-policies/by_identifier_id/${ids[0]}`)
      const { assigned_at, ...assigned } = ofIdentifier.body[0]
      assert.match(assigned_at, /^\d{4}-/)
      assert.deepStrictEqual(assigned, {
        matching_policy: {
          uuid,
          name: "Payments",
          policy_type: "INCLUDED_KEYWORDS",
          value: { keywords: ["refund"] },
          created_at: "2026-01-01T00:00:00.000Z",
          last_updated_at: "2026-01-01T00:00:00.000Z"
        },
        clean_past_events: true
      })
      yield* call(1, "DELETE", path)
      assert.deepStrictEqual((yield* call(1, "GET", `/v4/matching-policies/by_identifier_id/${ids[0]}`)).body, [])
    }).pipe(provided)
  )

  it.live("of another tenant do not exist, and neither do its identifiers", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      yield* policy(["refund"])
      const mine = yield* identifier("acme")
      const theirs = yield* identifier("acme", 2)
      const status = (...request: Parameters<typeof call>) => Effect.map(call(...request), ({ status }) => status)
      assert.strictEqual(yield* status(2, "POST", `${path}/assignments`, { identifier_ids: [theirs] }), 404)
      assert.strictEqual(yield* status(1, "POST", `${path}/assignments`, { identifier_ids: [mine, theirs] }), 404)
      assert.deepStrictEqual((yield* call(1, "GET", `${path}/assignments`)).body.items, [])
      assert.strictEqual(yield* status(2, "GET", `${path}/assignments`), 404)
      assert.strictEqual(yield* status(2, "DELETE", path), 404)
      assert.strictEqual(yield* status(1, "GET", `/v4/matching-policies/by_identifier_id/${theirs}`), 404)
      assert.strictEqual(yield* status(1, "GET", `${path}/assignments`), 200)
    }).pipe(provided)
  )

  const policies = "/v4/matching-policies"

  it.live("of every type are created, listed, read and changed", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const given = [
        { name: "In", type: "INCLUDED_KEYWORDS", value: { keywords: ["card", "refund"] } },
        { name: "Out", type: "EXCLUDED_KEYWORDS", value: { keywords: ["spam"] } },
        { name: "Query", type: "LUCENE_QUERY", value: { query: "title:card OR refund*" } },
        { name: "Domain", type: "ASTP_DOMAIN", value: { match_mode: "auth_domain_only" } },
        { name: "Cookies", type: "ASTP_COOKIES", value: { cookie_names: ["session"], match_subdomains: true } }
      ]
      const created: Array<any> = []
      for (const policy of given) {
        const { body, status } = yield* call(1, "POST", policies, policy)
        assert.strictEqual(status, 200)
        const { created_at, last_updated_at, uuid, ...rest } = body
        assert.match(uuid, /^[0-9a-f]{8}-/u)
        assert.strictEqual(created_at, last_updated_at)
        assert.deepStrictEqual(rest, { name: policy.name, policy_type: policy.type, value: policy.value })
        assert.deepStrictEqual((yield* call(1, "GET", `${policies}/${uuid}`)).body, body)
        created.push(body)
      }
      yield* call(2, "POST", policies, given[0])
      for (const [query, expected] of [
        ["order=asc&size=2", created],
        ["size=2", created.toReversed()],
        ["order=desc", created.toReversed()]
      ] as const) {
        const listed: Array<any> = []
        let from = ""
        do {
          const { body } = yield* call(1, "GET", `${policies}?${query}${from}`)
          listed.push(...body.items)
          from = body.next === null ? "" : `&from=${encodeURIComponent(body.next)}`
        } while (from !== "")
        assert.sameDeepMembers(listed, [...expected])
        // Policies created in the same millisecond are listed by uuid.
        assert.deepStrictEqual(
          listed.map(({ created_at }) => created_at),
          expected.map(({ created_at }) => created_at)
        )
      }
      const { next } = (yield* call(1, "GET", `${policies}?size=1`)).body
      assert.strictEqual((yield* call(1, "GET", `${policies}?order=asc&from=${encodeURIComponent(next)}`)).status, 422)
      assert.strictEqual((yield* call(1, "GET", `${policies}?size=26`)).status, 422)

      const [first] = created
      const changed = yield* call(1, "PUT", `${policies}/${first.uuid}`, { name: "New", value: { keywords: ["new"] } })
      assert.strictEqual(changed.status, 200)
      assert.deepStrictEqual(
        { ...changed.body, last_updated_at: first.last_updated_at },
        { ...first, name: "New", value: { keywords: ["new"] } }
      )
      assert.isAtLeast(Date.parse(changed.body.last_updated_at), Date.parse(first.last_updated_at))
      assert.deepStrictEqual((yield* call(1, "GET", `${policies}/${first.uuid}`)).body, changed.body)
      for (const [method, body] of [
        ["GET", undefined],
        ["PUT", { name: "x", value: { keywords: ["x"] } }],
        ["DELETE", undefined]
      ] as const) {
        assert.strictEqual((yield* call(2, method, `${policies}/${first.uuid}`, body)).status, 404)
      }
    }).pipe(provided)
  )

  it.live("are refused with every fault of their value", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const faults = (method: "POST" | "PUT", path: string, body: unknown) =>
        Effect.map(call(1, method, path, body), ({ body, status }) => {
          assert.strictEqual(status, 422)
          return body.detail.map(({ loc }: { loc: ReadonlyArray<string> }) => loc.join("."))
        })
      const create = (type: string, value: unknown) => faults("POST", policies, { name: "a", type, value })
      assert.deepStrictEqual(yield* create("INCLUDED_KEYWORDS", { keywords: ["good", "!!", "-"] }), [
        "body.value.keywords.1",
        "body.value.keywords.2"
      ])
      assert.deepStrictEqual(yield* create("EXCLUDED_KEYWORDS", { keywords: [] }), ["body.value.keywords"])
      assert.deepStrictEqual(yield* create("INCLUDED_KEYWORDS", { keywords: ["good", "a".repeat(257)] }), [
        "body.value.keywords.1"
      ])
      const tooMany = Array.from({ length: 501 }, (_, index) => `word${index}`)
      assert.deepStrictEqual(yield* create("EXCLUDED_KEYWORDS", { keywords: tooMany }), ["body.value.keywords"])
      assert.deepStrictEqual(
        yield* create("ASTP_COOKIES", { cookie_names: ["a".repeat(257)], match_subdomains: true }),
        ["body.value.cookie_names.0"]
      )
      assert.deepStrictEqual(yield* create("LUCENE_QUERY", { query: "good (bad" }), ["body.value.query"])
      assert.deepStrictEqual(yield* create("ASTP_DOMAIN", { match_mode: "any" }), ["body.value.match_mode"])
      assert.deepStrictEqual(yield* create("OTHER", {}), ["body.type"])
      const { uuid } = (yield* call(1, "POST", policies, {
        name: "a",
        type: "ASTP_COOKIES",
        value: { cookie_names: ["a"], match_subdomains: false }
      })).body
      assert.deepStrictEqual(yield* faults("PUT", `${policies}/${uuid}`, { name: "a", value: { cookie_names: [1] } }), [
        "body.value.cookie_names.0",
        "body.value.match_subdomains"
      ])
      assert.deepStrictEqual(yield* faults("PUT", `${policies}/${uuid}`, { name: "", value: {} }), [
        "body.name",
        "body.value.cookie_names",
        "body.value.match_subdomains"
      ])
    }).pipe(provided)
  )

  it.live("keep or leave out events by their words or a query, also after a change, until they are unassigned", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const create = (type: string, value: unknown) =>
        Effect.map(call(1, "POST", policies, { name: type, type, value }), ({ body }): string => body.uuid)
      const excluded = yield* create("EXCLUDED_KEYWORDS", { keywords: ["spam", "press release"] })
      const lucene = yield* create("LUCENE_QUERY", { query: "content:(card OR refund*) NOT type:chat_message" })
      const cookies = yield* create("ASTP_COOKIES", { cookie_names: ["a"], match_subdomains: false })
      const domain = yield* create("ASTP_DOMAIN", { match_mode: "email_domain_only" })
      const [one, two, both, neither] = [
        yield* identifier("acme"),
        yield* identifier("acme"),
        yield* identifier("acme"),
        yield* identifier("acme")
      ]
      const change = (method: "POST" | "DELETE", uuid: string, ids: ReadonlyArray<number>, tenantId = 1) =>
        call(tenantId, method, `${policies}/${uuid}/assignments`, { identifier_ids: ids })
      yield* change("POST", excluded, [one, both])
      yield* change("POST", lucene, [two, both])
      yield* change("POST", cookies, [neither])
      yield* change("POST", domain, [neither])
      yield* loadEvents(
        paste(1, "acme"),
        paste(2, "acme card spam"),
        paste(3, "acme refunded"),
        paste(4, "acme press release"),
        eventForTest(5, "chat_message", { content: "acme card" })
      )
      assert.deepStrictEqual(yield* eventsOf(one), [5, 3, 1])
      assert.deepStrictEqual(yield* eventsOf(two), [3, 2])
      assert.deepStrictEqual(yield* eventsOf(both), [3])
      assert.deepStrictEqual(yield* eventsOf(neither), [5, 4, 3, 2, 1])

      yield* call(1, "PUT", `${policies}/${excluded}`, { name: "Out", value: { keywords: ["card"] } })
      yield* loadEvents(paste(6, "acme spam"), paste(7, "acme card"), paste(8, "acme refund"))
      assert.deepStrictEqual(yield* eventsOf(one), [8, 6, 5, 3, 1])
      assert.deepStrictEqual(yield* eventsOf(both), [8, 3])

      const theirs = yield* identifier("acme", 2)
      assert.strictEqual((yield* change("DELETE", excluded, [one], 2)).status, 404)
      for (const method of ["POST", "DELETE"] as const) {
        const { body, status } = yield* change(method, excluded, [one, theirs, 99_999])
        const message = `No such resource is visible to this token: ${theirs}, 99999`
        assert.deepStrictEqual([status, body.error.message], [404, message])
      }
      assert.lengthOf((yield* call(1, "GET", `${policies}/${excluded}/assignments`)).body.items, 2)
      const unassigned = yield* change("DELETE", excluded, [one, two])
      assert.deepStrictEqual([unassigned.status, unassigned.body], [200, undefined])
      yield* loadEvents(paste(9, "acme card"))
      assert.deepStrictEqual(yield* eventsOf(one), [9, 8, 6, 5, 3, 1])
      assert.deepStrictEqual(
        (yield* call(1, "GET", `${policies}/${excluded}/assignments`)).body.items.map(
          ({ identifier_id }: any) => identifier_id
        ),
        [both]
      )
    }).pipe(provided)
  )

  it.live("with as many keywords as they may have narrow an identifier of as many types", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      yield* loadEvents(
        paste(1, "acme word499"),
        paste(2, "acme word0 refused word499"),
        paste(3, "acme"),
        eventForTest(4, "chat_message", { content: "acme word499" })
      )
      const many = (text: (index: number) => string, length = 500) => Array.from({ length }, (_, index) => text(index))
      const rules = [
        ["EXCLUDED_KEYWORDS", many((index) => `word${index} refused`)],
        ["INCLUDED_KEYWORDS", many((index) => `word${index}`)],
        ["INCLUDED_KEYWORDS", [...many((index) => `other${index}`, 499), "acme"]]
      ] as const
      const criteria = {
        data: { type: "keyword", keyword: "acme" },
        categories: [...many((index) => `type${index}`, 990), "paste"],
        emerging_categories: [],
        severities: []
      }
      const { body: created } = yield* call(1, "POST", "/v4/identifiers/", criteria)
      assert.deepStrictEqual(yield* eventsOf(created.id), [3, 2, 1])
      for (const [type, keywords] of rules) {
        const { body } = yield* call(1, "POST", policies, { name: type, type, value: { keywords } })
        const assignment = { identifier_ids: [created.id], clean_past_events: true }
        assert.strictEqual((yield* call(1, "POST", `${policies}/${body.uuid}/assignments`, assignment)).status, 200)
      }
      assert.deepStrictEqual(yield* eventsOf(created.id), [1])
      const update = { ...criteria, severities: ["medium", "high", "critical", "low", "info"] }
      assert.strictEqual((yield* call(1, "PUT", `/v4/identifiers/${created.id}`, update)).status, 200)
      assert.deepStrictEqual(yield* eventsOf(created.id), [1])
    }).pipe(provided)
  )

  it.live("are refused where an identifier would have more of them, or of their phrases, than it may", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const phrases = (length: number, first = "one") => Array.from({ length }, (_, index) => `${first} word${index}`)
      const create = (type: string, value: object) =>
        Effect.map(call(1, "POST", policies, { name: type, type, value }), ({ body }): string => body.uuid)
      const assign = (policy: string, ...identifier_ids: ReadonlyArray<number>) =>
        call(1, "POST", `${policies}/${policy}/assignments`, { identifier_ids })
      const placesOf = ({ body, status }: { readonly status: number; readonly body: any }) => [
        status,
        ...body.detail.map(({ loc }: { loc: ReadonlyArray<unknown> }) => loc.join("."))
      ]
      yield* loadEvents(paste(1, "acme one word0 two word1 three"), paste(2, "acme one word0"))
      const attributes = Array.from({ length: 15 }, (_, at) => ({
        type: "name",
        first_name: at === 0 ? "acme" : `first${at} part`,
        last_name: at === 0 ? "one" : `last${at} part`
      }))
      const criteria = {
        data: { type: "identity", attributes },
        categories: [],
        emerging_categories: [],
        severities: []
      }
      const { id: full } = (yield* call(1, "POST", "/v4/identifiers/", criteria)).body
      const other = yield* identifier("otter")
      const most = yield* create("INCLUDED_KEYWORDS", { keywords: phrases(500) })
      const rest = yield* create("INCLUDED_KEYWORDS", { keywords: [...phrases(172, "two"), "single", "words"] })
      const query = yield* create("LUCENE_QUERY", {
        query: Array.from({ length: 127 }, (_, at) => `word${at}`)
          .join(" ")
          .replace("word2 ", "OR ")
      })
      const last = yield* create("EXCLUDED_KEYWORDS", { keywords: ["refused words"] })
      for (const policy of [most, rest, query, last]) assert.strictEqual((yield* assign(policy, full)).status, 200)

      const further = yield* create("EXCLUDED_KEYWORDS", { keywords: ["further words", "single"] })
      assert.deepStrictEqual(placesOf(yield* assign(further, other, full)), [422, "body.identifier_ids.1"])
      const single = yield* create("EXCLUDED_KEYWORDS", { keywords: ["single", "words"] })
      assert.strictEqual((yield* assign(single, full)).status, 200)
      const change = (keywords: ReadonlyArray<string>) =>
        call(1, "PUT", `${policies}/${last}`, { name: "x", value: { keywords } })
      assert.deepStrictEqual(placesOf(yield* change(["refused words", "more words"])), [422, "body.value"])
      assert.strictEqual((yield* change(["other words", "single"])).status, 200)
      // The refused assignment stored nothing.
      assert.strictEqual((yield* call(1, "GET", `/v4/matching-policies/by_identifier_id/${other}`)).body.length, 0)

      // An identifier with the maximum number of policies can still be matched.
      for (let count = 5; count < 50; count += 1) {
        yield* assign(yield* create("EXCLUDED_KEYWORDS", { keywords: [`without${count}`] }), full)
      }
      const severities = ["medium", "high", "critical", "low", "info"]
      const changed = yield* call(1, "PUT", `/v4/identifiers/${full}`, { ...criteria, severities })
      assert.strictEqual(changed.status, 200)
      const onceMore = yield* create("EXCLUDED_KEYWORDS", { keywords: ["without50"] })
      assert.deepStrictEqual(placesOf(yield* assign(onceMore, full)), [422, "body.identifier_ids.0"])
      // A policy that the identifier already has can be assigned again.
      assert.strictEqual((yield* assign(last, full)).status, 200)
    }).pipe(provided)
  )

  it.live("of simultaneous requests at a limit are as many as there is room for", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const phrases = (length: number, first: string) => Array.from({ length }, (_, at) => `${first} word${at}`)
      const create = (keywords: ReadonlyArray<string>) =>
        Effect.map(
          call(1, "POST", policies, { name: "x", type: "EXCLUDED_KEYWORDS", value: { keywords } }),
          ({ body }): string => body.uuid
        )
      const createTwenty = (keywords: ReadonlyArray<string>) =>
        Effect.forEach(Array.from({ length: 20 }), () => create(keywords))
      const assign = (policy: string, id: number) =>
        call(1, "POST", `${policies}/${policy}/assignments`, { identifier_ids: [id] })
      const assignedTo = (id: number) =>
        Effect.map(call(1, "GET", `/v4/matching-policies/by_identifier_id/${id}`), ({ body }) =>
          body.map((assigned: any) => assigned.matching_policy)
        )
      const atOnce = (work: (policy: string) => ReturnType<typeof call>, uuids: ReadonlyArray<string>) =>
        Effect.map(Effect.forEach(uuids, work, { concurrency: "unbounded" }), (answers) =>
          answers.map(({ status }) => status).toSorted((a, b) => a - b)
        )
      const onePassed = [200, ...Array.from({ length: 19 }, () => 422)]

      const many = yield* identifier("many")
      for (let count = 0; count < 49; count += 1) yield* assign(yield* create([`word${count}`]), many)
      const few = yield* createTwenty(["single"])
      assert.deepStrictEqual(yield* atOnce((policy) => assign(policy, many), few), onePassed)
      assert.lengthOf(yield* assignedTo(many), 50)

      // Together, the policies have 700 of 800 phrases.
      const large = [yield* create(phrases(500, "one")), yield* create(phrases(200, "two"))]
      const long = yield* identifier("long")
      for (const policy of large) yield* assign(policy, long)
      const further = yield* createTwenty(phrases(60, "three"))
      assert.deepStrictEqual(yield* atOnce((policy) => assign(policy, long), further), onePassed)
      assert.lengthOf(yield* assignedTo(long), 3)

      const grown = yield* identifier("grown")
      const small = yield* createTwenty(["single"])
      for (const policy of [...large, ...small]) yield* assign(policy, grown)
      const grow = (policy: string) =>
        call(1, "PUT", `${policies}/${policy}`, { name: "x", value: { keywords: phrases(60, "four") } })
      assert.deepStrictEqual(yield* atOnce(grow, small), onePassed)
      const counts = (yield* assignedTo(grown)).map(({ value }: any) => value.keywords.length)
      assert.strictEqual(counts.filter((count: number) => count === 60).length, 1)
      assert.strictEqual(counts.filter((count: number) => count === 1).length, 19)
    }).pipe(provided)
  )

  it.live("say which credentials match a domain, which match none while it is disabled", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const targets = yield* LoadTargets
      const credential = (id: number, identity_name: string, ...auth_domains: ReadonlyArray<string>) => ({
        id,
        identity_name,
        imported_at: `2026-01-0${id}T00:00:00Z`,
        auth_domains
      })
      yield* loadForTest(targets.credentials, [
        credential(1, "a@example.com"),
        credential(2, "b@example.org", "example.com"),
        credential(3, "c@example.com", "example.com"),
        credential(4, "d@example.org")
      ])
      const content = { categories: [], emerging_categories: [], severities: [] }
      const domain = { ...content, data: { type: "domain", fqdn: "example.com" } }
      const { id } = (yield* call(1, "POST", "/v4/identifiers/", domain)).body
      const search = () =>
        Effect.map(call(1, "GET", "/v2/me/feed/credentials?order_type=asc"), ({ body }) =>
          body.items.map(({ id }: { id: number }) => id)
        )
      assert.deepStrictEqual(yield* search(), [1, 3])
      const { uuid } = (yield* call(1, "POST", policies, {
        name: "a",
        type: "ASTP_DOMAIN",
        value: { match_mode: "auth_domain_only" }
      })).body
      yield* call(1, "POST", `${policies}/${uuid}/assignments`, { identifier_ids: [id] })
      assert.deepStrictEqual(yield* search(), [2, 3])
      for (const [match_mode, expected] of [
        ["auth_domain_and_email_domain", [1, 2, 3]],
        ["email_domain_only", [1, 3]]
      ] as const) {
        yield* call(1, "PUT", `${policies}/${uuid}`, { name: "a", value: { match_mode } })
        assert.deepStrictEqual(yield* search(), expected)
      }
      yield* call(1, "PUT", `/v4/identifiers/${id}`, { ...domain, is_disabled: true })
      assert.deepStrictEqual(yield* search(), [])
      yield* call(1, "PUT", `/v4/identifiers/${id}`, { ...domain, is_disabled: false })
      assert.deepStrictEqual(yield* search(), [1, 3])
      yield* call(1, "DELETE", `/v4/identifiers/${id}`)
      assert.deepStrictEqual(yield* search(), [])
    }).pipe(provided)
  )
})
