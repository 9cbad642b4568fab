/** An identifier as listed by the service or remembered by the register. */
import { redactedName } from "@threat-exposure/core/domain/Identifier"
import type { MonitoredData, MonitoredIdentifier } from "@threat-exposure/core/domain/MonitoredIdentifier"
import { Predicate, Redacted } from "effect"
import { type IdentifierEntry, nameOfIdentifier } from "./RegisterEntries.ts"

export interface KnownIdentifier extends IdentifierEntry {
  /** Undefined if only the register knows the identifier. */
  readonly listed?: MonitoredIdentifier
}

export const listedIdentifier = (listed: MonitoredIdentifier): KnownIdentifier => {
  const { data, id, name } = listed
  const type: string = data.type ?? ""
  // Some services use the value of a secret as its name.
  const shownName = secretsOf(data).some((secret) => secret === name) ? redactedName : name
  return {
    id,
    name: nameOfIdentifier({ id, name: shownName ?? valueOf(data) }),
    ...(type === "" ? {} : { type }),
    origin: "service",
    listed: { ...listed, name: shownName }
  }
}

/** The monitored value on one line, without secrets. */
export const valueOf = (data: Partial<MonitoredData>): string => {
  const { type, ...values } = data
  if ("attributes" in values && Array.isArray(values.attributes)) return values.attributes.map(valueOf).join(", ")
  if ("repo_owner" in values) return `${String(values.repo_owner)}/${String(values.repo_name)}`
  return type === "secret" ? "" : Object.values(values).filter(Predicate.isString).join(" ")
}

const secretsOf = (data: object): ReadonlyArray<unknown> =>
  Object.values(data).flatMap((value: unknown) => (Redacted.isRedacted(value) ? [Redacted.value(value)] : []))
