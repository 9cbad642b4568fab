/** A service in memory that lists, creates, changes and deletes identifiers, groups, policies and recommendations. */
import { type Answer, event } from "./Running.ts"

interface Identifier {
  readonly id: number
  name: string
  data: { readonly type: string } & Readonly<Record<string, unknown>>
  group_id: number | null
  is_disabled: boolean
  categories: ReadonlyArray<string>
  severities: ReadonlyArray<string>
}

export const identifier = (id: number, name: string, more: Partial<Identifier> = {}): Identifier => ({
  id,
  name,
  data: { type: "domain", fqdn: name },
  group_id: null,
  is_disabled: false,
  categories: [],
  severities: [],
  ...more
})

const ok = (body: unknown) => ({ status: 200, body })
const notFound = { status: 404, body: { error: { code: "NOT_FOUND", message: "no such resource" } } }

export class MonitoringService {
  identifiers: Array<Identifier>
  groups: Array<{ readonly id: number; name: string }> = []
  policies: Array<{ readonly uuid: string; name: string; readonly policy_type: string; value: object }> = []
  /** Pairs in the form "policy identifier". */
  readonly assignments = new Set<string>()
  recommendations: Array<{ readonly id: number; readonly data: object; status: string }> = []
  /** Requests with side effects, in the form "PUT /v4/identifiers/1 {…}". */
  readonly written: Array<string> = []

  constructor(...identifiers: ReadonlyArray<Identifier>) {
    this.identifiers = [...identifiers]
  }

  readonly answer: Answer = (whole, body, _, query, method) => {
    const path = whole.slice(whole.indexOf("/v"))
    if (method !== "GET") this.written.push(`${method} ${path} ${JSON.stringify(body)}`)
    const given: Record<string, unknown> = typeof body === "object" ? { ...body } : {}
    const [, version, first = "", second, third] = path.split("/")
    switch (`${version} ${first}`) {
      case "v4 identifiers":
        return this.#identifiers(method, second, given, query)
      case "v2 assets":
        return second === "groups" ? this.#groups(method, third, given) : notFound
      case "v4 matching-policies":
        return this.#policies(method, second, third, given, query, path)
      case "v4 identifier-recommendations":
        return this.#recommendations(method, given, query)
      default:
        return ok({ items: path.includes("/events/") ? [event(1)] : [], next: null })
    }
  }

  #page<A>(items: ReadonlyArray<A>, query: URLSearchParams) {
    const from = Number(query.get("from") ?? 0)
    const size = Number(query.get("size") ?? 20)
    return ok({
      items: items.slice(from, from + size),
      next: from + size < items.length ? String(from + size) : null
    })
  }

  #identifiers(method: string, id: string | undefined, given: Record<string, unknown>, query: URLSearchParams) {
    if (method === "GET" && (id ?? "") === "") {
      const types = query.getAll("types")
      const disabled = query.get("is_disabled")
      const order = query.get("order_by") ?? "id"
      return this.#page(
        this.identifiers
          .filter(({ data }) => types.length === 0 || types.includes(data.type))
          .filter(({ is_disabled }) => disabled === null || String(is_disabled) === disabled)
          .toSorted((a, b) =>
            order === "name"
              ? a.name.localeCompare(b.name)
              : order === "type"
                ? a.data.type.localeCompare(b.data.type)
                : a.id - b.id
          )
          .map((each) => this.#shown(each)),
        query
      )
    }
    if (method === "POST") {
      const id = this.identifiers.length + 100
      const data = given["data"] as Identifier["data"]
      const name = (given["name"] as string | undefined) ?? String(Object.values(data)[1])
      const created = identifier(id, name, { ...given, data })
      this.identifiers.push(created)
      return ok(this.#shown(created))
    }
    const found = this.identifiers.find((each) => String(each.id) === id)
    if (found === undefined) return notFound
    if (method === "PUT") Object.assign(found, given)
    if (method === "DELETE") this.identifiers = this.identifiers.filter((each) => each !== found)
    return method === "DELETE" ? { status: 202, body: null } : ok(this.#shown(found))
  }

  #shown(identifier: Identifier) {
    return { ...identifier, enrichments: { event_count: identifier.id, authorization_status: null } }
  }

  #groups(method: string, id: string | undefined, given: Record<string, unknown>) {
    if (method === "GET") return ok({ assets_groups: this.groups })
    if (method === "POST") {
      const group = { id: this.groups.length + 1, name: String(given["name"]) }
      this.groups.push(group)
      return ok({ assets_group: group })
    }
    const found = this.groups.find((each) => String(each.id) === id)
    if (found === undefined) return notFound
    if (method === "PUT") found.name = String(given["name"])
    else this.groups = this.groups.filter((each) => each !== found)
    return ok({ assets_group: found })
  }

  #policies(
    method: string,
    uuid: string | undefined,
    part: string | undefined,
    given: Record<string, unknown>,
    query: URLSearchParams,
    path: string
  ) {
    if (uuid === "by_identifier_id") {
      const id = path.split("/").at(-1)
      return ok(
        this.policies
          .filter((policy) => this.assignments.has(`${policy.uuid} ${id}`))
          .map((matching_policy) => ({ matching_policy, assigned_at: null, clean_past_events: false }))
      )
    }
    if (uuid === undefined || uuid === "") {
      if (method === "GET") return this.#page(this.policies, query)
      const { type, ...others } = given
      const policy = {
        uuid: `p-${this.policies.length + 1}`,
        policy_type: String(type),
        ...others
      } as (typeof this.policies)[number]
      this.policies.push(policy)
      return ok(policy)
    }
    const found = this.policies.find((each) => each.uuid === uuid)
    if (found === undefined) return notFound
    if (part === "assignments") {
      if (method === "GET") {
        const items = this.identifiers.filter(({ id }) => this.assignments.has(`${uuid} ${id}`))
        return this.#page(
          items.map(({ id, name }) => ({ identifier_id: id, identifier_name: name })),
          query
        )
      }
      for (const id of given["identifier_ids"] as ReadonlyArray<number>) {
        if (method === "POST") this.assignments.add(`${uuid} ${id}`)
        else this.assignments.delete(`${uuid} ${id}`)
      }
      return ok(null)
    }
    if (method === "PUT") Object.assign(found, given)
    if (method === "DELETE") this.policies = this.policies.filter((each) => each !== found)
    return ok(method === "DELETE" ? null : found)
  }

  #recommendations(method: string, given: Record<string, unknown>, query: URLSearchParams) {
    if (method === "GET") return this.#page(this.recommendations, query)
    const { action, targets } = given as {
      action: { type: string }
      targets: ReadonlyArray<{ id: number }>
    }
    for (const { id } of targets) {
      const found = this.recommendations.find((each) => each.id === id)
      if (found !== undefined) found.status = `${action.type}ed`
    }
    return ok(null)
  }
}
