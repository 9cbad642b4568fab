import type { EventQuery } from "@threat-exposure/core/domain/Event"

/** Fields of each query type in the order of the questions (docs/api.md#search-events). */
export const queryFields = {
  domain: ["fqdn"],
  email: ["email"],
  keyword: ["keyword"],
  query_string: ["query_string"],
  username: ["username"],
  github_repository: ["repo_owner", "repo_name"],
  brand: ["name"],
  name: ["first_name", "last_name"],
  bin: ["bin"],
  ip: ["ip"],
  credentials: ["username", "password"],
  secret: ["secret"],
  azure_tenant: ["tenant_id"]
} as const satisfies Record<EventQuery["type"], ReadonlyArray<string>>
