/** Operations of a tenant other than searches: the request and the result of each call, in the Promise client. */
import { assert, describe, it } from "vitest"
import { type Client, createClient, isApiError, type Secret } from "../../src/promise.ts"
import * as Samples from "../../testing/Samples.ts"

interface Sent {
  readonly call: string
  readonly body: unknown
}

/** A client whose service returns these responses, the last one repeatedly. */
const clientOver = (...answers: ReadonlyArray<unknown>) => {
  const sent: Array<Sent> = []
  const client = createClient({
    baseUrl: "https://api.example.com",
    token: "a-token",
    fetch: async (input, init = {}) => {
      const body = init.body instanceof Uint8Array ? JSON.parse(new TextDecoder().decode(init.body)) : undefined
      sent.push({ call: `${init.method} ${String(input).replace("https://api.example.com/svc", "")}`, body })
      const answer = answers[Math.min(sent.length, answers.length) - 1]
      if (answer instanceof Response) return answer.clone()
      return answer === undefined ? new Response(null, { status: 200 }) : new Response(JSON.stringify(answer))
    }
  })
  return { client, sent }
}

const all = async <A>(listing: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const items: Array<A> = []
  for await (const item of listing) items.push(item)
  return items
}

const page = (item: unknown) => ({ items: [item], next: null })
const group = Samples.identifierGroup()
const policy = Samples.matchingPolicy()
const update = { name: "Ours", value: { keywords: ["ours"] } }
const create = { name: "Ours", type: "LUCENE_QUERY", value: { query: "title:ours" } } as const

const monitored = {
  data: { type: "identity", attributes: [{ type: "email", email: "someone@example.com" }] },
  name: "Someone",
  categories: ["leak"],
  emerging_categories: [],
  severities: ["high"]
} as const

/** By operation: the call, the service's response, the sent request, and the result of the call. */
const calls: {
  readonly [operation: string]: readonly [
    call: (client: Client) => Promise<unknown>,
    answer: unknown,
    sent: string,
    body: unknown,
    returned: unknown
  ]
} = {
  "identifierGroups.list": [
    ({ identifierGroups }) => identifierGroups.list(),
    { assets_groups: [group] },
    "GET /v2/assets/groups/",
    undefined,
    [group]
  ],
  "identifierGroups.get": [
    ({ identifierGroups }) => identifierGroups.get(21),
    { assets_group: group },
    "GET /v2/assets/groups/21",
    undefined,
    group
  ],
  "identifierGroups.update": [
    ({ identifierGroups }) => identifierGroups.update(21, { name: "Ours" }),
    { assets_group: group },
    "PUT /v2/assets/groups/21",
    { name: "Ours" },
    group
  ],
  "identifierGroups.delete": [
    ({ identifierGroups }) => identifierGroups.delete(21),
    undefined,
    "DELETE /v2/assets/groups/21",
    undefined,
    undefined
  ],
  "recommendations.accept": [
    ({ recommendations }) => recommendations.accept([31, 32]),
    undefined,
    "POST /v4/identifier-recommendations/actions",
    { targets: [{ id: 31 }, { id: 32 }], action: { type: "accept" } },
    undefined
  ],
  "recommendations.reject": [
    ({ recommendations }) => recommendations.reject([31]),
    undefined,
    "POST /v4/identifier-recommendations/actions",
    { targets: [{ id: 31 }], action: { type: "reject" } },
    undefined
  ],
  "matchingPolicies.list": [
    ({ matchingPolicies }) => all(matchingPolicies.list({ size: 5, order: "asc" })),
    page(policy),
    "GET /v4/matching-policies?order=asc&size=5",
    undefined,
    [policy]
  ],
  "matchingPolicies.create": [
    ({ matchingPolicies }) => matchingPolicies.create(create),
    policy,
    "POST /v4/matching-policies",
    create,
    policy
  ],
  "matchingPolicies.get": [
    ({ matchingPolicies }) => matchingPolicies.get("a-uuid"),
    policy,
    "GET /v4/matching-policies/a-uuid",
    undefined,
    policy
  ],
  "matchingPolicies.update": [
    ({ matchingPolicies }) => matchingPolicies.update("a-uuid", update),
    policy,
    "PUT /v4/matching-policies/a-uuid",
    update,
    policy
  ],
  "matchingPolicies.unassign": [
    ({ matchingPolicies }) => matchingPolicies.unassign("a-uuid", { identifier_ids: [1] }),
    undefined,
    "DELETE /v4/matching-policies/a-uuid/assignments",
    { identifier_ids: [1] },
    undefined
  ],
  "reports.list": [
    async ({ reports }) => (await all(reports.list({ include_archived: true, order_by: "title" }))).map(({ id }) => id),
    page({ id: 5, title: "A title" }),
    "GET /v4/reports?order_by=title&include_archived=true",
    undefined,
    [5]
  ],
  "reports.get": [
    async ({ reports }) => (await reports.get(5)).status,
    { id: 5, status: "completed" },
    "GET /v4/reports/5",
    undefined,
    "completed"
  ],
  "tenants.mine": [
    ({ tenants }) => tenants.mine(),
    { tenants: [{ id: 1, name: "Example" }] },
    "GET /v2/me/tenants",
    undefined,
    [{ id: 1, name: "Example" }]
  ],
  "tenants.users": [
    ({ tenants }) => tenants.users(1),
    { users: [{ user_id: 4 }] },
    "GET /v2/tenants/1/users",
    undefined,
    [{ user_id: 4, is_readonly: false, role: null }]
  ],
  "tenants.removeUser": [
    ({ tenants }) => tenants.removeUser(1, 4),
    undefined,
    "DELETE /v2/tenants/1/users/4",
    undefined,
    undefined
  ],
  "identifiers.list": [
    async ({ identifiers }) =>
      (await all(identifiers.list({ types: ["domain", "secret"], is_disabled: false, group_id: 21 }))).map(
        ({ id }) => id
      ),
    page({ id: 12, data: { type: "domain", fqdn: "example.com" } }),
    "GET /v4/identifiers/?is_disabled=false&group_id=21&types=domain&types=secret",
    undefined,
    [12]
  ],
  "identifiers.get": [
    async ({ identifiers }) => {
      const { data } = await identifiers.get(12)
      return data.type === "domain" ? data.fqdn : data
    },
    { id: 12, data: { type: "domain", fqdn: "example.com" } },
    "GET /v4/identifiers/12",
    undefined,
    "example.com"
  ],
  "identifiers.create": [
    async ({ identifiers }) => (await identifiers.create(monitored)).id,
    { id: 12, data: monitored.data },
    "POST /v4/identifiers/",
    monitored,
    12
  ],
  "identifiers.update": [
    async ({ identifiers }) => {
      const { is_disabled } = await identifiers.update(12, { ...monitored, is_disabled: true, group_id: null })
      return is_disabled
    },
    { id: 12, data: monitored.data, is_disabled: true },
    "PUT /v4/identifiers/12",
    { ...monitored, is_disabled: true, group_id: null },
    true
  ],
  "identifiers.delete": [
    ({ identifiers }) => identifiers.delete(12),
    new Response(null, { status: 202 }),
    "DELETE /v4/identifiers/12",
    undefined,
    undefined
  ],
  "intel.get": [
    ({ intel }) => intel.get("an-id"),
    { status: "processing", report: null },
    "GET /v4/threat_flow/reports/requests/an-id",
    undefined,
    { status: "processing", report: null }
  ]
}

describe("a call of", () => {
  for (const [operation, [call, answer, request, body, returned]] of Object.entries(calls)) {
    it(`${operation} sends its arguments, and returns what is in the answer`, async () => {
      const { client, sent } = clientOver(answer)
      assert.deepStrictEqual(await call(client), returned)
      assert.deepStrictEqual(sent, [{ call: request, body }])
    })
  }
})

describe("the credentials of a tenant", () => {
  it("are listed with their states, and with their hashes as secrets", async () => {
    const states = { remediated_at: "2026-01-03T00:00:00Z", ignored_at: null }
    const { client, sent } = clientOver(
      { items: [{ ...Samples.credential({ hash: "correct-horse" }), ...states }], next: "more" },
      page(Samples.credential({ id: 2, hash: null }))
    )
    const [first, second] = await all(client.credentials.ofTenant({ size: 1, order_type: "asc" }))
    const hash: Secret | null | undefined = first?.hash
    assert.strictEqual(hash?.reveal(), "correct-horse")
    assert.strictEqual(first?.remediated_at, "2026-01-03T00:00:00Z")
    assert.notProperty(first, "ignored_at")
    assert.isNull(second?.hash)
    assert.deepStrictEqual(
      sent.map(({ call }) => call),
      [
        "GET /v2/me/feed/credentials?order_type=asc&size=1",
        "GET /v2/me/feed/credentials?order_type=asc&size=1&from=more"
      ]
    )
  })

  it("are acted on a hundred at a time; a failure has those that were done", async () => {
    const hashes = Array.from({ length: 101 }, (_, index) => `hash-${index}`)
    const { client, sent } = clientOver(undefined, new Response("{}", { status: 404 }))
    const failure = await client.credentials.act(hashes, "ignore").catch((error: unknown) => error)
    assert(isApiError(failure))
    assert.strictEqual(failure.name, "NotFound")
    assert.deepStrictEqual(failure.done, hashes.slice(0, 100))
    assert.deepStrictEqual(sent[1], {
      call: "POST /v4/credentials/actions",
      body: { targets: [{ credential_hash: "hash-100" }], action: { type: "ignore" } }
    })
  })
})

describe("the secret that an identifier monitors", () => {
  const values = { type: "secret", secret: "correct-horse" }

  it("is sent as it is, and comes back as a secret", async () => {
    const { client, sent } = clientOver({ id: 12, data: values })
    const { data } = await client.identifiers.create({
      ...monitored,
      data: { type: "secret", secret: "correct-horse" }
    })
    assert.deepStrictEqual(Object(sent[0]?.body).data, values)
    assert(data.type === "secret")
    assert.notInclude(JSON.stringify(data), "correct-horse")
    assert.strictEqual(data.secret?.reveal(), "correct-horse")
  })

  it("is redacted if the service leaves its type out", async () => {
    const { client } = clientOver({ id: 12, data: { secret: "correct-horse" } })
    const { data } = await client.identifiers.get(12)
    assert.notInclude(JSON.stringify(data), "correct-horse")
  })

  it("is in no error", async () => {
    const { client } = clientOver(
      new Response(JSON.stringify({ message: "correct-horse", code: "A" }), { status: 400 })
    )
    const given = { ...monitored, data: { type: "secret", secret: "correct-horse" } } as const
    const failure = await client.identifiers.create(given).catch(String)
    assert.notInclude(String(failure), "correct-horse")
  })
})
