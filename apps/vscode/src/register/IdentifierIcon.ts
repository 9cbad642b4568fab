import type { Icon } from "../editor/tree/Row.ts"

const icons: Readonly<Record<string, string>> = {
  domain: "globe",
  email: "mail",
  username: "account",
  name: "person",
  identity: "person",
  keyword: "symbol-string",
  search_query: "search",
  github_repository: "repo",
  secret: "lock",
  ip: "server",
  bin: "credit-card",
  azure_tenant: "azure",
  phone_number: "device-mobile"
}

export const iconOf = (type: string | undefined): Icon => ({ id: icons[type ?? ""] ?? "eye" })
