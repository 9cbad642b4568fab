/** Changes of identifiers that the service lists: it takes an identifier back as a whole. */
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import {
  makeUpdate,
  type MonitoredIdentifier,
  type MonitoredIdentifierUpdate,
  type NewMonitoredData
} from "@threat-exposure/core/domain/MonitoredIdentifier"
import { Effect, Redacted } from "effect"
import type { BoundConnection } from "../connection/Connections.ts"
import { type Failure, NotPossible } from "../editor/Problem.ts"
import { t } from "../words/Localisation.ts"
import { nameOfType } from "../words/TypeNames.ts"

/** The types that the service takes. */
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

/** An older identifier that is one attribute of a person is an identity with this attribute. */
export const monitoredTypeOf = (type: string | undefined): MonitoredType | undefined =>
  type === "email" || type === "username" || type === "name" ? "identity" : monitoredTypes.find((each) => each === type)

/** Reads a value as a person types it. */
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

const attributeOf = (text: string) => {
  if (text.includes("@")) return { type: "email" as const, email: text }
  const words = text.split(/\s+/u)
  return words.length === 1
    ? { type: "username" as const, username: text }
    : { type: "name" as const, first_name: words.slice(0, -1).join(" "), last_name: words.at(-1) ?? "" }
}

/** Reads the identifier, and sends it back with the changes. */
export const changeIdentifier = (
  { ask, send }: BoundConnection,
  id: number,
  changes: Partial<MonitoredIdentifierUpdate>
): Effect.Effect<MonitoredIdentifier, Failure> =>
  Effect.gen(function* () {
    const present = yield* ask(Effect.flatMap(Identifiers, (service) => service.get(id)))
    const update = makeUpdate(present, changes)
    if (update === undefined) {
      return yield* new NotPossible({
        message: t(
          "The service does not say what this identifier of the type {0} matches, so it cannot be changed. Delete it and create it again.",
          nameOfType(present.data.type ?? "")
        )
      })
    }
    return yield* send(Effect.flatMap(Identifiers, (service) => service.update(id, update)))
  })
