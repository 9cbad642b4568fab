/** The value of each type of identifier: prompt, validation, and the data for the API. */
import type { IdentifierType } from "@threat-exposure/core/domain/Identifier"
import type { NewMonitoredData } from "@threat-exposure/core/domain/MonitoredIdentifier"
import { Redacted } from "effect"
import { t } from "../words/Localisation.ts"
import { nameOfType } from "../words/TypeNames.ts"

/** Types that a service with a list of identifiers accepts. */
export const monitoredTypes = [
  "domain",
  "identity",
  "keyword",
  "github_repository",
  "search_query",
  "secret",
  "ip",
  "bin",
  "azure_tenant"
] as const
export type MonitoredType = (typeof monitoredTypes)[number]

/** Older types for a single attribute of a person correspond to `identity`. */
export const monitoredTypeOf = (type: string | undefined): MonitoredType | undefined =>
  type === "email" || type === "username" || type === "name" ? "identity" : monitoredTypes.find((each) => each === type)

export const promptOf = (type: IdentifierType): string => {
  switch (type) {
    case "domain":
      return t("The domain, such as example.com")
    case "email":
      return t("The address, such as someone@example.com")
    case "github_repository":
      return t("The repository, as owner/name")
    case "name":
      return t("First and last name")
    case "identity":
      return t("E-mail addresses, usernames or full names of one person, separated by commas")
    case "secret":
      return t("The secret itself; it is sent to the service, which monitors it")
    default:
      return t("Value to monitor: {0}", nameOfType(type))
  }
}

export const faultOf = (type: IdentifierType, text: string): string | undefined => {
  if (type === "domain" && !/^[^\s@/:]+\.[^\s@/:]+$/u.test(text))
    return t("This is not a domain: write it as example.com")
  if (type === "email" && !/^[^\s@]+@[^\s@]+$/u.test(text)) return t("This is not an e-mail address")
  if (type === "github_repository" && !/^[^\s/]+\/[^\s/]+$/u.test(text)) return t("Write it as owner/name")
  return undefined
}

/** Converts a typed value into data for the API. */
export const newDataOf = (type: MonitoredType, value: string): NewMonitoredData => {
  switch (type) {
    case "domain":
      return { type, fqdn: value }
    case "identity":
      return {
        type,
        attributes: value
          .split(",")
          .map((part) => part.trim())
          .filter((part) => part !== "")
          .map(attributeOf)
      }
    case "keyword":
      return { type, keyword: value }
    case "github_repository": {
      const [repo_owner = "", repo_name = ""] = value.split("/")
      return { type, repo_owner, repo_name }
    }
    case "search_query":
      return { type, search_query: value }
    case "secret":
      return { type, secret: Redacted.make(value) }
    case "ip":
      return { type, ip: value }
    case "bin":
      return { type, bin: value }
    case "azure_tenant":
      return { type, tenant_id: value }
  }
}

/**
 * Like {@link newDataOf}, for a service that does not list identifiers: `data` of each type in docs/api.md#identifier.
 */
export const dataOf = (type: IdentifierType, value: string): Readonly<Record<string, unknown>> => {
  switch (type) {
    case "domain":
      return { type, fqdn: value }
    case "github_repository": {
      const [owner = "", name = ""] = value.split("/")
      return { type, repo_owner: owner, repo_name: name }
    }
    case "name": {
      const words = value.split(/\s+/u)
      return {
        type,
        first_name: words.slice(0, -1).join(" ") || value,
        last_name: words.length > 1 ? words.at(-1) : ""
      }
    }
    case "search_query":
      return { type, query_string: value }
    case "azure_tenant":
      return { type, tenant_id: value }
    default:
      return { type, [type]: value }
  }
}

const attributeOf = (text: string) => {
  if (text.includes("@")) return { type: "email" as const, email: text }
  const words = text.split(/\s+/u)
  return words.length === 1
    ? { type: "username" as const, username: text }
    : { type: "name" as const, first_name: words.slice(0, -1).join(" "), last_name: words.at(-1) ?? "" }
}
